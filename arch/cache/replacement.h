// SPDX-License-Identifier: Apache-2.0
// Which line of a full set gives way to another. A policy is one file of replacement/ that registers itself under the
// name that YAML uses; any cache can have it: L1, L2, instruction and constant caches, TLBs.
//
// A cache has slots: way w of set s is slot s * ways + w. A line is named by its number, unique in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/common/request_kind.h"
#include "sim/base/registry.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// One use of a line: what for, by which instruction of which SM, and when.
struct LineUse {
  RequestKind kind = RequestKind::load;
  std::uint32_t pc = 0;   ///< of the instruction, in bytes from the start of its kernel; 0 where nobody knows it
  SmId sm{};              ///< that asks, or for which somebody asks; 0 between kernels
  std::uint64_t now = 0;  ///< cycle of the cache's clock: the SM's, for the L2 its own
};

struct CacheShape {
  std::uint32_t sets = 1, ways = 1;
  std::uint32_t lines = 0;  ///< that can hold data; the last sets may have a way less. 0: all sets * ways
  std::uint32_t tags = 0;   ///< lines of the whole array, where there are tags for more lines than can hold data
  bool several = false;     ///< more than one line may go for another

  std::size_t slots() const { return std::size_t{sets} * ways; }
  std::uint32_t ways_of(std::size_t set) const {
    return lines == 0 || set + std::size_t{ways - 1} * sets < lines ? ways : ways - 1;
  }
};

/// The ways of a set from which one must go.
struct SetView {
  std::size_t first = 0;  ///< slot of way 0
  std::uint32_t ways = 0;
  const std::uint64_t* used = nullptr;  ///< by way: when it was last used or filled; the smaller, the longer ago
  const std::uint8_t* free = nullptr;   ///< by way: it may go, as at least one may; null: each may
  bool may_go(std::uint32_t way) const { return free == nullptr || free[way] != 0; }
};

class Replacement {
 public:
  static constexpr const char* kKind = "replacement policy";
  virtual ~Replacement() = default;

  /// The line in `slot` was found. Not called for a policy that does not watch uses.
  virtual void used(std::size_t /*slot*/, std::uint64_t /*number*/, const LineUse&) {}
  /// Line `number` came into `slot`; the line that was there is gone.
  virtual void filled(std::size_t /*slot*/, std::uint64_t /*number*/, const LineUse&) {}
  /// The data of the line in `slot` is under way, or has come. A policy may keep it until then.
  virtual void expect(std::size_t /*slot*/, bool /*under_way*/) {}
  /// The way that goes. Line `number` comes; TagArray::kEmpty: none does, it is asked which line it would give up
  /// first.
  virtual std::uint32_t victim(const SetView& set, std::uint64_t number, const LineUse& use) = 0;
  /// Where several lines may go for one: adds their slots to `gone`. `full`: the set has no empty slot. False: there is
  /// no place for the line now.
  virtual bool make_room(const SetView& set, std::uint64_t number, const LineUse& use, bool full,
                         std::vector<std::size_t>& gone) {
    if (full) gone.push_back(set.first + victim(set, number, use));
    return true;
  }
  /// False saves a call for each line found: victim() needs no more than `SetView::used`.
  virtual bool watches_uses() const { return true; }
  /// It decides in make_room() only.
  virtual bool gives_up_several() const { return false; }
};

/// `const Registered<Replacement, Lru, const CacheShape&> lru_registered("lru");`
using Replacements = Registry<Replacement, const CacheShape&>;

}  // namespace sassim::arch
