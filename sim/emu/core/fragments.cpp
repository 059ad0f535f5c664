// SPDX-License-Identifier: Apache-2.0
// Divergence and reconvergence: which threads of a warp run together.
//
// A convergence barrier is a mask of threads per warp. BSSY adds the threads that pass it, whatever region the threads
// already in the mask belong to. At BSYNC a thread waits until every living thread of the mask waits there or has
// yielded; then the mask is cleared. A thread that has yielded is not waited for until it runs again. An H200 behaves
// like this (validation/measured/h200/instructions.md#yield).
#include <algorithm>
#include <utility>

#include "sim/emu/core/cluster.h"
#include "sim/emu/core/machine.h"

namespace sassim::emu {
namespace {

/// Moves `lanes` from the current fragment to a copy of it. The reference stays valid until the next split.
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

/// Moves the fragment that was to run next to the pool, where threads at one PC become one fragment. The fragment that
/// has split off last takes its place, as on an H200 (validation/measured/h200/instructions.md#branches).
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

/// The last fragment of the warp has just split off and will run next.
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

/// Lets waiting fragments continue behind their barrier; fragments at the same PC are joined.
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

/// True if the fragment waits at a barrier that includes it. In recursive code a register holds the mask of an outer
/// call for a while; threads of that call wait but are not in the mask, and continue to wait.
bool takes_part(const Warp& warp, const Fragment& f) {
  return f.state == FragmentState::at_sync && (f.mask & warp.convergence[f.barrier]) != 0;
}

/// True if every thread of the barrier has arrived, or has yielded and not run since. The threads in `yielders` yield
/// at this moment; the barrier waits for them.
bool complete(const Warp& warp, std::uint8_t barrier, std::uint32_t yielders = 0) {
  std::uint32_t missing = warp.convergence[barrier] & warp.alive;
  for (const Fragment& f : warp.fragments)
    if (waits_at(f, barrier) || (f.place == Place::yielded && (f.mask & yielders) == 0)) missing &= ~f.mask;
  return missing == 0;
}

/// Lets the waiting threads continue and clears the mask, so that threads that come later pass.
void release_sync(Warp& warp, std::uint8_t barrier) {
  const std::uint32_t lanes = std::exchange(warp.convergence[barrier], 0);
  const auto here = [=](const Fragment& f) { return waits_at(f, barrier) && (lanes == 0 || (f.mask & lanes) != 0); };
  for (Fragment& f : warp.fragments)
    if (here(f)) f.place = Place::pool;
  resume_together(warp, here, true);
}

void remember_together(Warp& warp, std::uint32_t lanes) {
  for_lanes(lanes, [&](int lane) { warp.collective[static_cast<std::size_t>(lane)] = lanes; });
}

bool release_warp_sync(Warp& warp, const Fragment& waiting) {
  const std::uint32_t mask = waiting.sync_mask, wanted = mask & warp.alive, pc = waiting.pc;
  const auto here = [=](const Fragment& f) {
    return f.state == FragmentState::at_warp_sync && f.pc == pc && f.sync_mask == mask;
  };
  const bool collective = waiting.collective;
  std::uint32_t arrived = 0;
  int fragments = 0;
  for (const Fragment& f : warp.fragments)
    if (here(f)) arrived |= f.mask, ++fragments;
  if ((wanted & ~arrived) != 0) return false;
  for (const Fragment& f : warp.fragments)
    if (collective && here(f)) remember_together(warp, f.mask);
  // Threads that arrived in several fragments execute the instruction once more together: instruction counts of
  // hardware show it (validation/measured/h200/instructions.md#branches).
  for (Fragment& f : warp.fragments)
    if (here(f)) f.joined = fragments > 1;
  resume_together(warp, here, fragments == 1);
  return true;
}

/// Fragments at one PC stay apart unless a barrier joins them, which an H200's counts of executed warp instructions
/// show (validation/measured/h200/instructions.md#branches): they may be at different depths of a recursion, and would
/// wait for each other. Fragments that a block barrier has just released do join.
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
  // The smaller side runs first; on a tie, the side that falls through.
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
  if (context.block.cluster) check_cluster_barrier(*context.block.cluster);
  if (context.outcome != Outcome::stopped) {
    context.fragment = &warp.fragments[warp.current];
    ++context.fragment->pc;
    context.outcome = Outcome::moved;
  }
}

void wait_at_sync(Context& context, std::uint8_t barrier, std::uint32_t lanes) {
  Warp& warp = context.warp;
  if (lanes != context.fragment->mask) {  // the other lanes continue
    Fragment& others = split(context, context.fragment->mask & ~lanes);
    ++others.pc;
    others.place = Place::pool;
  }
  if ((warp.convergence[barrier] & lanes) == 0) return;  // these lanes are not in the barrier's mask
  context.fragment->state = FragmentState::at_sync;
  context.fragment->barrier = barrier;
  context.outcome = Outcome::stopped;
  if (complete(warp, barrier)) release_sync(warp, barrier);
}

void wait_at_warp_sync(Context& context, const std::uint32_t* masks, std::uint32_t lanes, WarpSyncKind kind) {
  const bool collective = kind == WarpSyncKind::collective;
  if (lanes != context.fragment->mask) {
    Fragment& others = split(context, context.fragment->mask & ~lanes);
    ++others.pc;
  }
  const auto wait = [collective](Fragment& fragment, std::uint32_t mask) {
    fragment.state = FragmentState::at_warp_sync;
    fragment.sync_mask = mask;
    fragment.collective = collective;
    fragment.asks = false;
  };
  std::uint32_t wanted = 0;
  for_lanes(lanes, [&](int lane) { wanted |= masks[lane]; });
  const bool all_here = (wanted & context.warp.alive & ~lanes) == 0;
  const bool joined = std::exchange(context.fragment->joined, false);
  if (all_here && (kind == WarpSyncKind::plain || joined)) return;
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

void end_collective(Context& context) {
  for (std::uint32_t left = context.fragment->mask;;) {
    const std::uint32_t together = left & context.warp.collective[static_cast<std::size_t>(first_lane(left))];
    left &= ~together;
    if (left == 0 || together == 0) return;
    ++split(context, together).pc;
  }
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

/// Threads of the pool take turns by lane: how far the fragment's next lane lies behind the lane that ran last.
int distance(const Warp& warp, const Fragment& f) {
  return std::countr_zero(std::rotr(f.mask, (warp.last_lane + 1) % 32));
}

/// Threads that WARPSYNC has parted are not in the pool: they stay apart, although they are at the same PC.
bool pooled(const Fragment& f) {
  return f.state == FragmentState::ready && (f.place == Place::pool || f.place == Place::yielded);
}

/// Waits at the WARPSYNC that `coming` has reached, for all of its threads.
bool expects(const Fragment& waiting, const Fragment& coming) {
  return waiting.state == FragmentState::at_warp_sync && (coming.mask & ~waiting.sync_mask) == 0;
}

/// Runs the fragment. If it is in the pool, the other fragments of the pool at the same PC join it, and so do fragments
/// that wait at this PC for its threads. The joined threads execute the WARPSYNC at this PC together: for those that
/// waited it is the second time. An H200's instruction counts show this
/// (validation/measured/h200/instructions.md#branches).
void go_on(Warp& warp, std::size_t index) {
  warp.current = index;
  const bool alone = !pooled(warp.fragments[index]);
  warp.fragments[index].place = Place::none;
  if (alone) return;
  for (std::size_t i = 0; i < warp.fragments.size();) {
    Fragment& current = warp.fragments[warp.current];
    const Fragment& other = warp.fragments[i];
    const bool joins = (pooled(other) && !sleeps(warp, other)) || expects(other, current);
    if (i != warp.current && joins && other.pc == current.pc) {
      current.mask |= warp.fragments[i].mask;
      erase(warp, i);
    } else {
      ++i;
    }
  }
}

/// Runs the next fragment by lane, among those of the pool, those at a convergence barrier that waits only for threads
/// that have yielded, and those at a WARPSYNC, which execute it again after each yield of others: instruction counts of
/// hardware show this (validation/measured/h200/instructions.md#yield). The threads in `yielders` yield at this moment
/// and do not run.
bool take_from_pool(Warp& warp, std::uint32_t yielders) {
  std::vector<Fragment>& all = warp.fragments;
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Fragment& f = all[i];
    if ((f.mask & yielders) != 0 || sleeps(warp, f)) continue;
    const bool can =
        f.state == FragmentState::ready || f.asks || (takes_part(warp, f) && complete(warp, f.barrier, yielders));
    if (can && (best == all.size() || distance(warp, f) < distance(warp, all[best]))) best = i;
  }
  if (best == all.size()) return false;
  if (all[best].state == FragmentState::at_sync) {
    const std::uint32_t lanes = all[best].mask;
    release_sync(warp, all[best].barrier);
    best = 0;
    while ((all[best].mask & lanes) == 0) ++best;
  }
  if (all[best].state == FragmentState::at_warp_sync) all[best].state = FragmentState::ready;
  all[best].asks = false;
  go_on(warp, best);
  warp.last_lane = 31 - std::countl_zero(all[warp.current].mask);
  return true;
}

/// Only threads that have yielded could run: the first barrier stops waiting.
bool give_up_a_barrier(Warp& warp) {
  for (const Fragment& f : warp.fragments)
    // Other warps of the block will release this barrier, or these threads wake up.
    if (f.state == FragmentState::at_barrier || sleeps(warp, f)) return false;
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
  if (warp.handover == Handover::waits &&
      last->state == FragmentState::ready) {  // the event that it waited for has happened
    go_on(warp, warp.current);
    return true;
  }
  if (yields && last->place != Place::yielded) {
    last->place = Place::yielded;
    for (Fragment& f : all) f.asks = f.state == FragmentState::at_warp_sync;
  }
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
