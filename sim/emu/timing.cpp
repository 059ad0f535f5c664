// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/timing.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/emu/address_space.h"
#include "sim/emu/rough_sm.h"

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/NOTES-h200.md).
constexpr std::uint16_t kSharedLatency = 30;
constexpr std::uint64_t kSharedInterval = 2, kAtomicInterval = 2;  ///< of any instruction; for each lane on one word
constexpr std::uint64_t kAtomicReturn = 2;                         ///< what comes back, for each further lane on a word
constexpr std::uint16_t kGlobalLatency = 280;                      ///< from the L2
constexpr std::uint64_t kL1Latency = 33;
constexpr std::uint64_t kPatience = 744;  ///< cycles that a request may wait at the L2 before it holds up its SM
constexpr std::uint16_t kOtherLatency = 20;
constexpr std::uint16_t kGpuFence = 400, kSystemFence = 1050;  ///< with the store before it
constexpr unsigned kLineShift = 7, kSectorShift = 5;

bool is_shared(const MicroOp& op) { return op.memory && op.space == static_cast<std::uint8_t>(isa::Space::shared); }
bool is_global(const MicroOp& op) {
  return op.memory && (op.space == static_cast<std::uint8_t>(isa::Space::global) ||
                       op.space == static_cast<std::uint8_t>(isa::Space::generic));
}

/// A request leaves the SM now; when its answer arrives. Those behind it wait until the L2 takes it.
std::uint64_t send(Grid& grid, RoughSm& sm, std::uint64_t now, std::uint64_t address, Request request) {
  const RoughMemory::Answer answer = grid.behind.ask(now, address, request, sm.halves, sm.upper);
  sm.memory_free = std::max(sm.memory_free, answer.begins - std::min(answer.begins, kPatience));
  return answer.arrives;
}

/// The SM's way to the L2 takes a request per cycle.
void take_way(RoughSm& sm, std::uint64_t now, std::uint64_t requests) {
  sm.memory_free = std::max(sm.memory_free, now + requests);
}

bool in_l1(Context& context, const MicroOp& op) {
  Lanes64 addresses;
  lane_addresses(context, op.address, addresses);
  RoughL1& l1 = context.block.sm->l1;
  std::uint64_t sector = ~std::uint64_t{0};
  for (std::uint32_t rest = context.fragment->mask & context.predicate(op.guard); rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses.v[first_lane(rest)];
    if (address >> kSectorShift != std::exchange(sector, address >> kSectorShift) && !l1.has(address)) return false;
  }
  return true;
}

/// Warps go to the L2 in the order in which they came: one is next, at its `now`, the others wait behind it. Stores are
/// posted, and what the L1 has needs nothing of the L2.
bool may_access(Context& context, const MicroOp& op) {
  WarpTime& time = context.warp.time;
  RoughSm& sm = *context.block.sm;
  if (std::exchange(time.admitted, false)) {
    sm.next = false;
    return true;
  }
  if (!sm.busy(time.now) || (op.stores && !op.atomic) || (op.plain && in_l1(context, op))) return true;
  if (sm.next || !sm.waiting.empty()) {
    sm.waiting.push_back({.warp = &context.warp});
    time.parked = true;
    return false;
  }
  time.now = sm.memory_free;
  time.admitted = sm.next = true;
  return false;
}

}  // namespace

std::uint16_t unloaded_latency(const MicroOp& op) {
  if (op.fence) return op.mode != 0 ? kSystemFence : kGpuFence;
  if (op.write_counter == isa::kNoCounter && !op.contends) return 0;
  return is_shared(op) ? kSharedLatency : is_global(op) ? kGlobalLatency : kOtherLatency;
}

bool may_issue(Context& context, const MicroOp& op) {
  WarpTime& time = context.warp.time;
  std::uint64_t ready = time.now;
  for (std::uint32_t rest = op.wait_mask; rest != 0; rest &= rest - 1)
    ready = std::max(ready, time.ready[static_cast<std::size_t>(std::countr_zero(rest))]);
  if (ready != time.now) {
    time.now = time.since = ready;
    return false;
  }
  if (op.memory && time.now != context.block.now) return false;  // others may be behind
  if ((is_global(op) || op.fence) && context.block.sm) return may_access(context, op);
  if (!is_shared(op) || context.block.shared_free <= time.now) return true;
  time.now = context.block.shared_free;
  return false;
}

void go_to_l2(Context& context, const MicroOp& op, const Lanes64& addresses, std::uint32_t lanes) {
  RoughSm& sm = *context.block.sm;
  const std::uint64_t now = context.warp.time.now;
  std::uint64_t arrives = 0, requests = 0, last = ~std::uint64_t{0};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses.v[first_lane(rest)], before = std::exchange(last, address);
    // Lanes on one line share a request; atomic operations on one word do not.
    if (address >> kLineShift == before >> kLineShift && !(op.atomic && address == before)) continue;
    ++requests;
    arrives = std::max(arrives, send(context.grid, sm, now, address, op.atomic ? Request::atomic : Request::load));
  }
  take_way(sm, now, requests);
  context.arrives = arrives;
}

void perform(Grid& grid, RoughSm& sm, const PostedStore& store, std::uint64_t now) {
  std::uint64_t requests = 0, last = ~std::uint64_t{0};
  for (const PostedStore::Lane& lane : store.lanes) {
    std::memcpy(lane.at, lane.bytes.data(), store.bytes);
    if (lane.address >> kLineShift == std::exchange(last, lane.address >> kLineShift)) continue;
    ++requests;
    send(grid, sm, now, lane.address, Request::store);
  }
  take_way(sm, now, requests);
}

void finish_stores(RoughSm& sm) {
  for (RoughSm::Waiting& waiting : sm.waiting) {
    for (const PostedStore::Lane& lane : waiting.store.lanes)
      std::memcpy(lane.at, lane.bytes.data(), waiting.store.bytes);
    waiting.store.lanes.clear();
  }
}

void post(Context& context, PostedStore store) {
  RoughSm& sm = *context.block.sm;
  for (const PostedStore::Lane& lane : store.lanes) sm.l1.store(lane.address, lane.bytes.data(), store.bytes);
  store.time = context.warp.time.now;
  if (sm.busy(store.time))
    sm.waiting.push_back({.store = std::move(store)});
  else
    perform(context.grid, sm, store, store.time);
}

Warp* choose_next(RoughSm& sm) {
  if (sm.next || sm.waiting.empty()) return nullptr;
  sm.next = true;
  Warp* warp = sm.waiting.front().warp;
  if (!warp) return nullptr;
  sm.waiting.pop_front();
  warp->time.now = std::max(warp->time.now, sm.memory_free);
  warp->time.parked = false;
  warp->time.admitted = true;
  warp->block->turns[warp->index] = {warp->time.now, warp->time.since};
  return warp;
}

void load_through_l1(Context& context, const Lanes64& addresses, std::uint32_t lanes, Access& to) {
  std::uint64_t arrives = context.warp.time.now + kL1Latency, requests = 0, last = ~std::uint64_t{0};
  RoughL1& l1 = context.block.sm->l1;
  ++context.grid.loads;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = first_lane(rest);
    const std::uint64_t address = addresses.v[lane];
    if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes) continue;
    const RoughL1::Answer answer = l1.load(*context.grid.memory, address, context.grid.loads);
    std::uint64_t ready = answer.ready;
    if (answer.miss) {
      const bool again = address >> kLineShift == std::exchange(last, address >> kLineShift);
      requests += again ? 0 : 1;
      ready = again ? arrives : send(context.grid, *context.block.sm, context.warp.time.now, address, Request::load);
      l1.comes(address, ready);
    }
    arrives = std::max(arrives, ready);
    if (answer.at) to.at[lane] = answer.at;
  }
  to.contiguous = false;
  take_way(*context.block.sm, context.warp.time.now, std::max<std::uint64_t>(requests, 1));
  context.arrives = arrives;
}

Warp* warp_behind(Block& block, const Warp* ran) {
  const auto look = [&](const Warp& warp) {
    const bool ready = warp.alive != 0 && !warp.time.parked &&
                       std::any_of(warp.fragments.begin(), warp.fragments.end(),
                                   [](const Fragment& f) { return f.state == FragmentState::ready; });
    block.turns[warp.index] = ready ? WarpTurn{warp.time.now, warp.time.since} : WarpTurn{};
  };
  if (!ran || std::exchange(block.released, false)) {
    block.turns.resize(block.warps.size());
    for (const Warp& warp : block.warps) look(warp);
  } else {
    look(*ran);
  }
  const auto behind = std::min_element(block.turns.begin(), block.turns.end());
  return *behind == WarpTurn{} ? nullptr : &block.warps[static_cast<std::size_t>(behind - block.turns.begin())];
}

bool account(Context& context, const MicroOp& op) {
  WarpTime& time = context.warp.time;
  std::uint64_t ready = time.now + op.latency;
  if (is_shared(op)) {
    const std::uint64_t passes = op.contends ? context.passes : 0;
    context.block.shared_free = time.now + kSharedInterval + kAtomicInterval * passes;
    ready = context.block.shared_free + op.latency;
    if (passes > 1) ready += kAtomicReturn * (passes - 1);
  } else if (context.arrives != 0) {
    ready = std::exchange(context.arrives, 0);
  } else if (is_global(op) && !context.block.sm) {
    ready += context.grid.behind.from_dram(context.accessed);
  }
  time.now += op.stall;
  if (op.latency != 0 && op.write_counter != isa::kNoCounter) {
    std::uint64_t& counter = time.ready[op.write_counter];
    counter = std::max(counter, ready);
  } else if (op.latency != 0) {
    time.now = ready;
  }
  time.since = time.now;
  return op.latency == 0 || op.write_counter != isa::kNoCounter;
}

}  // namespace sassim::emu
