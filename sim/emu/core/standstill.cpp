// SPDX-License-Identifier: Apache-2.0
// Hashes the states of all warps to see that a launch repeats itself and will never end.
#include "sim/emu/core/standstill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sassim::emu {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 29;
  }
  void add(const std::uint32_t* words, std::size_t count) {  // an even number
    for (std::size_t i = 0; i < count; i += 2) add(words[i] | std::uint64_t{words[i + 1]} << 32);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// A hash of everything except memory that decides what the warp does next.
std::uint64_t state_of(const Block& block, const Warp& warp) {
  Hash hash;
  const std::size_t rows = block.register_rows.size() / block.warps.size();
  for (std::size_t row = 0; row < rows; ++row) hash.add(warp.registers[row].v, 32);
  hash.add(warp.predicates.data(), warp.predicates.size());
  hash.add(warp.convergence.data(), warp.convergence.size());
  for (const std::uint32_t flags : {warp.cc.zero, warp.cc.sign, warp.cc.overflow, warp.cc.carry, warp.cc.second_carry})
    hash.add(flags);
  for (const StackEntry& entry : warp.stack)
    hash.add(std::uint64_t{entry.pc} << 40 ^ std::uint64_t{entry.mask} << 3 ^ static_cast<std::uint64_t>(entry.reason));
  for (const Lanes& lanes : warp.rpc) hash.add(lanes.v, 32);
  hash.add(warp.current);
  for (const Fragment& fragment : warp.fragments) {
    hash.add(std::uint64_t{fragment.pc} << 32 | fragment.mask);
    hash.add(std::uint64_t{fragment.sync_mask} << 32 | static_cast<std::uint64_t>(fragment.state) << 16 |
             static_cast<std::uint64_t>(fragment.barrier) << 8 | fragment.up);
    hash.add(fragment.ur.data(), fragment.ur.size());
  }
  return hash.value();
}

bool can_run(const Warp& warp) {
  return std::any_of(warp.fragments.begin(), warp.fragments.end(),
                     [](const Fragment& fragment) { return fragment.state == FragmentState::ready; });
}

}  // namespace

bool Standstill::look(std::uint64_t changes, std::uint64_t instructions, std::span<const Block* const> blocks) {
  if (changes != changes_) {
    changes_ = changes;
    since_ = instructions;
    seen_.clear();
  }
  if (patience_ == 0 || instructions - since_ <= patience_) return false;
  std::uint64_t warps = 0;
  for (const Block* block : blocks) warps += block->alive_warps;
  if (instructions - since_ <= patience_ * warps) return false;
  bool all = warps != 0;
  std::size_t seen_warps = 0;
  for (const Block* block : blocks)
    for (const Warp& warp : block->warps) {
      if (seen_warps == seen_.size()) seen_.emplace_back();
      Seen& seen = seen_[seen_warps++];
      if (warp.alive == 0 || seen.returned || !can_run(warp)) continue;
      if (seen.looks != 0 && seen.executed != warp.executed) {
        const std::uint64_t state = state_of(*block, warp);
        seen.returned = state == seen.state;
        if (++seen.looks == seen.next) {
          seen.state = state;
          seen.next *= 2;
        }
      } else if (seen.looks == 0) {
        seen = {state_of(*block, warp), 1, 2, 0, false};
      }
      seen.executed = warp.executed;
      all = all && seen.returned;
    }
  return all;
}

std::string standstill_reason(std::uint64_t instructions) {
  return fmt::format(
      "makes no progress: in the last {} warp instructions no warp has changed memory, printed, read a clock or ended, "
      "and all that run repeat themselves (--watchdog)",
      instructions);
}

}  // namespace sassim::emu
