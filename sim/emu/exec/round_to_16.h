// SPDX-License-Identifier: Apache-2.0
// Rounds any finite number, given exactly, to a 16-bit floating-point number in any rounding mode.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/emu/exec/float_lanes.h"

namespace sassim::emu {

struct NarrowFormat {
  int fraction_bits, exponent_bits;
};
inline constexpr NarrowFormat kHalfFormat{10, 5}, kBfloatFormat{7, 8};

/// Rounds magnitude * 2^exponent with the given sign.
inline std::uint16_t round_to_16(bool negative, std::uint64_t magnitude, int exponent, NarrowFormat format,
                                 Rounding rounding) {
  const std::uint32_t sign = negative ? 0x8000u : 0u;
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int top = std::max(63 - std::countl_zero(magnitude) + exponent, 1 - bias);
  const int dropped = top - format.fraction_bits - exponent;  // bits below the last place of the result
  const std::uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  const bool away = rounding == (negative ? Rounding::down : Rounding::up);
  if (top > bias) {
    const bool to_infinity = rounding == Rounding::nearest || away;
    return static_cast<std::uint16_t>(sign | (to_infinity ? infinity : infinity - 1));
  }
  std::uint64_t kept = dropped <= 0 ? magnitude << -dropped : dropped < 64 ? magnitude >> dropped : 0;
  const bool half = dropped > 0 && dropped <= 64 && (magnitude >> (dropped - 1) & 1) != 0;
  const bool rest = dropped > 64 || (dropped > 1 && magnitude << (65 - dropped) != 0);
  const bool up = rounding == Rounding::nearest ? half && (rest || (kept & 1) != 0) : away && (half || rest);
  kept += up ? 1 : 0;
  // The leading bit of `kept` adds one to the exponent, except in a subnormal number, which lacks it.
  const std::uint64_t bits = (static_cast<std::uint64_t>(top + bias - 1) << format.fraction_bits) + kept;
  return static_cast<std::uint16_t>(sign | std::min<std::uint64_t>(bits, infinity));
}

/// Rounds a double that is not NaN.
inline std::uint16_t round_to_16(double value, NarrowFormat format, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  if (exponent == 0x7ff)
    return static_cast<std::uint16_t>(bits >> 63 << 15 | ((1u << format.exponent_bits) - 1) << format.fraction_bits);
  return round_to_16(bits >> 63 != 0, exponent == 0 ? fraction : fraction | 1ull << 52, std::max(exponent, 1) - 1075,
                     format, rounding);
}

}  // namespace sassim::emu
