// SPDX-License-Identifier: Apache-2.0
// Decides which instructions of a warp are left out in a what-if study of full warps (sm.issue.full_warps). An
// instruction that runs for a part of a warp's threads runs again for other threads later. Executions that would fit
// into the lanes that an earlier one left idle are left out, so that the warp issues each instruction only as often as
// the number of its threads requires.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"

namespace sassim::arch {

class FullWarps {
 public:
  /// Begins a warp. `may` has an entry for each instruction of its code: whether executions may be left out.
  void start(const std::vector<bool>& may) {
    may_ = &may;
    threads_ = 0;
    idle_.assign(may.size(), 0);
  }
  /// Whether the warp's next execution is left out: that of instruction `index` by `threads` threads.
  bool takes_in(std::uint32_t index, std::uint32_t threads) {
    if (threads_ == 0) threads_ = threads;
    if (!(*may_)[index] || threads >= threads_) return false;
    std::uint32_t& idle = idle_[index];
    const bool fits = threads <= idle;
    idle += (fits ? 0 : threads_) - threads;
    return fits;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(threads_, idle_);
  }
  /// After loading.
  void attach(const std::vector<bool>& may) { may_ = &may; }

 private:
  const std::vector<bool>* may_ = nullptr;  ///< by instruction
  std::uint32_t threads_ = 0;               ///< threads of the warp's first execution, which make it full; 0: none yet
  std::vector<std::uint32_t> idle_;         ///< by instruction: lanes that its executions have left idle
};

}  // namespace sassim::arch
