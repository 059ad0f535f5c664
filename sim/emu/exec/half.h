// SPDX-License-Identifier: Apache-2.0
// 16-bit floating-point numbers: IEEE half precision and bfloat16.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace sassim::emu {

inline constexpr std::uint16_t kHalfNan = 0x7fff;  ///< the NaN that every operation returns; bfloat16 has the same bits

/// Selects without a branch: both values are computed, so that loops over lanes vectorise.
inline std::uint32_t choose(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

inline float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16, magnitude = h & 0x7fffu;
  const auto subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
  const std::uint32_t normal = (magnitude << 13) + 0x38000000u, infinite = normal + 0x38000000u;
  const std::uint32_t finite = choose(magnitude < 0x400u, std::bit_cast<std::uint32_t>(subnormal), normal);
  const std::uint32_t result = choose(magnitude >= 0x7c00u, infinite, finite);
  return std::bit_cast<float>(sign | result);
}

/// Rounds to nearest even.
inline std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Below 2^-14: adding 0.5 rounds to multiples of 2^-24.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = choose(magnitude < 0x38800000u, subnormal, normal);
  const std::uint32_t result = choose(magnitude >= 0x477ff000u, 0x7c00u, finite);  // 65520 and above become infinity
  return static_cast<std::uint16_t>(choose(magnitude > 0x7f800000u, kHalfNan, sign | result));
}

/// Rounds towards zero.
inline std::uint16_t float_to_half_rz(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return kHalfNan;
  if (magnitude == 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7bffu);
  if (magnitude < 0x38800000u)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::bit_cast<float>(magnitude) * 0x1p24f));
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000u) >> 13);
}

inline float bfloat_to_float(std::uint16_t b) { return std::bit_cast<float>(std::uint32_t{b} << 16); }

inline std::uint16_t float_to_bfloat(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return kHalfNan;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline std::uint16_t float_to_bfloat_rz(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x7fffffffu) > 0x7f800000u ? kHalfNan : static_cast<std::uint16_t>(bits >> 16);
}

/// a + b rounded to odd: a second rounding, to at least two bits less, then gives the correctly rounded sum.
inline float add_to_odd(float a, float b) {
  const float sum = a + b, virtual_b = sum - a;
  const float error = (a - (sum - virtual_b)) + (b - virtual_b);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum), error_bits = std::bit_cast<std::uint32_t>(error);
  const bool inexact = (error_bits << 1) != 0, finite = (bits & 0x7f800000u) != 0x7f800000u, even = (bits & 1) == 0;
  const std::uint32_t away = 1u - (bits ^ error_bits) / 0x80000000u * 2;  // the direction of the rounding error
  return std::bit_cast<float>(bits + choose(inexact & finite & even, away, 0u));
}
inline double add_to_odd(double a, double b) {
  const double sum = a + b, virtual_b = sum - a;
  const double error = (a - (sum - virtual_b)) + (b - virtual_b);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || !(std::fabs(sum) <= 0x1.fffffffffffffp1023) || (bits & 1) != 0) return sum;
  bits += (error > 0) == (sum > 0) ? 1u : ~std::uint64_t{0};
  return std::bit_cast<double>(bits);
}
/// Rounds a double to a float, to odd.
inline float narrow_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  if (std::fabs(nearest) > 0x1.fffffep127f) return std::copysign(0x1.fffffep127f, nearest);
  // Rounds towards zero, then sets the last bit.
  if (std::fabs(back) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

/// a * b + c with one rounding.
inline std::uint16_t fma_half(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const float product = half_to_float(a) * half_to_float(b);  // exact: 22 bits
  return float_to_half(add_to_odd(product, half_to_float(c)));
}
inline std::uint16_t fma_bfloat(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const double product = static_cast<double>(bfloat_to_float(a)) * bfloat_to_float(b);
  return float_to_bfloat(narrow_to_odd(add_to_odd(product, static_cast<double>(bfloat_to_float(c)))));
}

}  // namespace sassim::emu
