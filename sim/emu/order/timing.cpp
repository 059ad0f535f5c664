// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/order/timing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/base/nap.h"
#include "sim/emu/order/rough_sm.h"

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/h200/load-latencies.md).
constexpr std::uint16_t kSharedLatency = 30;
constexpr std::uint64_t kSharedInterval = 2, kAtomicInterval = 2;  ///< of any instruction; for each lane on one word
constexpr std::uint64_t kAtomicReturn = 2;                         ///< what comes back, for each further lane on a word
constexpr std::uint16_t kGlobalLatency = 280;                      ///< from the L2
constexpr std::uint16_t kOtherLatency = 20;
constexpr std::uint16_t kGpuFence = 400, kSystemFence = 1050;  ///< with the store before it
constexpr std::uint64_t kClock = 1'980'000'000;

bool is_shared(const MicroOp& op) { return op.memory && op.space == static_cast<std::uint8_t>(isa::Space::shared); }
bool is_global(const MicroOp& op) {
  return op.memory && (op.space == static_cast<std::uint8_t>(isa::Space::global) ||
                       op.space == static_cast<std::uint8_t>(isa::Space::generic));
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

bool account(Context& context, const MicroOp& op, bool done) {
  WarpTime& time = context.warp.time;
  std::uint64_t ready = time.now + op.latency;
  if (!done && op.memory) {
    ready = time.now + std::min(op.latency, kOtherLatency);
  } else if (is_shared(op)) {
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
  if (context.sleeps != 0)
    time.now = nap_ends(time.now, std::exchange(context.sleeps, 0), kClock, context.grid.launch->short_sleep);
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
