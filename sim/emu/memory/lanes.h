// SPDX-License-Identifier: Apache-2.0
// One value per lane of a warp, in a layout that the compiler can vectorise.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

// Clones a function that is not inlined for host CPUs with FMA and 256-bit vectors; the program chooses at its start,
// and results are the same. Not with sanitizers: the function that chooses runs before they are ready.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define SASSIM_LANE_LOOP __attribute__((noinline, target_clones("arch=x86-64-v3", "default")))
#else
#define SASSIM_LANE_LOOP __attribute__((noinline))
#endif
/// Before a loop over lanes: what it writes is none of what it reads for another lane.
#ifdef __clang__
#define SASSIM_LANES_APART
#else
#define SASSIM_LANES_APART _Pragma("GCC ivdep")
#endif

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

[[gnu::always_inline]] inline void broadcast(std::uint32_t value, Lanes& to) {
  for (std::uint32_t& lane : to.v) lane = value;
}

/// Writes only the lanes in `mask`.
[[gnu::always_inline]] inline void store_lanes(std::uint32_t* to, const Lanes& from, std::uint32_t mask) {
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

/// A bit per lane from 32 bytes that are 0 or 1.
[[gnu::always_inline]] inline std::uint32_t pack_truth(const std::uint8_t* truth) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t bits = 0;
  for (unsigned group = 0; group < 4; ++group) {
    std::uint64_t eight;
    std::memcpy(&eight, truth + 8 * group, sizeof eight);
    bits |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << (8 * group);
  }
  return bits;
}

/// One bit per lane from 32 truth values.
template <class F>
[[gnu::always_inline]] inline std::uint32_t gather_bits(F f) {
  alignas(64) std::uint8_t truth[32];
  for (int i = 0; i < 32; ++i) truth[i] = f(i) ? 1 : 0;
  return pack_truth(truth);
}

}  // namespace sassim::emu
