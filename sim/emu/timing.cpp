// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/timing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/emu/address_space.h"
#include "sim/emu/rough_l1.h"

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/NOTES-h200.md).
constexpr std::uint16_t kSharedLatency = 30;
constexpr std::uint64_t kSharedInterval = 2, kAtomicInterval = 2;  ///< of any instruction; for each lane on one word
constexpr std::uint64_t kAtomicReturn = 2;                         ///< what comes back, for each further lane on a word
constexpr std::uint16_t kGlobalLatency = 280;                      ///< from the L2
constexpr std::uint64_t kL1Latency = 33;
constexpr std::size_t kSlices = 94;
constexpr std::uint64_t kParts = 2, kRead = 3, kWrite = 5;  ///< of a cycle; parts that a slice takes for a request
constexpr std::uint64_t kPatience = 1024;   ///< cycles from a request to its answer that an SM does not wait for
constexpr std::uint64_t kDramSpread = 512;  ///< what DRAM takes longer, at most
constexpr std::uint16_t kOtherLatency = 20;
constexpr std::uint16_t kGpuFence = 400, kSystemFence = 1050;  ///< with the store before it
constexpr std::size_t kLines = std::size_t{1} << 18;
constexpr unsigned kLineShift = 7;

bool is_shared(const MicroOp& op) { return op.memory && op.space == static_cast<std::uint8_t>(isa::Space::shared); }
bool is_global(const MicroOp& op) {
  return op.memory && (op.space == static_cast<std::uint8_t>(isa::Space::global) ||
                       op.space == static_cast<std::uint8_t>(isa::Space::generic));
}

/// Where a line lies decides how much longer its first access takes than those from the L2. Were it the same for all,
/// warps that start together would stay in step for ever.
std::uint64_t from_dram(Grid& grid, std::uint64_t address) {
  std::vector<bool>& touched = grid.touched;
  if (touched.empty()) touched.resize(kLines);
  std::uint64_t x = (address >> kLineShift) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  const std::size_t line = x % kLines;
  if (touched[line]) return 0;
  touched[line] = true;
  return (x >> 32) % kDramSpread;
}

/// When the L2 answers a request that goes now: requests of a slice wait for each other.
std::uint64_t from_l2(Context& context, std::uint64_t address, std::uint64_t cost) {
  std::vector<std::uint64_t>& free = context.grid.slices_free;
  if (free.empty()) free.resize(kSlices);
  const std::uint64_t line = (address >> kLineShift) * 0x9e3779b97f4a7c15u;
  std::uint64_t& slice = free[(line >> 32) % kSlices];
  const std::uint64_t begin = std::max(slice, context.warp.time.now * kParts);
  slice = begin + cost;
  return begin / kParts + kGlobalLatency + from_dram(context.grid, address);
}

/// The SM's way to the L2 takes a request per cycle, and none while those before wait for too long.
void take_memory(Context& context, std::uint64_t requests, std::uint64_t arrives) {
  std::uint64_t& free = context.block.sm->memory_free;
  free = std::max(std::max(free, context.warp.time.now) + requests, arrives - std::min(arrives, kPatience));
}

/// Who finds the SM's way to the L2 taken gets the next place on it: warps go in the order in which they came.
bool may_access(WarpTime& time, RoughSm& sm) {
  if (sm.memory_free <= time.now) return true;
  time.now = sm.memory_free++;
  time.admitted = true;
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
  if (is_global(op) && context.block.sm)
    return std::exchange(time.admitted, false) || may_access(time, *context.block.sm);
  if (!is_shared(op) || context.block.shared_free <= time.now) return true;
  time.now = context.block.shared_free;
  return false;
}

void go_to_l2(Context& context, const MicroOp& op, const Lanes64& addresses, std::uint32_t lanes) {
  std::uint64_t arrives = 0, requests = 0, last = ~std::uint64_t{0};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses.v[first_lane(rest)], before = std::exchange(last, address);
    // Lanes on one line share a request; atomic operations on one word do not.
    if (address >> kLineShift == before >> kLineShift && !(op.atomic && address == before)) continue;
    ++requests;
    arrives = std::max(arrives, from_l2(context, address, op.stores ? kWrite : kRead));
  }
  take_memory(context, requests, arrives);
  context.arrives = arrives;
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
      ready = again ? arrives : from_l2(context, address, kRead);
      l1.comes(address, ready);
    }
    arrives = std::max(arrives, ready);
    if (answer.at) to.at[lane] = answer.at;
  }
  to.contiguous = false;
  take_memory(context, std::max<std::uint64_t>(requests, 1), arrives);
  context.arrives = arrives;
}

Warp* warp_behind(Block& block, const Warp* ran) {
  const auto look = [&](const Warp& warp) {
    const bool ready =
        warp.alive != 0 && std::any_of(warp.fragments.begin(), warp.fragments.end(),
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
  } else if (is_global(op)) {
    ready += from_dram(context.grid, context.accessed);
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
