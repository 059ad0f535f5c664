// SPDX-License-Identifier: Apache-2.0
// Rough time for kernels with compare-and-swap loops. How often such an operation fails depends on what other warps do
// between the read of the old value and the swap. So their warps do not run for long stretches: each has a clock that
// goes on by the compiler's stall counts and waits for results as the dependence counters say, with unloaded latencies,
// and the warp whose clock is behind runs next. Queues and caches are the timing model's business; there are none here,
// but that a block's shared memory takes one instruction at a time, and that the first access to a line takes longer.
#pragma once

#include <cstdint>

#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_access.h"
#include "sim/emu/order/rough_sm.h"

namespace sassim::emu {

/// Cycles until the result of an instruction that a dependence counter guards is there.
std::uint16_t unloaded_latency(const MicroOp&);

/// False when the warp must wait, for a result, for shared memory or for warps that are behind: its clock has then been
/// set to when it may go on.
bool may_issue(Context&, const MicroOp&);

/// Of the warps that can go on the one whose clock is behind; nullptr when none can. `ran`: the one that has run since
/// the last time, nullptr at first.
Warp* warp_behind(Block&, const Warp* ran);

/// May an access to global memory, or a fence, of a kernel whose blocks compete go now? As may_issue().
bool may_access(Context&, const MicroOp&);
/// A load or an atomic operation in a kernel whose blocks compete, which the L1 has no part in: when its result
/// `arrives`.
void go_to_l2(Context&, const MicroOp&, const Lanes64& addresses, std::uint32_t lanes);
/// A plain load in a kernel whose blocks compete: its lanes get what the SM's L1 has, and `arrives` when.
void load_through_l1(Context&, const Lanes64& addresses, std::uint32_t lanes, Access&);

/// A store in a kernel whose blocks compete: others of its SM see it now, other SMs when its turn has come.
void post(Context&, PostedStore);
/// The first of those who wait in the queue is a store, and its turn has come.
void go_on_with_store(Grid&, RoughSm&, RoughSm::Queue&, std::uint64_t now);
/// What the SM's stores write is written now: memory is about to be freed.
void finish_stores(RoughSm&);
/// Chooses who is next in a queue, if nobody has been chosen. The warp, which has its time then; nullptr: none, or a
/// store that waits.
Warp* choose_next(RoughSm::Queue&);

/// The clock after an instruction, which has done nothing if no lane's guard was true. False when its result must be
/// waited for at once: code without dependence counters.
bool account(Context&, const MicroOp&, bool done);

}  // namespace sassim::emu
