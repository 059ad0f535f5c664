// SPDX-License-Identifier: Apache-2.0
// Configuration of the two halves of a chip and the link between them. fields_memory.cpp says what each member means.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::config {

struct Halves {
  std::uint32_t parts = 1;
  std::uint32_t latency = 0, change_latency = 0, result_latency = 0;
  std::uint32_t bytes_per_cycle = 0;
  bool near_copies = true;
  std::uint32_t mask_bytes = 0;
  bool hold_stores = false;
  std::uint32_t invalidation_interval = 0;
  std::uint32_t span = 0;
  std::vector<std::uint64_t> gpcs;
};

}  // namespace sassim::config
