// SPDX-License-Identifier: Apache-2.0
// The dependences between the instructions of a warp, for all warps of a processing block: by the counters in the
// control bits, or by register names in traces without control bits.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/warps/block_state.h"
#include "arch/sm/warps/scoreboard.h"

namespace sassim::arch {

class Dependences {
 public:
  explicit Dependences(BlockState& state) : state_(state) {}

  void start_kernel() { scoreboards_.resize(by_name() ? state_.warps.size() : 0); }
  void start_warp(WarpIndex warp) {
    if (!scoreboards_.empty()) scoreboards_[warp].reset();
  }
  /// True if the trace has no control bits: dependences follow from register names.
  bool by_name() const { return state_.code->scoreboard(); }

  /// What the next instruction of the warp waits for.
  Scoreboard::Answer check(WarpIndex warp, Cycle now) const;
  /// The instruction issues and increments its counters.
  void hold(WarpIndex warp, const StaticInstruction& instruction, Cycle now) {
    if (!by_name())
      state_.warps[warp].counters.hold(instruction.control.write_counter, instruction.control.read_counter,
                                       instruction.long_latency, now);
  }
  /// The result of the instruction is in its registers at `ready`; kNever: when written() is called.
  void expect(WarpIndex warp, CodeLine line, Cycle ready, bool reads_later, bool long_latency) {
    scoreboards_[warp].issue(state_.code->scoreboard_use(line), ready, reads_later, long_latency);
  }
  void written(WarpIndex warp, CodeLine line, Cycle now) {
    if (by_name()) return scoreboards_[warp].written(state_.code->scoreboard_use(line), now);
    const StaticInstruction& instruction = (*state_.code)[line];
    state_.warps[warp].counters.release(instruction.control.write_counter, instruction.long_latency);
  }
  void read(WarpIndex warp, CodeLine line) {
    if (by_name()) return scoreboards_[warp].read(state_.code->scoreboard_use(line));
    const StaticInstruction& instruction = (*state_.code)[line];
    state_.warps[warp].counters.release(instruction.control.read_counter, instruction.long_latency);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(scoreboards_);
  }

 private:
  BlockState& state_;
  std::vector<Scoreboard> scoreboards_;  ///< one per warp; empty if the trace has control bits
};

}  // namespace sassim::arch
