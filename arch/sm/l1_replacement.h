// SPDX-License-Identifier: Apache-2.0
// Which line of a full set of the L1 gives way. A policy is one source file that registers itself by name.
#pragma once

#include <cstdint>

#include "sim/base/registry.h"

namespace sassim::arch {

/// Slot s is way s / sets of set s % sets; sets may differ by one way.
struct L1Shape {
  std::uint32_t lines = 0;  ///< slots, at least one per set
  std::uint32_t sets = 1;
  bool mixed = false;   ///< lines are spread over the sets as by chance, else in turn
  bool folded = false;  ///< in turn, shifted by the sums of the upper digits, so that strides reach all sets
  std::uint32_t ways(std::uint32_t set) const { return (lines - set + sets - 1) / sets; }
};

class L1Replacement {
 public:
  static constexpr const char* kKind = "L1 replacement policy";
  virtual ~L1Replacement() = default;
  /// A resident line was read or written again.
  virtual void touched(std::uint32_t slot) = 0;
  /// A line was put into this slot.
  virtual void filled(std::uint32_t slot) = 0;
  /// The slot of `set` to give up. All its slots hold lines.
  virtual std::uint32_t victim(std::uint32_t set) = 0;
};

using L1ReplacementRegistry = Registry<L1Replacement, const L1Shape&>;

}  // namespace sassim::arch
