// SPDX-License-Identifier: Apache-2.0
#include "sim/emu/timing.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sassim::emu {
namespace {

// Cycles, of an H200 (validation/hardware/NOTES-h200.md).
constexpr std::uint16_t kSharedLatency = 30;
constexpr std::uint64_t kSharedInterval = 2, kAtomicInterval = 2;  ///< of any instruction; for each lane on one word
constexpr std::uint16_t kGlobalLatency = 280;                      ///< from the L2
constexpr std::uint64_t kDramSpread = 512;                         ///< what DRAM takes longer, at most
constexpr std::uint16_t kOtherLatency = 20;
constexpr std::size_t kLines = std::size_t{1} << 18;
constexpr unsigned kLineShift = 7;

bool is_shared(const MicroOp& op) { return op.memory && op.space == static_cast<std::uint8_t>(isa::Space::shared); }
bool is_global(const MicroOp& op) {
  return op.memory && (op.space == static_cast<std::uint8_t>(isa::Space::global) ||
                       op.space == static_cast<std::uint8_t>(isa::Space::generic));
}

/// Where a line lies decides how much longer its first access takes than those from the L2. Were it the same for all,
/// warps that start together would stay in step for ever.
std::uint64_t from_dram(Context& context) {
  std::vector<bool>& touched = context.grid.touched;
  if (touched.empty()) touched.resize(kLines);
  std::uint64_t x = (context.accessed >> kLineShift) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  const std::size_t line = x % kLines;
  if (touched[line]) return 0;
  touched[line] = true;
  return (x >> 32) % kDramSpread;
}

}  // namespace

std::uint16_t unloaded_latency(const MicroOp& op) {
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
  if (!is_shared(op) || context.block.shared_free <= time.now) return true;
  time.now = context.block.shared_free;
  return false;
}

Warp* warp_behind(Block& block) {
  Warp* behind = nullptr;
  for (Warp& warp : block.warps) {
    if (warp.alive == 0) continue;
    if (behind && std::pair(warp.time.now, warp.time.since) >= std::pair(behind->time.now, behind->time.since))
      continue;
    if (std::any_of(warp.fragments.begin(), warp.fragments.end(),
                    [](const Fragment& f) { return f.state == FragmentState::ready; }))
      behind = &warp;
  }
  return behind;
}

bool account(Context& context, const MicroOp& op) {
  WarpTime& time = context.warp.time;
  std::uint64_t ready = time.now + op.latency;
  if (is_shared(op)) {
    const std::uint64_t passes = op.contends ? context.passes : 0;
    context.block.shared_free = time.now + kSharedInterval + kAtomicInterval * passes;
    ready = context.block.shared_free + op.latency;
  } else if (is_global(op)) {
    ready += from_dram(context);
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
