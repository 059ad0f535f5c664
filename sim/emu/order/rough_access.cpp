// SPDX-License-Identifier: Apache-2.0
// How warps of kernels whose blocks compete get to global memory on rough clocks (timing.h).
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/emu/core/address_space.h"
#include "sim/emu/order/rough_sm.h"
#include "sim/emu/order/timing.h"

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/h200/contended-words.md).
constexpr std::uint64_t kL1Latency = 33;
constexpr std::uint64_t kPatience = 744;  ///< cycles that a request may wait at the L2 before it holds up its SM
constexpr unsigned kLineShift = 7, kSectorShift = 5;

/// A request leaves the SM now; when its answer arrives. Those behind it on its way wait until the L2 takes it.
std::uint64_t send(Grid& grid, RoughSm& sm, std::uint64_t now, std::uint64_t address, Request request) {
  const RoughMemory::Answer answer = grid.behind.ask(now, address, request, sm.halves, sm.upper);
  RoughSm::Queue& queue = request == Request::store ? sm.queues[RoughSm::way_of(address)] : sm.out();
  queue.free = std::max(queue.free, answer.begins - std::min(answer.begins, kPatience));
  return answer.arrives;
}

/// A request per cycle leaves the SM.
void take_way(RoughSm& sm, std::uint64_t now, std::uint64_t requests) {
  sm.out().free = std::max(sm.out().free, now + requests);
}

constexpr std::uint8_t kOut = 1, kAllWays = (1u << (1 + RoughMemory::kGroups)) - 2;  ///< bit per queue

bool in_global(std::uint64_t address) {
  return address - kSharedWindow >= kWindowBytes && address - kLocalWindow >= kWindowBytes;
}

/// The ways that an access needs; what the L1 has needs none.
std::uint8_t ways_needed(Context& context, const MicroOp& op, const Lanes64& addresses, std::uint32_t lanes) {
  if (!op.memory) return kAllWays;  // a fence
  RoughL1& l1 = context.block.sm->l1;
  std::uint8_t ways = 0;
  std::uint64_t sector = ~std::uint64_t{0};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses.v[first_lane(rest)];
    if (address >> kSectorShift == std::exchange(sector, address >> kSectorShift)) continue;
    if (in_global(address) && (!op.plain || !l1.has(address)))
      ways |= static_cast<std::uint8_t>(1u << RoughSm::way_of(address));
  }
  return ways;
}

/// Of a plain load, the sectors on `ways` go now.
void fetch(Context& context, const Lanes64& addresses, std::uint32_t lanes, std::uint8_t ways) {
  RoughSm& sm = *context.block.sm;
  const std::uint64_t now = context.warp.time.now;
  std::uint64_t requests = 0, last = ~std::uint64_t{0}, ready = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses.v[first_lane(rest)];
    if (!in_global(address) || (ways >> RoughSm::way_of(address) & 1) == 0 || sm.l1.has(address)) continue;
    if (!context.grid.memory->mapped(address, 1)) continue;  // a fault, when the instruction is executed
    if (!sm.l1.load(*context.grid.memory, address, context.grid.loads).miss) continue;
    if (address >> kLineShift != std::exchange(last, address >> kLineShift)) {
      ++requests;
      ready = send(context.grid, sm, now, address, Request::load);
    }
    sm.l1.comes(address, ready);
  }
  take_way(sm, now, requests);
}

/// The access waits in one of its SM's queues.
bool wait_in(Context& context, std::size_t index) {
  WarpTime& time = context.warp.time;
  RoughSm::Queue& queue = context.block.sm->queues[index];
  time.queue = static_cast<std::uint8_t>(index);
  if (queue.next || !queue.waiting.empty()) {
    queue.waiting.push_back({.warp = &context.warp});
    time.parked = true;
  } else {
    time.now = queue.free;
    time.admitted = queue.next = true;
  }
  return false;
}

/// The turn of a store that was posted has come.
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

/// A store leaves its SM: what finds its way taken waits there.
void leave(Grid& grid, RoughSm& sm, PostedStore store, std::uint64_t now) {
  std::array<PostedStore, 1 + RoughMemory::kGroups> parts;
  for (const PostedStore::Lane& lane : store.lanes) parts[RoughSm::way_of(lane.address)].lanes.push_back(lane);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].lanes.empty()) continue;
    parts[i].bytes = store.bytes;
    parts[i].time = now;
    if (sm.queues[i].busy(now))
      sm.queues[i].waiting.push_back({.store = std::move(parts[i])});
    else
      perform(grid, sm, parts[i], now);
  }
}

}  // namespace

/// Accesses leave the SM in the order in which they came, and each way to the L2 is taken in that order: one is next,
/// at its warp's `now`, the others wait behind it. Stores are posted, and what the L1 has needs nothing of the L2. Of a
/// load, what finds its way free goes ahead of what does not.
bool may_access(Context& context, const MicroOp& op) {
  WarpTime& time = context.warp.time;
  RoughSm& sm = *context.block.sm;
  if (std::exchange(time.admitted, false)) {
    sm.queues[time.queue].next = false;
    time.been |= static_cast<std::uint8_t>(1u << time.queue);
  } else if (op.stores && !op.atomic) {
    return true;
  }
  std::uint8_t busy = 0;
  for (std::size_t i = 0; i < sm.queues.size(); ++i)
    if ((time.been >> i & 1) == 0 && sm.queues[i].busy(time.now)) busy |= static_cast<std::uint8_t>(1u << i);
  if (time.been != 0) busy &= kAllWays;  // it has left the SM
  std::uint8_t needed = 0;
  if (busy != 0) {
    Lanes64 addresses;
    std::uint32_t lanes = 0;
    if (op.memory) {
      lane_addresses(context, op.address, addresses);
      lanes = context.fragment->mask & context.predicate(op.guard);
    }
    needed = ways_needed(context, op, addresses, lanes);
    if (needed != 0 && (busy & kOut) != 0) return wait_in(context, 0);
    if (op.plain && (needed & busy) != 0) fetch(context, addresses, lanes, static_cast<std::uint8_t>(needed & ~busy));
  }
  if ((needed & busy) != 0)
    return wait_in(context, static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(needed & busy))));
  time.been = 0;
  return true;
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

void finish_stores(RoughSm& sm) {
  for (RoughSm::Queue& queue : sm.queues)
    for (RoughSm::Waiting& waiting : queue.waiting) {
      for (const PostedStore::Lane& lane : waiting.store.lanes)
        std::memcpy(lane.at, lane.bytes.data(), waiting.store.bytes);
      waiting.store.lanes.clear();
    }
}

void post(Context& context, PostedStore store) {
  RoughSm& sm = *context.block.sm;
  for (const PostedStore::Lane& lane : store.lanes) sm.l1.store(lane.address, lane.bytes.data(), store.bytes);
  store.time = context.warp.time.now;
  if (sm.out().busy(store.time))
    sm.out().waiting.push_back({.store = std::move(store)});
  else
    leave(context.grid, sm, std::move(store), context.warp.time.now);
}

void go_on_with_store(Grid& grid, RoughSm& sm, RoughSm::Queue& queue, std::uint64_t now) {
  PostedStore store = std::move(queue.waiting.front().store);
  queue.waiting.pop_front();
  queue.next = false;
  if (&queue == &sm.out())
    leave(grid, sm, std::move(store), now);
  else
    perform(grid, sm, store, now);
}

Warp* choose_next(RoughSm::Queue& queue) {
  if (queue.next || queue.waiting.empty()) return nullptr;
  queue.next = true;
  Warp* warp = queue.waiting.front().warp;
  if (!warp) return nullptr;
  queue.waiting.pop_front();
  warp->time.now = std::max(warp->time.now, queue.free);
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
    if (!in_global(address)) continue;
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

}  // namespace sassim::emu
