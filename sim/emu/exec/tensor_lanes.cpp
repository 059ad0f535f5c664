// SPDX-License-Identifier: Apache-2.0
// The fast form of the emulator's tensor-core sums, eight results at once; rare cases are left to DotProduct.
#include "sim/emu/exec/tensor_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sim/emu/exec/half.h"
#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

namespace {

constexpr double kNothing = -4000;          // the exponent of zero: below that of every sum of factors
constexpr double kInteger = 0x1p52;         // integers below are exact behind it, in the lowest bits
constexpr double kSmallest = 0x1p-126;      // of the normal numbers in single precision
constexpr std::uint64_t kCut = 0x1fffffff;  // bits of a double behind the 24 of a float

#define SASSIM_INLINE __attribute__((always_inline)) inline

SASSIM_INLINE double larger(double a, double b) { return a > b ? a : b; }

/// Of a finite number that is not zero.
SASSIM_INLINE double exponent_of(double value) {
  const std::uint64_t biased = std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff;
  return std::bit_cast<double>(biased | std::bit_cast<std::uint64_t>(kInteger)) - kInteger - 1023;
}

SASSIM_INLINE double power_of_two(double exponent) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(exponent + 1023 + kInteger) << 52);
}

/// One group of products is added to the accumulators.
template <int... k>
SASSIM_INLINE void add_group(std::integer_sequence<int, k...>, const TensorFactors& a, int row, const TensorFactors& b,
                             int first, double below, std::uint64_t cut, double* __restrict accumulators,
                             double* __restrict smallest) {
  for (int i = 0; i < kTensorLanes; ++i) {
    const double old = accumulators[i];
    const double exponent = larger(exponent_of(old), -126);
    double top = old == 0 ? kNothing : exponent;
    ((top = larger(top, a.exponent[first + k][row] + b.exponent[first + k][i])), ...);
    const double scale = larger(top, -900) - below;
    const double up = power_of_two(-scale);
    double sum = 0.0 + std::trunc(old * up);  // never -0
    ((sum += std::trunc(a.value[first + k][row] * b.value[first + k][i] * up)), ...);
    const double kept = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & ~cut);
    const double result = kept * power_of_two(scale), size = std::fabs(result);
    accumulators[i] = top > -2000 ? result : old;
    const double not_zero = size == 0 ? 1.0 : size, not_large = size < 0x1p128 ? not_zero : 0.0;
    smallest[i] = not_large < smallest[i] ? not_large : smallest[i];
  }
}

template <int kGroup>
SASSIM_INLINE bool add_groups(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b, int count,
                              double* sums) {
  const double below = 23 + dot.rules.extra_bits;
  const std::uint64_t cut = dot.half_result ? 0 : kCut;
  double smallest[kTensorLanes];
  for (double& size : smallest) size = 1;
  for (int first = 0; first < count; first += kGroup) {
    add_group(std::make_integer_sequence<int, kGroup>(), a, row, b, first, below, cut, sums, smallest);
    if (dot.half_result && first + kGroup < count)  // as DotProduct
      for (int i = 0; i < kTensorLanes; ++i) sums[i] = static_cast<double>(static_cast<float>(sums[i]));
  }
  for (const double size : smallest)
    if (size < kSmallest) return false;
  return true;
}

SASSIM_LANE_LOOP bool add_by_4(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b,
                               int count, double* sums) {
  return add_groups<4>(dot, a, row, b, count, sums);
}
SASSIM_LANE_LOOP bool add_by_8(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b,
                               int count, double* sums) {
  return add_groups<8>(dot, a, row, b, count, sums);
}
SASSIM_LANE_LOOP bool add_by_16(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b,
                                int count, double* sums) {
  return add_groups<16>(dot, a, row, b, count, sums);
}

SASSIM_LANE_LOOP bool prepare_factors(TensorFactors& factors, int count) {
  const float* const all = &factors.factor[0][0];
  double *const values = &factors.value[0][0], *const exponents = &factors.exponent[0][0];
  std::uint32_t largest = 0;
  for (int i = 0; i < count * kTensorLanes; ++i) {
    const float factor = all[i];
    const std::uint32_t size = std::bit_cast<std::uint32_t>(factor) & 0x7fffffffu;
    largest = size > largest ? size : largest;
    const double value = factor, exponent = exponent_of(value);
    values[i] = value;
    exponents[i] = size == 0 ? kNothing : exponent;
  }
  return largest < 0x7f800000u;
}

}  // namespace

bool TensorFactors::prepare(int count) { return prepare_factors(*this, count); }

SASSIM_LANE_LOOP void floats_of_halves(const std::uint32_t* words, float* lower, float* upper) {
  for (int lane = 0; lane < 32; ++lane) lower[lane] = half_to_float(static_cast<std::uint16_t>(words[lane]));
  for (int lane = 0; lane < 32; ++lane) upper[lane] = half_to_float(static_cast<std::uint16_t>(words[lane] >> 16));
}

bool multiply_row(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b, int count,
                  float* results) {
  double sums[kTensorLanes];
  for (int i = 0; i < kTensorLanes; ++i) {
    if (!std::isfinite(results[i])) return false;
    sums[i] = results[i];
  }
  const int group = std::min(dot.rules.group, count);
  if (count % group != 0) return false;
  const bool done = group == 4   ? add_by_4(dot, a, row, b, count, sums)
                    : group == 8 ? add_by_8(dot, a, row, b, count, sums)
                                 : group == 16 && add_by_16(dot, a, row, b, count, sums);
  if (!done) return false;
  for (int i = 0; i < kTensorLanes; ++i)
    results[i] = dot.half_result ? half_to_float(float_to_half(narrow_to_odd(sums[i]))) : static_cast<float>(sums[i]);
  return true;
}

}  // namespace sassim::emu
