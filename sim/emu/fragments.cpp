// SPDX-License-Identifier: Apache-2.0
// Divergence and reconvergence: which threads of a warp run together.
//
// A convergence barrier (BSSY) remembers the threads that pass it; BSYNC waits until all of them that still live are
// there. The mask is kept per lane, because both sides of a branch may use one barrier register for different inner
// regions.
#include <algorithm>

#include "sim/emu/machine.h"

namespace sassim::emu {
namespace {

/// Yields after which a fragment is taken to wait for others of its warp. Barriers keep threads together on hardware
/// too, so it is not the first one.
constexpr std::uint32_t kPatience = 64;

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

/// The lanes that `fragment` waits for at its convergence barrier.
std::uint32_t awaited(const Warp& warp, const Fragment& fragment) {
  return warp.convergence[fragment.barrier][first_lane(fragment.mask)] & warp.alive;
}

void erase(Warp& warp, std::size_t index) {
  warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
  if (warp.current > index) --warp.current;
}

/// The fragment that has just split off goes next; the one that was to go next joins the pool, where threads at one PC
/// become one fragment. So it is on an H200 (validation/hardware/NOTES-h200.md, divergence).
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
        all[i].yields = 0;
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

bool release_sync(Warp& warp, const Fragment& waiting) {
  const std::uint32_t own = waiting.mask, wanted = awaited(warp, waiting);
  const std::uint8_t barrier = waiting.barrier;
  // Threads deeper in a recursion use the same barrier register for threads of their own: they have not arrived here.
  const auto here = [&](const Fragment& f) {
    return f.state == FragmentState::at_sync && f.barrier == barrier &&
           ((awaited(warp, f) & own) != 0 || (f.mask & own) != 0) && (f.mask & ~(wanted | own)) == 0;
  };
  std::uint32_t arrived = 0;
  for (const Fragment& f : warp.fragments)
    if (here(f)) arrived |= f.mask;
  if ((wanted & ~arrived) != 0) return false;
  resume_together(warp, here, true);
  return true;
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
    split(context, together).pc = target;
  }
  ++context.fragment->pc;
}

void exit_lanes(Context& context, std::uint32_t lanes) {
  Warp& warp = context.warp;
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
  }
  // Lanes that wait for different sets of threads wait on their own; those outside of the barrier do not wait.
  const auto& masks = warp.convergence[barrier];
  for (std::uint32_t rest = context.fragment->mask; rest != 0;) {
    const std::uint32_t wanted = masks[first_lane(rest)];
    std::uint32_t together = 0;
    for_lanes(rest, [&](int lane) { together |= masks[lane] == wanted ? 1u << lane : 0u; });
    rest &= ~together;
    if (rest == 0) break;
    Fragment& apart = split(context, together);
    apart.state = FragmentState::at_sync;
    apart.barrier = barrier;
  }
  context.fragment->state = FragmentState::at_sync;
  context.fragment->barrier = barrier;
  context.outcome = Outcome::stopped;
  release_waiters(warp);
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
    for (std::size_t i = 0; i < warp.fragments.size() && !again; ++i) {
      const Fragment& f = warp.fragments[i];
      if (f.state == FragmentState::at_sync)
        again = release_sync(warp, f);
      else if (f.state == FragmentState::at_warp_sync)
        again = release_warp_sync(warp, f);
    }
  }
}

void give_way(Context& context) {
  Warp& warp = context.warp;
  if (++context.fragment->yields % kPatience != 0) return;
  std::uint32_t spinning = 0;
  for (const Fragment& f : warp.fragments)
    if (f.yields >= kPatience) spinning |= f.mask;
  for (const Fragment& f : warp.fragments) {
    if (f.state != FragmentState::at_sync) continue;
    // All that take part are told, also those on their way there: nobody waits for threads that have gone on.
    auto& masks = warp.convergence[f.barrier];
    const std::uint32_t all = awaited(warp, f), absent = all & spinning & ~f.mask, others = all & ~absent;
    for_lanes(others, [&](int lane) { masks[static_cast<std::size_t>(lane)] &= ~absent; });
    for_lanes(absent, [&](int lane) { masks[static_cast<std::size_t>(lane)] &= ~others; });
  }
  release_waiters(warp);
  context.fragment = &warp.fragments[warp.current];
}

bool next_fragment(Warp& warp) {
  if (warp.fragments.size() > 1) merge(warp);
  const std::size_t count = warp.fragments.size();
  const auto ready = [&](std::size_t i) { return warp.fragments[i].state == FragmentState::ready; };
  if (warp.handover == Handover::waits && ready(warp.current)) return true;  // what it waited for has come
  if (warp.handover != Handover::turn_over)
    for (std::size_t i = 0; i < count; ++i)
      if (warp.fragments[i].place == Place::next && ready(i)) {
        warp.current = i;
        return true;
      }
  for (std::size_t step = 1; step <= count; ++step) {
    const std::size_t candidate = (warp.current + step) % count;
    if (ready(candidate)) {
      warp.current = candidate;
      return true;
    }
  }
  return false;
}

}  // namespace sassim::emu
