// SPDX-License-Identifier: Apache-2.0
// IEEE arithmetic on 32 lanes, in any rounding mode, with the GPU's handling of NaN and subnormals.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

enum class Rounding : std::uint8_t { nearest, down, up, zero };

/// Sets the host's rounding mode for its lifetime. The loops that it guards are never inlined, so that the compiler
/// moves no operation out of its scope.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int saved_;
  bool changed_;
};

// IEEE operations in the host's rounding mode; `out` may be an input. In single precision every NaN is 0x7fffffff.
void add_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out);
void mul_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out);
void fma_f32(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* out);
void add_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out);
void mul_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out);
void fma_f64(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* out);

// Pairs of halves; each result is rounded once, to nearest.
void add_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out);
void mul_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out);
void fma_f16x2(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* out);

/// The lower and the upper half of each lane. The bits of a NaN may change.
void floats_of_halves(const std::uint32_t* words, float* lower, float* upper);
/// The other way round, rounded to nearest even.
void halves_of_floats(const float* lower, const float* upper, std::uint32_t* words);

/// Replaces subnormals by zeros of the same sign.
void flush_f32(const std::uint32_t* in, std::uint32_t* out);
/// Replaces every NaN by 0x7fffffff.
void canonical_nan_f32(std::uint32_t* values);
/// Per lane, how a compares with b; where neither holds, one of them is a NaN.
struct FloatRelations {
  std::uint32_t less, equal, greater;
};
FloatRelations relations_f32(const std::uint32_t* a, const std::uint32_t* b);
/// Clamps to [0, 1]; NaN and negative values become +0.
void saturate_f32(std::uint32_t* values);

/// What the loops do for each lane.
[[gnu::always_inline]] inline std::uint32_t canonical_f32(float value) {
  const auto x = std::bit_cast<std::uint32_t>(value);
  return (x & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : x;
}
[[gnu::always_inline]] inline float f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }
[[gnu::always_inline]] inline double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }

inline bool is_nan_f32(std::uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; }
inline bool is_nan_f64(std::uint64_t x) { return (x & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
inline std::uint32_t flushed_f32(std::uint32_t x) { return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x; }

}  // namespace sassim::emu
