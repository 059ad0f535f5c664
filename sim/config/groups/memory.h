// SPDX-License-Identifier: Apache-2.0
// Configuration of the memory: all its groups. fields_memory.cpp says what each member means.
#pragma once

#include <cstdint>
#include <string>

#include "sim/config/groups/crossbar.h"
#include "sim/config/groups/dram.h"
#include "sim/config/groups/halves.h"
#include "sim/config/groups/l2.h"
#include "sim/config/groups/tlb.h"

namespace sassim::config {

struct Memory {
  std::string model = "full";
  std::uint32_t fixed_latency = 400;
  TlbConfig l2_tlb{256, 32u << 20, 0, 0};
  std::uint32_t page_walk_latency = 170;
  std::uint32_t page_walkers = 16;
  CrossbarConfig crossbar;
  L2Config l2;
  Halves halves;
  DramConfig dram;
  std::uint64_t bandwidth = 0;
  std::uint64_t size = 16ull << 30;
};

}  // namespace sassim::config
