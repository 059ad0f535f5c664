// SPDX-License-Identifier: Apache-2.0
// A warp that somebody else's clock drives: one instruction at a time, where the interpreter's own loop (run_warp.h)
// runs it in turns.
#pragma once

#include <cstdint>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

class SteppedWarp {
 public:
  enum class State : std::uint8_t { ready, waits, ended };

  explicit SteppedWarp(Warp& warp) : warp_(&warp) {}

  /// Chooses the threads that go on. `waits`: all of them wait for other warps of the block.
  State look_ahead();
  /// The threads that go on, after look_ahead() said `ready`.
  const Fragment& front() const { return warp_->fragments[warp_->current]; }
  /// Executes their instruction and says what it was.
  void step(Context& context, trace::Step& step);
  Warp& warp() const { return *warp_; }

 private:
  void choose();
  void after(const Context& context);

  Warp* warp_;
  bool chosen_ = false;
  std::uint64_t turn_left_ = 0;  ///< instructions until other threads of a diverged warp have a turn
};

}  // namespace sassim::emu
