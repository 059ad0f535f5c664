// SPDX-License-Identifier: Apache-2.0
// The one data array behind shared memory and L1: whoever reads or writes it takes turns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

class DataStage {
 public:
  /// Takes the array for `cycles` from the first free cycle at or after `now`, which is returned.
  Cycle reserve(Cycle now, std::uint64_t cycles) {
    const Cycle start = std::max(now, free_);
    free_ = start + cycles;
    busy_ += cycles;
    return start;
  }
  Cycle free() const { return free_; }
  std::uint64_t busy() const { return busy_; }

 private:
  Cycle free_;
  std::uint64_t busy_ = 0;
};

}  // namespace sassim::arch
