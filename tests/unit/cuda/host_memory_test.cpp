// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/host_memory.h"

#include <gtest/gtest.h>

namespace sassim::cuda {
namespace {

TEST(HostMemory, IsZeroedKnownToTheDeviceAndTyped) {
  emu::DeviceMemory device;
  HostMemory host(device);
  auto* bytes = static_cast<std::byte*>(host.allocate(100, kManagedMemory));
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(bytes[99], std::byte{0});
  EXPECT_EQ(host.type_of(bytes + 99), kManagedMemory);
  EXPECT_EQ(host.type_of(bytes + 100), kUnregistered);
  EXPECT_EQ(device.host(reinterpret_cast<std::uintptr_t>(bytes), 100), bytes);
  EXPECT_EQ(device.host(reinterpret_cast<std::uintptr_t>(bytes), 101), nullptr) << "exact bounds";
  EXPECT_TRUE(host.free(bytes));
  EXPECT_FALSE(host.free(bytes));
  EXPECT_EQ(host.type_of(bytes), kUnregistered);
}

}  // namespace
}  // namespace sassim::cuda
