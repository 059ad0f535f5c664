// SPDX-License-Identifier: Apache-2.0
// Rough time for kernels with compare-and-swap loops. How often such an operation fails depends on what other warps do
// between the read of the old value and the swap. So their warps do not run for long stretches: each has a clock that
// goes on by the compiler's stall counts and waits for results as the dependence counters say, with unloaded latencies,
// and the warp whose clock is behind runs next. Queues and caches are the timing model's business; there are none here,
// but that a block's shared memory takes one instruction at a time.
#pragma once

#include <cstdint>

#include "sim/emu/machine.h"

namespace sassim::emu {

/// Cycles until the result of an instruction that a dependence counter guards is there.
std::uint16_t unloaded_latency(const MicroOp&);

/// False when the warp must wait for a result: its clock has then been set to when the result is there.
inline bool may_issue(Warp& warp, const MicroOp& op) {
  std::uint64_t ready = warp.time.now;
  for (std::uint32_t rest = op.wait_mask; rest != 0; rest &= rest - 1)
    ready = std::max(ready, warp.time.ready[static_cast<std::size_t>(std::countr_zero(rest))]);
  if (ready == warp.time.now) return true;
  warp.time.now = ready;
  return false;
}

/// Of the warps that can go on the one whose clock is behind; nullptr when none can.
Warp* warp_behind(Block&);

/// The clock after an instruction. False when its result must be waited for at once: code without dependence counters.
bool account(Context&, const MicroOp&);

}  // namespace sassim::emu
