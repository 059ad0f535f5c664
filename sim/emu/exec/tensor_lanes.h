// SPDX-License-Identifier: Apache-2.0
// The fast form of the tensor cores' sums: those of DotProduct (tensor_math.h), with the same bits, for eight results
// at once in vectors of the host.
#pragma once

#include <cstdint>

#include "sim/emu/exec/tensor_math.h"

namespace sassim::emu {

inline constexpr int kTensorLanes = 8, kTensorDepth = 16;

/// Up to eight rows or columns, `factor[k][line]`.
struct TensorFactors {
  float factor[kTensorDepth][kTensorLanes];
  std::int32_t exponent[kTensorDepth][kTensorLanes];  ///< far below all others if the factor is zero

  /// Derives exponents from `count` factors of each line. Returns false if one is infinite, a NaN, or so large or small
  /// that sums need the general form.
  bool prepare(int count);
};

/// Row `row` of A by eight columns of B: results[i] = dot(a row, b column i, count, results[i]). Returns false, and
/// changes nothing, if a result needs the general form: an accumulator or a sum that is no normal number.
bool multiply_row(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b, int count,
                  float* results);

/// The lower and upper halves of the words of 32 lanes.
void floats_of_halves(const std::uint32_t* words, float* lower, float* upper);

}  // namespace sassim::emu
