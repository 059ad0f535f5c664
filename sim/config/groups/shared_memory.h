// SPDX-License-Identifier: Apache-2.0
// Configuration of shared memory. fields_memory_io.cpp says what each member means.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::config {

struct SharedMemory {
  std::uint32_t banks = 32, bank_width = 4;
  bool bank_conflicts = true;
  std::uint32_t bytes_per_cycle = 128;
  std::uint32_t latency = 19;
  std::uint32_t pass_latency = 2;
  std::uint32_t matrix_latency = 2;
  /// Cycles for which an atomic blocks its warp's next access, for 1, 2, 4, 8, 16 and 32 lanes on one word.
  std::vector<std::uint64_t> atomic_hold{6, 7, 11, 18, 24, 66};
  std::uint32_t atomic_result = 8;
  std::uint32_t spin_delay = 5;
};

}  // namespace sassim::config
