// SPDX-License-Identifier: Apache-2.0
// Which line of a full set of the L1 gives way. A policy is one source file that registers itself by name.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/registry.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// Slot s is way s / sets of set s % sets; sets may differ by one way.
struct L1Shape {
  std::uint32_t lines = 0;  ///< slots, at least one per set
  std::uint32_t sets = 1;
  bool mixed = false;   ///< lines are spread over the sets as by chance, else in turn
  bool banked = false;  ///< a set is a bank of the tags (tag_bank.h)
  std::uint32_t tags = 0;  ///< lines of the whole array, where there are tags for more than can hold data
  std::uint32_t ways(std::uint32_t set) const { return (lines - set + sets - 1) / sets; }
};

class L1Replacement {
 public:
  static constexpr const char* kKind = "L1 replacement policy";
  virtual ~L1Replacement() = default;
  /// A resident line was read or written again.
  virtual void touched(std::uint32_t slot) = 0;
  /// Line `number` was put into this slot.
  virtual void filled(std::uint32_t slot, std::uint64_t number) = 0;
  /// The line's data is under way (or has come): until then it would rather stay.
  virtual void expect(std::uint32_t /*slot*/, bool /*under_way*/) {}
  /// Adds to `gone` the slots of `set` to give up before line `number` comes. False: there is no place for it now.
  virtual bool make_room(std::uint32_t set, std::uint64_t number, bool full, std::vector<std::uint32_t>& gone) = 0;
  /// What happens from here on happens at `now`.
  void set_time(Cycle now) { now_ = now; }

 protected:
  Cycle now() const { return now_; }

 private:
  Cycle now_;
};

/// Gives up one line, and none before all slots of a set hold lines.
class L1OneVictim : public L1Replacement {
 public:
  bool make_room(std::uint32_t set, std::uint64_t, bool full, std::vector<std::uint32_t>& gone) final {
    if (full) gone.push_back(victim(set));
    return true;
  }

 protected:
  virtual std::uint32_t victim(std::uint32_t set) = 0;
};

using L1ReplacementRegistry = Registry<L1Replacement, const L1Shape&>;

}  // namespace sassim::arch
