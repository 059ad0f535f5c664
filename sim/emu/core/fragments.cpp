// SPDX-License-Identifier: Apache-2.0
// Divergence and reconvergence: which threads of a warp run together.
//
// A convergence barrier is a mask of threads per warp: BSSY adds those that pass it, whatever region the others in it
// are in; at BSYNC threads wait until all in it that still live are there or have yielded, and then it is empty. Who
// has yielded is no longer waited for, until it runs again. So it is on an H200 (validation/hardware/h200/yield.md).
#include <algorithm>
#include <utility>

#include "sim/emu/core/machine.h"

namespace sassim::emu {
namespace {

/// A copy of the current fragment for `lanes`, which leave it. The reference stays valid until the next split.
Fragment& split(Context& context, std::uint32_t lanes) {
  Warp& warp = context.warp;
  context.fragment->mask &= ~lanes;
  warp.fragments.push_back(*context.fragment);
  context.fragment = &warp.fragments[warp.current];
  warp.fragments.back().mask = lanes;
  return warp.fragments.back();
}

void drop_current(Context& context) {
  Warp& warp = context.warp;
  warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(warp.current));
  warp.current = warp.fragments.empty() ? 0 : warp.current % warp.fragments.size();
  context.fragment = nullptr;
  context.outcome = Outcome::stopped;
}

void erase(Warp& warp, std::size_t index) {
  warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
  if (warp.current > index) --warp.current;
}

/// The fragment that has just split off goes next; the one that was to go next joins the pool, where threads at one PC
/// become one fragment. So it is on an H200 (validation/hardware/h200/branches.md).
void send_to_pool(Warp& warp, std::size_t index) {
  std::vector<Fragment>& all = warp.fragments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == index || all[i].place != Place::pool || all[i].pc != all[index].pc) continue;
    all[i].mask |= all[index].mask;
    erase(warp, index);
    return;
  }
  all[index].place = Place::pool;
}

/// For the last fragment, which has just split off.
void put_next(Context& context) {
  Warp& warp = context.warp;
  for (std::size_t i = 0; i < warp.fragments.size(); ++i)
    if (warp.fragments[i].place == Place::next) {
      send_to_pool(warp, i);
      break;
    }
  warp.fragments.back().place = Place::next;
  context.fragment = &warp.fragments[warp.current];
}

/// Waiting fragments go on behind their barrier; those at one place go on as one.
template <class F>
void resume_together(Warp& warp, F belongs, bool advance) {
  std::vector<Fragment>& all = warp.fragments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!belongs(all[i])) continue;
    for (std::size_t j = i + 1; j < all.size();) {
      if (belongs(all[j]) && all[j].pc == all[i].pc) {
        all[i].mask |= all[j].mask;
        if (warp.current == j) warp.current = i;
        erase(warp, j);
      } else {
        ++j;
      }
    }
    all[i].state = FragmentState::ready;
    if (advance) ++all[i].pc;
  }
}

bool waits_at(const Fragment& f, std::uint8_t barrier) {
  return f.state == FragmentState::at_sync && f.barrier == barrier;
}

/// Waits and takes part: code that calls itself keeps the masks of outer calls in registers for a while, and their
/// threads wait on.
bool takes_part(const Warp& warp, const Fragment& f) {
  return f.state == FragmentState::at_sync && (f.mask & warp.convergence[f.barrier]) != 0;
}

/// All that take part have arrived, or have yielded and not run since: those are not waited for. `yielders` have
/// yielded just now, and do not count.
bool complete(const Warp& warp, std::uint8_t barrier, std::uint32_t yielders = 0) {
  std::uint32_t missing = warp.convergence[barrier] & warp.alive;
  for (const Fragment& f : warp.fragments)
    if (waits_at(f, barrier) || (f.place == Place::yielded && (f.mask & yielders) == 0)) missing &= ~f.mask;
  return missing == 0;
}

/// Who waits goes on, and the barrier forgets who took part: those who come later pass.
void release_sync(Warp& warp, std::uint8_t barrier) {
  const std::uint32_t lanes = std::exchange(warp.convergence[barrier], 0);
  const auto here = [=](const Fragment& f) { return waits_at(f, barrier) && (lanes == 0 || (f.mask & lanes) != 0); };
  for (Fragment& f : warp.fragments)
    if (here(f)) f.place = Place::pool;
  resume_together(warp, here, true);
}

bool release_warp_sync(Warp& warp, const Fragment& waiting) {
  const std::uint32_t mask = waiting.sync_mask, wanted = mask & warp.alive, pc = waiting.pc;
  const auto here = [=](const Fragment& f) {
    return f.state == FragmentState::at_warp_sync && f.pc == pc && f.sync_mask == mask;
  };
  std::uint32_t arrived = 0;
  int fragments = 0;
  for (const Fragment& f : warp.fragments)
    if (here(f)) arrived |= f.mask, ++fragments;
  if ((wanted & ~arrived) != 0) return false;
  // Threads that came apart execute the instruction once more together, by an H200's counts.
  resume_together(warp, here, fragments == 1);
  return true;
}

/// Only barriers bring together what has run: fragments that happen to be at one PC stay apart, as on an H200 (by its
/// counts of executed warp instructions). They may be at different depths of a recursion, and would wait for each
/// other. Here are those that a barrier of the block has just let go.
bool joinable(const Fragment& a, const Fragment& b) {
  return a.state == FragmentState::ready && b.state == FragmentState::ready && a.pc == b.pc && a.released && b.released;
}

void merge(Warp& warp) {
  for (std::size_t i = 0; i < warp.fragments.size(); ++i)
    for (std::size_t j = i + 1; j < warp.fragments.size();) {
      if (!joinable(warp.fragments[i], warp.fragments[j])) {
        ++j;
        continue;
      }
      warp.fragments[i].mask |= warp.fragments[j].mask;
      if (warp.current == j) warp.current = i;
      erase(warp, j);
    }
}

}  // namespace

void branch(Context& context, std::uint32_t taken, std::uint32_t target) {
  if (taken == 0) return;
  context.outcome = Outcome::moved;
  if (taken == context.fragment->mask) {
    context.fragment->pc = target;
    return;
  }
  Fragment& others = split(context, taken);
  others.pc = target;
  ++context.fragment->pc;
  // The smaller side goes first, on a tie the one that falls through.
  if (std::popcount(taken) < std::popcount(context.fragment->mask)) std::swap(*context.fragment, others);
  put_next(context);
}

void branch_each(Context& context, const std::uint32_t* targets, std::uint32_t lanes) {
  context.outcome = Outcome::moved;
  while (lanes != 0) {
    const std::uint32_t target = targets[first_lane(lanes)];
    std::uint32_t together = 0;
    for_lanes(lanes, [&](int lane) { together |= targets[lane] == target ? 1u << lane : 0u; });
    lanes &= ~together;
    if (together == context.fragment->mask) {
      context.fragment->pc = target;
      return;
    }
    Fragment& others = split(context, together);
    others.pc = target;
    others.place = Place::pool;
  }
  ++context.fragment->pc;
}

void exit_lanes(Context& context, std::uint32_t lanes) {
  Warp& warp = context.warp;
  ++context.grid.changes;
  warp.alive &= ~lanes;
  context.fragment->mask &= ~lanes;
  if (context.fragment->mask == 0) drop_current(context);
  if (warp.alive == 0) --context.block.alive_warps;
  release_waiters(warp);
  check_barriers(context.block);
  if (context.outcome != Outcome::stopped) {
    context.fragment = &warp.fragments[warp.current];
    ++context.fragment->pc;
    context.outcome = Outcome::moved;
  }
}

void wait_at_sync(Context& context, std::uint8_t barrier, std::uint32_t lanes) {
  Warp& warp = context.warp;
  if (lanes != context.fragment->mask) {  // the others go on
    Fragment& others = split(context, context.fragment->mask & ~lanes);
    ++others.pc;
    others.place = Place::pool;
  }
  if ((warp.convergence[barrier] & lanes) == 0) return;  // they take no part
  context.fragment->state = FragmentState::at_sync;
  context.fragment->barrier = barrier;
  context.outcome = Outcome::stopped;
  if (complete(warp, barrier)) release_sync(warp, barrier);
}

void wait_at_warp_sync(Context& context, const std::uint32_t* masks, std::uint32_t lanes, bool exclusive) {
  if (lanes != context.fragment->mask) {
    Fragment& others = split(context, context.fragment->mask & ~lanes);
    ++others.pc;
  }
  const auto wait = [](Fragment& fragment, std::uint32_t mask) {
    fragment.state = FragmentState::at_warp_sync;
    fragment.sync_mask = mask;
  };
  std::uint32_t wanted = 0;
  for_lanes(lanes, [&](int lane) { wanted |= masks[lane]; });
  if (!exclusive && (wanted & context.warp.alive & ~lanes) == 0) return;  // all are here: they go on as they came
  for (std::uint32_t rest = context.fragment->mask;;) {
    const std::uint32_t mask = masks[first_lane(rest)];
    std::uint32_t together = 0;
    for_lanes(rest, [&](int lane) { together |= masks[lane] == mask ? 1u << lane : 0u; });
    rest &= ~together;
    wait(rest == 0 ? *context.fragment : split(context, together), mask);
    if (rest == 0) break;
  }
  context.outcome = Outcome::stopped;
  release_waiters(context.warp);
}

void release_waiters(Warp& warp) {
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t i = 0; i < warp.fragments.size() && !again; ++i)
      if (warp.fragments[i].state == FragmentState::at_warp_sync) again = release_warp_sync(warp, warp.fragments[i]);
  }
}

namespace {

/// How far behind the lane that went last the fragment's next lane is: the pool's threads take turns by lane.
int distance(const Warp& warp, const Fragment& f) {
  return std::countr_zero(std::rotr(f.mask, (warp.last_lane + 1) % 32));
}

/// Threads that WARPSYNC has parted are in no pool: they stay apart, though they are at one place.
bool pooled(const Fragment& f) {
  return f.state == FragmentState::ready && (f.place == Place::pool || f.place == Place::yielded);
}

/// Waits at the WARPSYNC that the fragment comes to, for all of it.
bool expects(const Fragment& waiting, const Fragment& coming) {
  return waiting.state == FragmentState::at_warp_sync && (coming.mask & ~waiting.sync_mask) == 0;
}

/// The fragment runs, with those of the pool that are at the same place. So do, behind one of the pool, those that wait
/// for it there: they execute their WARPSYNC once more with it, and it none alone (by an H200's counts).
void go_on(Warp& warp, std::size_t index) {
  warp.current = index;
  const bool alone = !pooled(warp.fragments[index]);
  warp.fragments[index].place = Place::none;
  if (alone) return;
  for (std::size_t i = 0; i < warp.fragments.size();) {
    Fragment& current = warp.fragments[warp.current];
    const Fragment& other = warp.fragments[i];
    if (i != warp.current && (pooled(other) || expects(other, current)) && other.pc == current.pc) {
      current.mask |= warp.fragments[i].mask;
      erase(warp, i);
    } else {
      ++i;
    }
  }
}

/// Of the pool, and of those at convergence barriers that wait for nobody but threads that have yielded, the next by
/// lane. `yielders` want others to run.
bool take_from_pool(Warp& warp, std::uint32_t yielders) {
  std::vector<Fragment>& all = warp.fragments;
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Fragment& f = all[i];
    if ((f.mask & yielders) != 0) continue;
    const bool can = f.state == FragmentState::ready || (takes_part(warp, f) && complete(warp, f.barrier, yielders));
    if (can && (best == all.size() || distance(warp, f) < distance(warp, all[best]))) best = i;
  }
  if (best == all.size()) return false;
  if (all[best].state == FragmentState::at_sync) {
    const std::uint32_t lanes = all[best].mask;
    release_sync(warp, all[best].barrier);
    best = 0;
    while ((all[best].mask & lanes) == 0) ++best;
  }
  go_on(warp, best);
  warp.last_lane = 31 - std::countl_zero(all[warp.current].mask);
  return true;
}

/// Nobody can run but who has yielded: the first barrier gives up waiting.
bool give_up_a_barrier(Warp& warp) {
  for (const Fragment& f : warp.fragments)
    if (f.state == FragmentState::at_barrier) return false;  // the block's other warps will let it go
  std::uint8_t first = 0xff;
  for (const Fragment& f : warp.fragments)
    if (f.state == FragmentState::at_sync) first = std::min(first, f.barrier);
  if (first == 0xff) return false;
  release_sync(warp, first);
  return true;
}

}  // namespace

bool next_fragment(Warp& warp) {
  std::vector<Fragment>& all = warp.fragments;
  if (all.size() > 1) merge(warp);
  if (all.empty()) return false;
  Fragment* const last = warp.handover == Handover::gone ? nullptr : &all[warp.current];
  const bool yields = warp.handover == Handover::yields;
  if (warp.handover == Handover::waits && last->state == FragmentState::ready) {  // what it waited for has come
    go_on(warp, warp.current);
    return true;
  }
  if (yields) last->place = Place::yielded;
  if (warp.handover == Handover::turn_over) {
    if (last && last->state == FragmentState::ready) {
      warp.last_lane = 31 - std::countl_zero(last->mask);
      last->place = Place::pool;
    }
    for (Fragment& f : all)
      if (f.place == Place::next) f.place = Place::pool;
  } else {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].place == Place::next && all[i].state == FragmentState::ready) {
        go_on(warp, i);
        return true;
      }
  }
  const std::uint32_t yielders = yields ? last->mask : 0;
  if (take_from_pool(warp, yielders)) return true;
  if (give_up_a_barrier(warp) && take_from_pool(warp, yielders)) return true;
  return yields && take_from_pool(warp, 0);
}

}  // namespace sassim::emu
