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

void resume(Fragment& fragment) {
  fragment.state = FragmentState::ready;
  fragment.released = true;
  ++fragment.pc;
}

bool release_sync(Warp& warp, const Fragment& waiting) {
  const std::uint32_t wanted = awaited(warp, waiting);
  const std::uint8_t barrier = waiting.barrier;
  std::uint32_t arrived = 0;
  for (const Fragment& f : warp.fragments)
    if (f.state == FragmentState::at_sync && f.barrier == barrier) arrived |= f.mask;
  const std::uint32_t own = waiting.mask;
  if ((wanted & ~arrived) != 0) return false;
  for (Fragment& f : warp.fragments)
    if (f.state == FragmentState::at_sync && f.barrier == barrier && (f.mask & ~(wanted | own)) == 0) resume(f);
  return true;
}

bool release_warp_sync(Warp& warp, const Fragment& waiting) {
  const std::uint32_t wanted = waiting.sync_mask & warp.alive;
  const std::uint32_t pc = waiting.pc, own = waiting.mask;
  const auto here = [&](const Fragment& f) { return f.state == FragmentState::at_warp_sync && f.pc == pc; };
  std::uint32_t arrived = 0;
  for (const Fragment& f : warp.fragments)
    if (here(f)) arrived |= f.mask;
  if ((wanted & ~arrived) != 0) return false;
  for (Fragment& f : warp.fragments)
    if (here(f) && (f.mask & ~(wanted | own)) == 0) resume(f);
  return true;
}

/// Two ready fragments at one PC join when a barrier brought them together, or when nothing tells them apart.
bool joinable(const Fragment& a, const Fragment& b) {
  return a.state == FragmentState::ready && b.state == FragmentState::ready && a.pc == b.pc &&
         ((a.released && b.released) || (a.ur == b.ur && a.up == b.up));
}

void merge(Warp& warp) {
  for (std::size_t i = 0; i < warp.fragments.size(); ++i) {
    Fragment& into = warp.fragments[i];
    for (std::size_t j = i + 1; j < warp.fragments.size();) {
      if (!joinable(into, warp.fragments[j])) {
        ++j;
        continue;
      }
      into.mask |= warp.fragments[j].mask;
      warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(j));
      if (warp.current == j)
        warp.current = i;
      else if (warp.current > j)
        --warp.current;
    }
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
  split(context, taken).pc = target;
  ++context.fragment->pc;
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

void wait_at_warp_sync(Context& context, std::uint32_t mask, std::uint32_t lanes) {
  if (lanes != context.fragment->mask) {
    Fragment& others = split(context, context.fragment->mask & ~lanes);
    ++others.pc;
  }
  context.fragment->state = FragmentState::at_warp_sync;
  context.fragment->sync_mask = mask;
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

bool next_fragment(Warp& warp) {
  if (warp.fragments.size() > 1) merge(warp);
  const std::size_t count = warp.fragments.size();
  for (std::size_t step = 1; step <= count; ++step) {
    const std::size_t candidate = (warp.current + step) % count;
    if (warp.fragments[candidate].state == FragmentState::ready) {
      warp.current = candidate;
      return true;
    }
  }
  return false;
}

}  // namespace sassim::emu
