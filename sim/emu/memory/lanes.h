// SPDX-License-Identifier: Apache-2.0
// One value per lane of a warp, in a layout that the compiler can vectorise.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sassim::emu {

struct alignas(64) Lanes {
  std::uint32_t v[32];
};
struct alignas(64) Lanes64 {
  std::uint64_t v[32];
};

inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
extern const Lanes kZeroLanes;
/// kByteMasks[b].v[i] is all ones where bit i of b is set.
struct alignas(32) ByteMask {
  std::uint32_t v[8];
};
extern const std::array<ByteMask, 256> kByteMasks;

/// Writes only the lanes in `mask`.
inline void store_lanes(std::uint32_t* to, const Lanes& from, std::uint32_t mask) {
  if (mask == kAllLanes) {
    std::memcpy(to, from.v, sizeof from.v);
    return;
  }
  for (int group = 0; group < 4; ++group) {
    const std::uint32_t* select = kByteMasks[mask >> (8 * group) & 0xff].v;
    for (int i = 0; i < 8; ++i) {
      const int lane = 8 * group + i;
      to[lane] = (from.v[lane] & select[i]) | (to[lane] & ~select[i]);
    }
  }
}

/// The lowest set bit of a mask that is not empty.
inline int first_lane(std::uint32_t mask) { return std::countr_zero(mask) & 31; }

/// Calls `f(lane)` for every set bit.
template <class F>
inline void for_lanes(std::uint32_t mask, F f) {
  while (mask != 0) {
    f(first_lane(mask));
    mask &= mask - 1;
  }
}

/// One bit per lane from 32 truth values.
template <class F>
inline std::uint32_t gather_bits(F f) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 32; ++i) bits |= static_cast<std::uint32_t>(f(i) ? 1u : 0u) << i;
  return bits;
}

}  // namespace sassim::emu
