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

// Compilers handle the numbers of a vector that is longer than 256 bits one by one, so 64-bit ones are in two vectors.
using Floats [[gnu::vector_size(32)]] = float;
using Ints [[gnu::vector_size(32)]] = std::int32_t;
using HalfFloats [[gnu::vector_size(16)]] = float;
using HalfInts [[gnu::vector_size(16)]] = std::int32_t;
using Doubles [[gnu::vector_size(32)]] = double;
using Longs [[gnu::vector_size(32)]] = std::int64_t;

constexpr std::int32_t kNothing = -4000;     // the exponent of zero: below that of every sum of factors
constexpr std::int32_t kLargestFactor = 50;  // exponents of factors whose products stay far from the limits of floats
constexpr std::int32_t kLeastTop = -100;     // scales that are floats
constexpr double kSmallest = 0x1p-126;       // of the normal numbers in single precision
constexpr std::int64_t kCut = 0x1fffffff;    // bits of a double behind the 24 of a float
constexpr std::int64_t kSign = INT64_MIN;    // of a double

#define SASSIM_INLINE __attribute__((always_inline)) inline

SASSIM_INLINE void raise(Ints& top, const Ints& to) { top = to > top ? to : top; }

SASSIM_INLINE std::int32_t biased_exponent(float value) { return std::bit_cast<std::int32_t>(value) >> 23 & 0xff; }

/// The lower or the upper half of a vector.
template <class Whole, class Half>
SASSIM_INLINE void take_half(const Whole& whole, int half, Half& part) {
  std::memcpy(&part, reinterpret_cast<const char*>(&whole) + half * sizeof part, sizeof part);
}
template <class Half, class Whole>
SASSIM_INLINE void put_half(const Half& part, int half, Whole& whole) {
  std::memcpy(reinterpret_cast<char*>(&whole) + half * sizeof part, &part, sizeof part);
}

/// Eight sums.
struct Accumulators {
  Doubles halves[2];
  Longs fine[2];  ///< zero where a sum was no normal number
  Ints in_range;  ///< zero where the sum at the beginning was no number, or the scale of a group was too small
};

SASSIM_INLINE void start(const float* values, Accumulators& sums) {
  Floats all;
  std::memcpy(&all, values, sizeof all);
  for (int half = 0; half < 2; ++half) {
    HalfFloats part;
    take_half(all, half, part);
    sums.halves[half] = __builtin_convertvector(part, Doubles);
    sums.fine[half] = ~Longs{};
  }
  sums.in_range = (reinterpret_cast<Ints>(all) >> 23 & 0xff) != 0xff;
}

SASSIM_INLINE bool all_fine(const Accumulators& sums) {
  HalfInts lower, upper;
  take_half(sums.in_range, 0, lower);
  take_half(sums.in_range, 1, upper);
  const HalfInts ranges = lower & upper;
  const Longs all = sums.fine[0] & sums.fine[1] & __builtin_convertvector(ranges, Longs);
  return (all[0] & all[1] & all[2] & all[3]) != 0;
}

/// Adds a group's sums to one half of the accumulators; `any` is zero where the group adds nothing.
SASSIM_INLINE void accumulate(const Doubles& sum, const HalfInts& shift, const HalfInts& any, const HalfFloats& old,
                              std::int64_t cut, Doubles& accumulator, Longs& fine) {
  const Longs down = (1023 - __builtin_convertvector(shift, Longs)) << 52;
  const Doubles kept = reinterpret_cast<Doubles>(reinterpret_cast<Longs>(sum) & ~cut);
  const Doubles result = kept * reinterpret_cast<Doubles>(down);
  const Doubles size = reinterpret_cast<Doubles>(reinterpret_cast<Longs>(result) & ~kSign);
  fine &= (size == 0) | ((size >= kSmallest) & (size < 0x1p128));
  const Longs changed = __builtin_convertvector(any, Longs);
  const Doubles unchanged = __builtin_convertvector(old, Doubles);
  accumulator = reinterpret_cast<Doubles>((reinterpret_cast<Longs>(result) & changed) |
                                          (reinterpret_cast<Longs>(unchanged) & ~changed));
}

/// A row of A, the same for eight columns of B.
struct RowOfA {
  SASSIM_INLINE void get(int k, Floats& factor, Ints& exponent) const {
    factor = a.factor[k][row] - Floats{};
    exponent = a.exponent[k][row] - Ints{};
  }
  const TensorFactors& a;
  int row;
};

/// A factor for each of eight sums.
template <class Factors>
struct Each {
  SASSIM_INLINE void get(int k, Floats& factor, Ints& exponent) const {
    std::memcpy(&factor, factors.factor[k] + first, sizeof factor);
    std::memcpy(&exponent, factors.exponent[k] + first, sizeof exponent);
  }
  const Factors& factors;
  int first;
};

template <class A, class B>
SASSIM_INLINE void multiply(const A& a, const B& b, int k, Floats& product, Ints& top) {
  Floats factor_a, factor_b;
  Ints exponent_a, exponent_b;
  a.get(k, factor_a, exponent_a);
  b.get(k, factor_b, exponent_b);
  product = factor_a * factor_b;
  raise(top, exponent_a + exponent_b);
}

/// One group of products is added to the accumulators.
///
/// Everything is exact: products have 22 bits; scaled so that the last bit which is kept is 1, they are below 2^27, and
/// nine of them fit into an integer.
template <class A, class B, int... k>
SASSIM_INLINE void add_group(std::integer_sequence<int, k...>, const A& a, const B& b, int first, std::int32_t below,
                             std::int64_t cut, Accumulators& accumulators) {
  HalfFloats olds[2];
  for (int half = 0; half < 2; ++half) olds[half] = __builtin_convertvector(accumulators.halves[half], HalfFloats);
  Floats old;
  std::memcpy(&old, olds, sizeof old);
  Ints top = (reinterpret_cast<Ints>(old) >> 23 & 0xff) - 127;
  raise(top, Ints{} - 126);
  top = old == 0 ? Ints{} + kNothing : top;
  Floats products[sizeof...(k)];
  (multiply(a, b, first + k, products[k], top), ...);
  Ints scale = top;
  raise(scale, Ints{} + kLeastTop);
  const Ints shift = below - scale;
  const Floats up = reinterpret_cast<Floats>((shift + 127) << 23);
  Ints sums[2] = {__builtin_convertvector(old * up, Ints), Ints{}};
  ((sums[k / 8] += __builtin_convertvector(products[k] * up, Ints)), ...);
  const Ints any = top > kNothing / 2;
  accumulators.in_range &= (top >= kLeastTop) | ~any;
  for (int half = 0; half < 2; ++half) {
    HalfInts first_sums, second_sums, shifts, changed;
    take_half(sums[0], half, first_sums);
    take_half(sums[1], half, second_sums);
    take_half(shift, half, shifts);
    take_half(any, half, changed);
    Doubles sum = __builtin_convertvector(first_sums, Doubles);
    if (sizeof...(k) > 8) sum += __builtin_convertvector(second_sums, Doubles);
    accumulate(sum, shifts, changed, olds[half], cut, accumulators.halves[half], accumulators.fine[half]);
  }
}

/// To the 24 bits of a float: cut, with a last bit of 1 if something was cut off, so that rounding again is correct.
SASSIM_INLINE void round_to_odd(Doubles& values) {
  const Longs bits = reinterpret_cast<Longs>(values);
  values = reinterpret_cast<Doubles>((bits & ~kCut) | (((bits & kCut) != 0) & (kCut + 1)));
}

/// Adds products to eight `results`. Returns false, and changes nothing, if a sum is no normal number.
template <int kGroup, class A, class B>
SASSIM_INLINE bool add_groups(const DotProduct& dot, const A& a, const B& b, int count, float* results) {
  const std::int32_t below = 23 + dot.rules.extra_bits;
  const std::int64_t cut = dot.half_result ? 0 : kCut;
  Accumulators sums;
  start(results, sums);
  for (int first = 0; first < count; first += kGroup)  // between groups, sums are those of single precision
    add_group(std::make_integer_sequence<int, kGroup>(), a, b, first, below, cut, sums);
  if (!all_fine(sums)) return false;
  for (int half = 0; half < 2; ++half) {
    if (dot.half_result) round_to_odd(sums.halves[half]);
    const HalfFloats part = __builtin_convertvector(sums.halves[half], HalfFloats);
    std::memcpy(results + half * kTensorLanes / 2, &part, sizeof part);
  }
  if (dot.half_result)
    for (int i = 0; i < kTensorLanes; ++i) results[i] = half_to_float(float_to_half(results[i]));
  return true;
}

template <int kGroup>
SASSIM_INLINE unsigned add_rows(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count,
                                unsigned rows, float (*results)[kTensorLanes]) {
  for (int row = 0; row < kTensorLanes; ++row)
    if ((rows >> row & 1) != 0 &&
        add_groups<kGroup>(dot, RowOfA{a, row}, Each<TensorFactors>{b, 0}, count, results[row]))
      rows &= ~(1u << row);
  return rows;
}

SASSIM_LANE_LOOP unsigned add_by_4(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count,
                                   unsigned rows, float (*results)[kTensorLanes]) {
  return add_rows<4>(dot, a, b, count, rows, results);
}
SASSIM_LANE_LOOP unsigned add_by_8(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count,
                                   unsigned rows, float (*results)[kTensorLanes]) {
  return add_rows<8>(dot, a, b, count, rows, results);
}
SASSIM_LANE_LOOP unsigned add_by_16(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count,
                                    unsigned rows, float (*results)[kTensorLanes]) {
  return add_rows<16>(dot, a, b, count, rows, results);
}

SASSIM_LANE_LOOP std::uint32_t add_to_lanes(const DotProduct& dot, const LaneFactors& a, const LaneFactors& b,
                                            float* results) {
  std::uint32_t left = 0;
  for (int first = 0; first < 32; first += kTensorLanes)
    if (!add_groups<kQuadDepth>(dot, Each<LaneFactors>{a, first}, Each<LaneFactors>{b, first}, kQuadDepth,
                                results + first))
      left |= 0xffu << first;
  return left;
}

SASSIM_LANE_LOOP bool prepare_factors(const float* factors, std::int32_t* exponents, int count) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) {
    const std::int32_t exponent = biased_exponent(factors[i]) - 127, size = exponent < 0 ? -exponent : exponent;
    const bool zero = factors[i] == 0;
    exponents[i] = zero ? kNothing : exponent;
    const std::int32_t counted = zero ? 0 : size;
    largest = counted > largest ? counted : largest;
  }
  return largest <= kLargestFactor;
}

}  // namespace

bool TensorFactors::prepare(int count) { return prepare_factors(&factor[0][0], &exponent[0][0], count * kTensorLanes); }

bool LaneFactors::prepare() { return prepare_factors(&factor[0][0], &exponent[0][0], kQuadDepth * 32); }

SASSIM_LANE_LOOP void floats_of_halves(const std::uint32_t* words, float* lower, float* upper) {
  for (int lane = 0; lane < 32; ++lane) lower[lane] = half_to_float(static_cast<std::uint16_t>(words[lane]));
  for (int lane = 0; lane < 32; ++lane) upper[lane] = half_to_float(static_cast<std::uint16_t>(words[lane] >> 16));
}

SASSIM_LANE_LOOP void halves_of_floats(const float* lower, const float* upper, std::uint32_t* words) {
  for (int lane = 0; lane < 32; ++lane)
    words[lane] = float_to_half(lower[lane]) | std::uint32_t{float_to_half(upper[lane])} << 16;
}

unsigned multiply_rows(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b, int count, unsigned rows,
                       float (&results)[kTensorLanes][kTensorLanes]) {
  const int group = std::min(dot.rules.group, count);
  if (count % group != 0) return rows;
  switch (group) {
    case 4:
      return add_by_4(dot, a, b, count, rows, results);
    case 8:
      return add_by_8(dot, a, b, count, rows, results);
    case 16:
      return add_by_16(dot, a, b, count, rows, results);
    default:
      return rows;
  }
}

std::uint32_t multiply_lanes(const DotProduct& dot, const LaneFactors& a, const LaneFactors& b, float (&results)[32]) {
  return dot.rules.group < kQuadDepth ? ~0u : add_to_lanes(dot, a, b, results);
}

}  // namespace sassim::emu
