// SPDX-License-Identifier: Apache-2.0
// Configuration of a TLB of any level. fields_memory.cpp says what each member means.
#pragma once

#include <cstdint>

namespace sassim::config {

struct TlbConfig {
  std::uint32_t entries = 16;
  std::uint64_t page = 2u << 20;
  std::uint32_t ways = 0;
  std::uint32_t latency = 0;
};

}  // namespace sassim::config
