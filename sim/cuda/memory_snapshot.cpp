// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/memory_snapshot.h"

#include <algorithm>
#include <cstring>

namespace sassim::cuda {

namespace {

constexpr std::size_t kPage = 4096;

bool all_zero(const std::byte* at, std::size_t bytes) {
  return bytes == 0 || (at[0] == std::byte{0} && std::memcmp(at, at + 1, bytes - 1) == 0);
}

}  // namespace

MemorySnapshot::MemorySnapshot(const emu::DeviceMemory& memory) {
  memory.for_each_region([&](const emu::Allocation& region) {
    for (std::uint64_t at = 0; at < region.bytes; at += kPage) {
      std::byte* const host = region.host + at;
      const std::size_t bytes = std::min<std::uint64_t>(kPage, region.bytes - at);
      Copy& copy = copies_.emplace_back(Copy{host, bytes, {}});
      if (!all_zero(host, bytes)) copy.content.assign(host, host + bytes);
    }
  });
}

void MemorySnapshot::restore() const {
  for (const Copy& copy : copies_)
    if (!copy.content.empty())
      std::memcpy(copy.host, copy.content.data(), copy.bytes);
    else if (!all_zero(copy.host, copy.bytes))
      std::memset(copy.host, 0, copy.bytes);
}

}  // namespace sassim::cuda
