// SPDX-License-Identifier: Apache-2.0
// The data array that shared memory and the L1 share: it serves one access at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

/// Cycles to move 128 bytes, one register of a warp, from the data stage to the register file.
inline std::uint32_t return_cycles(const config::MemoryIo& io) {
  return std::max(1u, 128u / std::max(io.return_bytes_per_cycle, 1u));
}

class DataStage {
 public:
  /// Reserves the array for `cycles`, from the first free cycle at or after `now`, and returns that cycle.
  Cycle reserve(Cycle now, std::uint64_t cycles) {
    const Cycle start = std::max(now, free_);
    free_ = start + cycles;
    busy_ += cycles;
    return start;
  }
  Cycle free() const { return free_; }
  std::uint64_t busy() const { return busy_; }
  void clear_counters() { busy_ = 0; }

  template <class Archive>
  void state(Archive& archive) {
    archive(free_, busy_);
  }

 private:
  Cycle free_;
  std::uint64_t busy_ = 0;
};

}  // namespace sassim::arch
