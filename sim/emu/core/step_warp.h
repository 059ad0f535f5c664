// SPDX-License-Identifier: Apache-2.0
// A warp that the timing model drives, one instruction at a time; the emulator's own loop (run_warp.h) runs a warp in
// turns.
#pragma once

#include <cstdint>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

class SteppedWarp {
 public:
  enum class State : std::uint8_t { ready, waits, ended };

  explicit SteppedWarp(Warp& warp) : warp_(&warp) {}

  /// Chooses the threads that run next, at cycle `now`. `waits`: all threads sleep or wait for other warps of the
  /// block.
  State look_ahead(std::uint64_t now);
  /// The threads that have just executed NANOSLEEP do not run before `wakes`.
  void sleep(std::uint64_t wakes) { warp_->fragments[warp_->current].wakes = wakes; }
  /// After look_ahead() returned `waits`: the cycle at which the first sleeping threads wake; the largest number if
  /// none sleep.
  std::uint64_t wakes() const;
  /// The threads that run next, after look_ahead() returned `ready`.
  const Fragment& front() const { return warp_->fragments[warp_->current]; }
  /// Executes their next instruction and fills `step`.
  void step(Context& context, trace::Step& step);
  Warp& warp() const { return *warp_; }

 private:
  void choose();
  void after(const Context& context);

  Warp* warp_;
  bool chosen_ = false;
  std::uint64_t turn_left_ = 0;  ///< instructions left before other threads of a diverged warp have their turn
};

}  // namespace sassim::emu
