// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/timing.h"

#include <algorithm>

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/NOTES-h200.md).
constexpr std::uint16_t kSharedLatency = 30;
constexpr std::uint64_t kSharedInterval = 2, kAtomicInterval = 2;  ///< between instructions; for each lane on one word
constexpr std::uint16_t kGlobalLatency = 280;                      ///< from the L2
constexpr std::uint64_t kGlobalSpread = 512;                       ///< up to what DRAM takes
constexpr std::uint16_t kOtherLatency = 20;

bool is_shared(const MicroOp& op) { return op.memory && op.space == static_cast<std::uint8_t>(isa::Space::shared); }

/// Where a line lies decides how long it takes. What must not be is that all take the same time: warps that start
/// together would stay in step for ever.
std::uint64_t spread(const Warp& warp) {
  std::uint64_t x = (warp.block->id.value << 8 | warp.index) * 0x9e3779b97f4a7c15u + warp.executed;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  return (x ^ x >> 27) % kGlobalSpread;
}

}  // namespace

std::uint16_t unloaded_latency(const MicroOp& op) {
  if (!op.memory) return op.write_counter == isa::kNoCounter ? 0 : kOtherLatency;
  if (op.write_counter == isa::kNoCounter && !op.contends) return 0;
  return is_shared(op) ? kSharedLatency : kGlobalLatency;
}

Warp* warp_behind(Block& block) {
  Warp* behind = nullptr;
  for (Warp& warp : block.warps) {
    if (warp.alive == 0 || (behind && warp.time.now >= behind->time.now)) continue;
    if (std::any_of(warp.fragments.begin(), warp.fragments.end(),
                    [](const Fragment& f) { return f.state == FragmentState::ready; }))
      behind = &warp;
  }
  return behind;
}

bool account(Context& context, const MicroOp& op) {
  Warp& warp = context.warp;
  std::uint64_t start = warp.time.now;
  warp.time.now += op.stall;
  if (is_shared(op)) {
    start = std::max(start, context.block.shared_free);
    context.block.shared_free = start + kSharedInterval + kAtomicInterval * (context.passes - 1);
    start = context.block.shared_free;
    context.passes = 1;
  }
  if (op.latency == 0) return true;
  const std::uint64_t ready = start + op.latency + (op.memory && !is_shared(op) ? spread(warp) : 0);
  if (op.write_counter != isa::kNoCounter) {
    std::uint64_t& counter = warp.time.ready[op.write_counter];
    counter = std::max(counter, ready);
    return true;
  }
  warp.time.now = ready;
  return false;
}

}  // namespace sassim::emu
