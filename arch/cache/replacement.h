// SPDX-License-Identifier: Apache-2.0
// Replacement policies: which line of a full set is the victim. A policy is one file of replacement/ that registers
// itself under the name that YAML uses; any cache can have it: L1, L2, instruction and constant caches, TLBs.
//
// A cache has slots: way w of set s is slot s * ways + w. A line is named by its number, unique in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/common/request_kind.h"
#include "sim/base/registry.h"
#include "sim/base/types.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

/// One use of a line: the kind of request, the instruction, the SM and the time.
struct LineUse {
  RequestKind kind = RequestKind::load;
  std::uint32_t pc = 0;   ///< of the instruction, in bytes from the start of its kernel; 0: unknown
  SmId sm{};              ///< the SM whose request it is; 0 between kernels
  std::uint64_t now = 0;  ///< cycle of the cache's clock: the SM's, for the L2 its own
};

/// Tags of a set in rows, for policies that go from row to row.
struct TagRows {
  std::vector<std::uint64_t> masks = {};  ///< each bit of a line's row is the parity of these bits of its number
  std::uint32_t emptied = 1;              ///< rows that evict a line when the set is full
};

struct CacheShape {
  std::uint32_t sets = 1, ways = 1;
  std::uint32_t lines = 0;  ///< lines that can hold data; the last sets may have a way less. 0: sets * ways
  std::uint32_t tags = 0;   ///< lines of the whole array, where there are tags for more lines than can hold data
  bool several = false;     ///< one fill may evict more than one line
  TagRows rows = {};

  std::size_t slots() const { return std::size_t{sets} * ways; }
  std::uint32_t ways_of(std::size_t set) const {
    return lines == 0 || set + std::size_t{ways - 1} * sets < lines ? ways : ways - 1;
  }
};

/// The ways of a set, of which one must be evicted.
struct SetView {
  std::size_t first = 0;  ///< slot of way 0
  std::uint32_t ways = 0;
  const std::uint64_t* used = nullptr;  ///< by way: when it was last used or filled; the smaller, the longer ago
  const std::uint8_t* free = nullptr;   ///< by way: may be evicted; at least one may. Null: each may
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
  /// The data of the line in `slot` are in flight, or have arrived. A policy may keep the line until they arrive.
  virtual void expect(std::size_t /*slot*/, bool /*under_way*/) {}
  /// The way to evict for line `number`. TagArray::kEmpty: no line comes; the question is which line the policy would
  /// evict first.
  virtual std::uint32_t victim(const SetView& set, std::uint64_t number, const LineUse& use) = 0;
  /// For policies that evict several lines for one: adds their slots to `gone`. `full`: the set has no empty slot.
  /// False: no line can be evicted now.
  virtual bool make_room(const SetView& set, std::uint64_t number, const LineUse& use, bool full,
                         std::vector<std::size_t>& gone) {
    if (full) gone.push_back(set.first + victim(set, number, use));
    return true;
  }
  /// False saves a call for each hit: victim() needs only `SetView::used`.
  virtual bool watches_uses() const { return true; }
  /// The policy evicts in make_room() only.
  virtual bool gives_up_several() const { return false; }

  /// What the policy remembers, for checkpoints (sim/base/state_archive.h). A policy without these two throws
  /// InputError.
  virtual void save(StateWriter&) const;
  virtual void load(StateReader&);
};

/// `const Registered<Replacement, Lru, const CacheShape&> lru_registered("lru");`
using Replacements = Registry<Replacement, const CacheShape&>;

}  // namespace sassim::arch
