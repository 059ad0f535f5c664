// SPDX-License-Identifier: Apache-2.0
// Replacement policies: which line of a full set is the victim. A policy is one class that registers
// itself under the name that YAML uses. Every cache can use it: L1, L2, instruction and constant caches, TLBs.
//
// A cache has slots: way w of set s is slot s * ways + w. A line is identified by its number, which is unique in the
// cache.
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
  SmId sm{};              ///< the SM that sent the request; 0 between kernels
  std::uint64_t now = 0;  ///< cycle of the cache's clock: the L2's own for the L2, else that of the SMs
};

/// The tags of a set arranged in rows, for policies that choose victims row by row (`sweep`).
struct TagRows {
  std::vector<std::uint64_t> masks = {};  ///< each bit of a line's row is the parity of these bits of the line's number
  std::uint32_t emptied = 1;              ///< rows that evict a line when the set is full
};

struct CacheShape {
  std::uint32_t sets = 1, ways = 1;
  std::uint32_t lines = 0;  ///< lines that can hold data; the last sets may have one way less. 0: sets * ways
  std::uint32_t tags = 0;   ///< number of tags, if there are more tags than lines that can hold data
  bool several = false;     ///< one fill may evict several lines
  TagRows rows = {};

  std::size_t slots() const { return std::size_t{sets} * ways; }
  std::uint32_t ways_of(std::size_t set) const {
    return lines == 0 || set + std::size_t{ways - 1} * sets < lines ? ways : ways - 1;
  }
};

/// The ways of a set from which a victim is chosen.
struct SetView {
  std::size_t first = 0;  ///< slot of way 0
  std::uint32_t ways = 0;
  const std::uint64_t* used = nullptr;  ///< by way: order of the last use or fill; smaller is longer ago
  const std::uint8_t* free =
      nullptr;  ///< by way: nonzero if the line may be evicted, at least one is; nullptr: every line may be
  bool may_go(std::uint32_t way) const { return free == nullptr || free[way] != 0; }
};

class Replacement {
 public:
  static constexpr const char* kKind = "replacement policy";
  virtual ~Replacement() = default;

  /// The line in `slot` was found. Called only if watches_uses().
  virtual void used(std::size_t /*slot*/, std::uint64_t /*line*/, const LineUse&) {}
  /// `line` was stored in `slot`, in place of the line that was there.
  virtual void filled(std::size_t /*slot*/, std::uint64_t /*line*/, const LineUse&) {}
  /// The data of the line in `slot` are in flight, or have arrived. A policy may keep the line until they arrive.
  virtual void expect(std::size_t /*slot*/, bool /*in_flight*/) {}
  /// The way to evict for `line`. TagArray::kEmpty: there is no new line; returns the way that the policy would evict
  /// first.
  virtual std::uint32_t victim(const SetView& set, std::uint64_t line, const LineUse& use) = 0;
  /// For policies that evict several lines for one: adds their slots to `gone`. `full`: the set has no empty slot.
  /// Returns false if no line can be evicted now.
  virtual bool make_room(const SetView& set, std::uint64_t line, const LineUse& use, bool full,
                         std::vector<std::size_t>& gone) {
    if (full) gone.push_back(set.first + victim(set, line, use));
    return true;
  }
  /// If false, used() is not called: victim() needs only `SetView::used`.
  virtual bool watches_uses() const { return true; }
  /// True if the policy evicts in make_room() only.
  virtual bool gives_up_several() const { return false; }

  /// What the policy remembers, for checkpoints (sim/base/state_archive.h). A policy without these two throws
  /// InputError.
  virtual void save(StateWriter&) const;
  virtual void load(StateReader&);
};

/// `const Registered<Replacement, Lru, const CacheShape&> lru_registered("lru");`
using Replacements = Registry<Replacement, const CacheShape&>;

}  // namespace sassim::arch
