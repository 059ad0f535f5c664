// SPDX-License-Identifier: Apache-2.0
// Programs built with CUDA 13 read the clocks as attributes: its cudaDeviceProp has none.
#include <gtest/gtest.h>

#include <thread>

#include "sim/cuda/device_properties.h"
#include "sim/cuda/errors.h"

namespace sassim::cuda {
namespace {

constexpr int kClockRate = 13, kMemoryClockRate = 36;  ///< cudaDevAttrClockRate, cudaDevAttrMemoryClockRate

int attribute(const config::GpuConfig& gpu, int which) {
  int value = -1;
  EXPECT_EQ(device_attribute(gpu, which, value), kSuccess);
  return value;
}

TEST(DeviceAttributes, ClocksAreThoseOfTheProperties) {
  config::GpuConfig gpu;
  gpu.clock.sm = 1'234'000'000;
  gpu.clock.dram = 2'000'000'000;
  gpu.memory.dram.beats_per_clock = 2;
  EXPECT_EQ(attribute(gpu, kClockRate), 1'234'000);
  EXPECT_EQ(attribute(gpu, kMemoryClockRate), 2'000'000);
  const DeviceProperties properties = device_properties(gpu);
  EXPECT_EQ(attribute(gpu, kClockRate), properties.clock_khz);
  EXPECT_EQ(attribute(gpu, kMemoryClockRate), properties.memory_clock_khz);
}

TEST(DeviceAttributes, UnknownOnesAreRefused) {
  int value = 0;
  EXPECT_EQ(device_attribute({}, 0, value), kInvalidValue);
  EXPECT_EQ(device_attribute({}, 10'000, value), kInvalidValue);
}

TEST(LastError, IsReadOnceAndKeptPerThread) {
  remember(kInvalidValue);
  remember(kSuccess);
  EXPECT_EQ(last_error(false), kInvalidValue) << "a success does not clear it";
  std::thread([] { EXPECT_EQ(last_error(true), kSuccess); }).join();
  EXPECT_EQ(last_error(true), kInvalidValue);
  EXPECT_EQ(last_error(true), kSuccess);
}

TEST(LastError, AStickyErrorIsItOnceACallHasReturnedIt) {
  set_sticky(kIllegalAddress);
  EXPECT_EQ(last_error(true), kSuccess);
  remember(sticky());
  EXPECT_EQ(last_error(true), kIllegalAddress);
  EXPECT_EQ(last_error(true), kSuccess);
  EXPECT_EQ(sticky(), kIllegalAddress);
  set_sticky(kSuccess);
}

TEST(ErrorText, NamesKnownAndUnknownCodes) {
  EXPECT_STREQ(error_text(kIllegalAddress).name, "cudaErrorIllegalAddress");
  EXPECT_STREQ(error_text(static_cast<Result>(4711)).name, "unrecognized error code");
}

}  // namespace
}  // namespace sassim::cuda
