// SPDX-License-Identifier: Apache-2.0
// Executes the instructions of a warp for the emulator until its turn is over or it waits.
#include "sim/emu/core/run_warp.h"

#include <span>
#include <utility>

namespace sassim::emu {
namespace {

/// Instructions that a warp runs before the other warps of its block get a turn.
constexpr std::uint64_t kWarpTurn = 256;

/// Runs the current fragment until it stops, yields or has used `turn` instructions.
template <bool kObserved>
void run_fragment(Context& context, std::uint64_t turn, Counters& counters) {
  const std::span<const MicroOp> ops = context.grid.program->ops;
  Recorder* recorder = context.grid.options->recorder;
  Warp& warp = context.warp;
  trace::Step step;
  context.fragment = &warp.fragments[warp.current];
  context.fragment->released = false;
  context.fragment->place = Place::none;
  warp.handover = Handover::turn_over;
  const std::uint64_t stop = warp.executed + turn;
  while (warp.executed < stop) {
    Fragment& fragment = *context.fragment;
    if (fragment.pc >= ops.size()) left_the_code(context);
    const MicroOp& op = ops[fragment.pc];
    const std::uint32_t active = fragment.mask;
    const std::uint32_t mask = active & context.predicate(op.guard);
    ++warp.executed;
    ++counters.warp_instructions;
    counters.thread_instructions += static_cast<std::uint64_t>(std::popcount(mask));
    context.outcome = Outcome::next;
    if constexpr (kObserved) {
      describe_step(op, active, mask, step);
      context.step = op.memory ? &step : nullptr;
    }
    if (mask != 0 || op.always) op.execute(context, op, mask);
    if (context.outcome == Outcome::again) {
      --warp.executed;
      --counters.warp_instructions;
      counters.thread_instructions -= static_cast<std::uint64_t>(std::popcount(mask));
      warp.handover = Handover::yields;
      return;
    }
    if constexpr (kObserved) recorder->step(context.block.id, warp.index, step);
    if (context.outcome == Outcome::next) {
      ++context.fragment->pc;
    } else if (context.outcome == Outcome::yielded) {
      ++context.fragment->pc;
      warp.handover = Handover::yields;
      return;
    } else if (context.outcome == Outcome::stopped) {
      warp.handover = context.fragment ? Handover::waits : Handover::gone;
      return;
    } else {
      context.fragment = &warp.fragments[warp.current];
    }
  }
}

}  // namespace

bool run_warp(Context& context, Counters& counters) {
  Warp& warp = context.warp;
  const bool observed = context.grid.options->recorder != nullptr;
  const std::uint64_t begin = warp.executed;
  while (warp.executed - begin < kWarpTurn) {
    std::uint64_t turn = std::exchange(warp.turn_left, 0);
    bool whole = false;
    if (turn == 0) {
      whole = warp.fragments.size() == 1 && warp.fragments[0].state == FragmentState::ready;
      if (!whole && !next_fragment(warp)) break;
      turn = whole ? kWarpTurn - (warp.executed - begin) : kFragmentTurn;
    }
    observed ? run_fragment<true>(context, turn, counters) : run_fragment<false>(context, turn, counters);
    // The warp has split, and its turn is over in the middle of a fragment: the same goes on next time.
    if (whole && warp.fragments.size() > 1 && warp.executed - begin >= kWarpTurn &&
        (context.outcome == Outcome::next || context.outcome == Outcome::moved))
      warp.turn_left = kFragmentTurn - kWarpTurn;
    if (context.outcome == Outcome::again && warp.fragments.size() == 1) return true;
    if (context.outcome == Outcome::yielded && warp.fragments.size() == 1) break;
  }
  return warp.executed != begin || context.outcome == Outcome::again;
}

void left_the_code(Context& context) {
  const Fragment& fragment = *context.fragment;
  MicroOp nowhere;
  nowhere.index = fragment.pc;
  context.fault(FaultKind::invalid_pc, nowhere, first_lane(fragment.mask),
                context.grid.kernel->layout().pc(fragment.pc), "execution ran past the kernel's end");
}

}  // namespace sassim::emu
