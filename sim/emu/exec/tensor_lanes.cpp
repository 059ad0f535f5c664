// SPDX-License-Identifier: Apache-2.0
// The fast form of the emulator's tensor-core sums, eight results at once; rare cases are left to DotProduct.
#include "sim/emu/exec/tensor_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "sim/emu/exec/half.h"
#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

namespace {

using Floats [[gnu::vector_size(32)]] = float;
using Ints [[gnu::vector_size(32)]] = std::int32_t;
using Doubles [[gnu::vector_size(64)]] = double;
using Longs [[gnu::vector_size(64)]] = std::int64_t;

constexpr std::int32_t kNothing = -4000;     // the exponent of zero: below that of every sum of factors
constexpr std::int32_t kLargestFactor = 50;  // exponents of factors whose products stay far from the limits of floats
constexpr std::int32_t kLeastTop = -100;     // scales that are floats
constexpr double kSmallest = 0x1p-126;       // of the normal numbers in single precision
constexpr std::int64_t kCut = 0x1fffffff;    // bits of a double behind the 24 of a float

#define SASSIM_INLINE __attribute__((always_inline)) inline

SASSIM_INLINE void raise(Ints& top, const Ints& to) { top = to > top ? to : top; }

SASSIM_INLINE std::int32_t biased_exponent(float value) { return std::bit_cast<std::int32_t>(value) >> 23 & 0xff; }

/// One group of products is added to the accumulators. False in `fine` where a sum is no normal number.
///
/// Everything is exact: products have 22 bits; scaled so that the last bit which is kept is 1, they are below 2^27, and
/// nine of them fit into an integer.
template <int... k>
SASSIM_INLINE void add_group(std::integer_sequence<int, k...>, const TensorFactors& a, int row, const TensorFactors& b,
                             int first, std::int32_t below, std::int64_t cut, Doubles& accumulators, Longs& fine) {
  const Floats old = __builtin_convertvector(accumulators, Floats);
  Ints top = (reinterpret_cast<Ints>(old) >> 23 & 0xff) - 127;
  raise(top, Ints{} - 126);
  top = old == 0 ? Ints{} + kNothing : top;
  Ints columns;
  ((std::memcpy(&columns, b.exponent[first + k], sizeof columns), raise(top, columns + a.exponent[first + k][row])),
   ...);
  Ints scale = top;
  raise(scale, Ints{} + kLeastTop);
  const Ints shift = below - scale;
  const Floats up = reinterpret_cast<Floats>((shift + 127) << 23);
  Ints sums[2] = {__builtin_convertvector(old * up, Ints), Ints{}};
  Floats factors;
  ((std::memcpy(&factors, b.factor[first + k], sizeof factors),
    sums[k / 8] += __builtin_convertvector(factors * a.factor[first + k][row] * up, Ints)),
   ...);
  const Doubles sum = __builtin_convertvector(sums[0], Doubles) + __builtin_convertvector(sums[1], Doubles);
  const Doubles kept = reinterpret_cast<Doubles>(reinterpret_cast<Longs>(sum) & ~cut);
  const Longs down = (1023 - __builtin_convertvector(shift, Longs)) << 52;
  const Doubles result = kept * reinterpret_cast<Doubles>(down), size = result < 0 ? -result : result;
  const Longs tops = __builtin_convertvector(top, Longs);
  fine &= ((size == 0) | ((size >= kSmallest) & (size < 0x1p128))) & ((tops >= kLeastTop) | (tops < kNothing / 2));
  accumulators = tops > kNothing / 2 ? result : __builtin_convertvector(old, Doubles);
}

template <int kGroup>
SASSIM_INLINE bool add_groups(const DotProduct& dot, const TensorFactors& a, int row, const TensorFactors& b, int count,
                              double* results) {
  const std::int32_t below = 23 + dot.rules.extra_bits;
  const std::int64_t cut = dot.half_result ? 0 : kCut;
  Doubles sums;
  std::memcpy(&sums, results, sizeof sums);
  Longs fine = Longs{} - 1;
  for (int first = 0; first < count; first += kGroup)  // between groups, sums are those of single precision
    add_group(std::make_integer_sequence<int, kGroup>(), a, row, b, first, below, cut, sums, fine);
  std::memcpy(results, &sums, sizeof sums);
  std::int64_t all = -1;
  for (int i = 0; i < kTensorLanes; ++i) all &= fine[i];
  return all != 0;
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
  std::int32_t* const exponents = &factors.exponent[0][0];
  std::int32_t largest = 0;
  for (int i = 0; i < count * kTensorLanes; ++i) {
    const std::int32_t exponent = biased_exponent(all[i]) - 127, size = exponent < 0 ? -exponent : exponent;
    const bool zero = all[i] == 0;
    exponents[i] = zero ? kNothing : exponent;
    const std::int32_t counted = zero ? 0 : size;
    largest = counted > largest ? counted : largest;
  }
  return largest <= kLargestFactor;
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
