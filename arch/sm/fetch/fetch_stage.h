// SPDX-License-Identifier: Apache-2.0
// The fetch stage of a processing block: fills the instruction buffers of its warps.
#pragma once

#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/fetch/front_end.h"
#include "arch/sm/warps/block_state.h"

namespace sassim::arch {

class FetchStage {
 public:
  FetchStage(BlockState& state, InstructionCache& instructions);

  void start_kernel(const StaticCode& code, bool keep_caches) {
    const trace::KernelInfo& kernel = code.kernel();
    front_end_.start_kernel({kernel.code_address, kernel.layout().bytes(code.size()), kernel.layout()}, keep_caches);
  }
  void add_launch(const StaticCode& code, LaunchIndex launch) {
    const trace::KernelInfo& kernel = code.kernel(launch);
    front_end_.add_launch(code.first_line(launch), {kernel.code_address, kernel.code_bytes(), kernel.layout()});
  }
  void cycle(Cycle now);
  /// The warp's next step may be fetched if its buffer has room.
  void want(WarpIndex warp);
  /// The warp continues at another place: drops its fetches in flight.
  void redirect(WarpIndex warp) { front_end_.redirect(warp); }
  /// The warp has ended.
  void end_warp(WarpIndex warp) {
    state_.buffers[warp].stop();
    front_end_.withdraw(warp);
  }
  /// A line of code has left the L1 instruction cache.
  void arrived(std::uint64_t line, Cycle now) { front_end_.arrived(line, now); }
  Cycle next_event(Cycle now) const { return front_end_.idle() ? front_end_.next_fill() : now + 1; }
  void report(stats::CounterValues& values) const { front_end_.report(values); }

  template <class Archive>
  void state(Archive& archive) {
    archive(front_end_);
  }

 private:
  BlockState& state_;
  FrontEnd front_end_;
};

}  // namespace sassim::arch
