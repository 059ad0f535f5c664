// SPDX-License-Identifier: Apache-2.0
// Executes one instruction of a live warp whenever the timing model issues it, and chooses which threads run next.
#include "sim/emu/core/step_warp.h"

#include <algorithm>
#include <limits>

#include "sim/emu/core/run_warp.h"

namespace sassim::emu {

void SteppedWarp::choose() {
  Fragment& fragment = warp_->fragments[warp_->current];
  fragment.released = false;
  fragment.place = Place::none;
  warp_->handover = Handover::turn_over;
  turn_left_ = kFragmentTurn;
  chosen_ = true;
}

SteppedWarp::State SteppedWarp::look_ahead(std::uint64_t now) {
  if (warp_->alive == 0) return State::ended;
  warp_->now = now;
  if (chosen_) return sleeps(*warp_, front()) ? State::waits : State::ready;
  const bool whole = warp_->fragments.size() == 1 && warp_->fragments[0].state == FragmentState::ready;
  if (whole) warp_->current = 0;
  if (!whole && !next_fragment(*warp_)) return State::waits;
  choose();
  return sleeps(*warp_, front()) ? State::waits : State::ready;
}

std::uint64_t SteppedWarp::wakes() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Fragment& f : warp_->fragments)
    if (sleeps(*warp_, f)) first = std::min(first, f.wakes);
  return first;
}

void SteppedWarp::step(Context& context, trace::Step& step) {
  const Program& program = *context.grid.program;
  Warp& warp = *warp_;
  context.fragment = &warp.fragments[warp.current];
  check_pc(context);
  const MicroOp& op = program.ops[context.fragment->pc];
  const std::uint32_t active = context.fragment->mask;
  const std::uint32_t mask = active & context.predicate(op.guard);
  ++warp.executed;
  context.outcome = Outcome::next;
  describe_step(op, active, mask, step);
  context.step = op.memory ? &step : nullptr;
  if (mask != 0 || op.always) op.execute(context, op, mask);
  after(context);
}

void SteppedWarp::after(const Context& context) {
  Warp& warp = *warp_;
  switch (context.outcome) {
    case Outcome::next:
      ++context.fragment->pc;
      break;
    case Outcome::yielded:
      ++context.fragment->pc;
      warp.handover = Handover::yields;
      chosen_ = warp.fragments.size() == 1;
      return;
    case Outcome::stopped:
      warp.handover = context.fragment ? Handover::waits : Handover::gone;
      chosen_ = false;
      return;
    case Outcome::again:
    case Outcome::moved:
      break;
  }
  if (warp.fragments.size() == 1)
    turn_left_ = kFragmentTurn;
  else if (--turn_left_ == 0)
    chosen_ = false;
}

}  // namespace sassim::emu
