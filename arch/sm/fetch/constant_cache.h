// SPDX-License-Identifier: Apache-2.0
// The first-level constant cache of a processing block: it holds constant operands of fixed-latency instructions, and
// is looked up when they issue.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/common/indices.h"
#include "arch/sm/code/constant_address.h"
#include "arch/sm/fetch/indexed_lines.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "arch/sm/warps/warp_scheduler.h"
#include "sim/config/groups/constant_caches.h"

namespace sassim::arch {

class ConstantCache {
 public:
  ConstantCache(const config::ConstantCaches& config, InstructionCache& l15, std::uint8_t block)
      : tags_(config.fixed),
        indexed_(config.indexed),
        miss_latency_(config.fixed_miss_latency),
        l15_(l15),
        block_(block) {}

  void start_kernel(std::uint64_t constant_address, bool keep_caches) {
    address_ = constant_address;
    last_line_ = ~0ull;
    misses_.clear();
    missed_ = 0;
    served_ = 0;
    if (keep_caches) return;
    tags_.clear();
    indexed_.clear();
  }

  /// The next accesses are to constants of the launch that has them at this address.
  void select(std::uint64_t constant_address) { address_ = constant_address; }
  /// On a miss, requests the line; fill() then returns `warp`.
  bool access(ConstantAddress address, WarpIndex warp, Cycle now, std::uint32_t pc = 0) {
    const std::uint64_t line = tags_.line_of(address_ + address.in_kernel());
    if (line == last_line_) return true;
    if (tags_.access(line, use(pc, now))) {
      last_line_ = line;
      return true;
    }
    return ask(line, warp, now);
  }
  /// access() for an address from a register, which has separate lines. A warp that requested a line may read it after
  /// its arrival even if the line has been displaced before the warp issues: a line always serves the warp that
  /// requested it (validation/measured/h200/code-and-constants.md#constant-caches).
  bool access_indexed(ConstantAddress address, WarpIndex warp, Cycle now, std::uint32_t pc = 0) {
    const std::uint64_t line = indexed_.line_of(address_ + address.in_kernel());
    const WarpMask bit = WarpMask{1} << warp;
    const bool served = (served_ & bit) != 0;
    served_ &= ~bit;
    const IndexedLines::Answer answer = served ? IndexedLines::Answer::here : indexed_.access(line, warp, use(pc, now));
    if (answer == IndexedLines::Answer::here) return true;
    ++missed_;
    if (answer == IndexedLines::Answer::asked) ask_indexed(line, now);
    return false;
  }
  /// A fill has arrived; returns the warps that continue. Other waiting warps try again in the scheduler's order.
  WarpMask fill(const InstructionCache::Client& client, const WarpScheduler& scheduler, const ScheduleView& view,
                Cycle now) {
    const std::uint64_t line = client.what;
    if (client.wants == Wants::indexed_operand) {
      const WarpMask come = indexed_.fill(
          line, use(0, now), [&](WarpMask mask) { return scheduler.pick(mask, view); },
          [&](std::uint64_t other) { ask_indexed(other, now); });
      served_ |= come;
      return come;
    }
    tags_.insert(line, use(0, now));
    last_line_ = ~0ull;
    for (std::size_t i = 0; i < misses_.size(); ++i) {
      if (misses_[i].line != line) continue;
      const WarpMask warps = misses_[i].warps;
      misses_.erase(misses_.begin() + static_cast<std::ptrdiff_t>(i));
      return warps;
    }
    return 0;
  }
  std::uint64_t misses() const { return missed_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, indexed_, last_line_, misses_, served_, missed_);
  }

 private:
  using Wants = InstructionCache::Client::Wants;
  struct Miss {
    std::uint64_t line;
    WarpMask warps;
  };
  bool ask(std::uint64_t line, WarpIndex warp, Cycle now) {
    ++missed_;
    for (Miss& miss : misses_)
      if (miss.line == line) {
        miss.warps |= WarpMask{1} << warp;
        return false;
      }
    misses_.push_back({line, WarpMask{1} << warp});
    l15_.request(line * tags_.line_bytes(), static_cast<std::uint32_t>(tags_.line_bytes()), miss_latency_,
                 {block_, Wants::operand, line}, now);
    return false;
  }

  LineUse use(std::uint32_t pc, Cycle now) const { return {RequestKind::constant, pc, l15_.sm(), now.value}; }
  void ask_indexed(std::uint64_t line, Cycle now) {
    l15_.request(line * indexed_.line_bytes(), indexed_.line_bytes(), miss_latency_,
                 {block_, Wants::indexed_operand, line}, now);
  }

  LineCache tags_;
  IndexedLines indexed_;
  std::uint32_t miss_latency_;
  InstructionCache& l15_;
  std::uint8_t block_;
  std::uint64_t address_ = 0, last_line_ = ~0ull;
  std::vector<Miss> misses_;
  WarpMask served_ = 0;  ///< warps whose indexed line has arrived and that have not tried again
  std::uint64_t missed_ = 0;
};

}  // namespace sassim::arch
