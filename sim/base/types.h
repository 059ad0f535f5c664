// SPDX-License-Identifier: Apache-2.0
// Types that all parts of the simulator use.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/base/strong.h"

namespace sassim {

/// Cycles of the SM clock. Other clock domains have their own types and are converted where the domains meet.
using Cycle = Quantity<struct SmClockTag>;
using L2Cycle = Quantity<struct L2ClockTag>;
using DramCycle = Quantity<struct DramClockTag>;
inline constexpr Cycle kNever = Cycle::max();

using SmId = Id<struct SmIdTag, std::uint16_t>;
/// The linear index of a thread block in its grid.
using BlockId = Id<struct BlockIdTag, std::uint64_t>;
/// A warp's place in its SM, from 0 to warps per SM - 1.
using WarpSlot = Id<struct WarpSlotTag, std::uint8_t>;

using Bytes = Quantity<struct BytesTag>;

inline constexpr int kWarpSize = 32;
inline constexpr int kSectorBytes = 32;

/// One bit per lane of a warp.
struct LaneMask {
  std::uint32_t bits = 0;

  constexpr LaneMask() = default;
  constexpr explicit LaneMask(std::uint32_t b) : bits(b) {}
  static constexpr LaneMask all() { return LaneMask{0xffffffffu}; }
  constexpr bool test(int lane) const { return (bits >> lane & 1u) != 0; }
  constexpr int count() const { return std::popcount(bits); }
  constexpr bool none() const { return bits == 0; }
  friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask{a.bits & b.bits}; }
  friend constexpr LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask{a.bits | b.bits}; }
  friend constexpr LaneMask operator~(LaneMask a) { return LaneMask{~a.bits}; }
  friend constexpr bool operator==(LaneMask, LaneMask) = default;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace sassim
