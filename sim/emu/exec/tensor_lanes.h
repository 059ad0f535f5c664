// SPDX-License-Identifier: Apache-2.0
// The fast form of the tensor cores' sums: those of DotProduct (tensor_math.h), with the same bits, for eight results
// at once in vectors of the host.
#pragma once

#include <array>
#include <cstdint>

#include "sim/emu/exec/tensor_math.h"

namespace sassim::emu {

inline constexpr int kTensorLanes = 8, kTensorDepth = 16;
/// Products of a sum on Volta.
inline constexpr int kQuadDepth = 4;

/// Up to eight rows or columns, `factor[k][line]`.
struct TensorFactors {
  float factor[kTensorDepth][kTensorLanes];
  std::int32_t exponent[kTensorDepth][kTensorLanes];  ///< far below all others if the factor is zero

  /// Derives exponents from `count` factors of each line. Returns false if one is infinite, a NaN, or so large or small
  /// that sums need the general form.
  bool prepare(int count);
};

/// Element n of each lane's four, and the places there of `factor[k][lane]` below.
using QuadElements = float[kQuadDepth][32];
using QuadPlaces = std::array<std::uint8_t, kQuadDepth * 32>;

/// The factors of a sum in each lane of a warp: `factor[k][lane]`.
struct LaneFactors {
  float factor[kQuadDepth][32];
  std::int32_t exponent[kQuadDepth][32];

  /// Takes each factor from its place. Returns false as prepare() does.
  bool pick(const QuadElements& elements, const QuadPlaces& places);
};

/// Rows of A by eight columns of B: results[row][i] = dot(a row, b column i, count, results[row][i]). Returns the rows
/// that it left as they were because a result needs the general form: an accumulator or a sum that is no normal number.
unsigned multiply_rows(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count, unsigned rows,
                       float (&results)[kTensorLanes][kTensorLanes]);

/// A sum in each lane: results[lane] = dot(a of the lane, b of the lane, kQuadDepth, results[lane]). Returns the lanes
/// that it left as they were.
std::uint32_t multiply_lanes(const DotProduct& dot, const LaneFactors& a, const LaneFactors& b, float (&results)[32]);

}  // namespace sassim::emu
