// SPDX-License-Identifier: Apache-2.0
// The fast form of the emulator's tensor-core sums, eight results at once; rare cases are left to DotProduct.
#include "sim/emu/exec/tensor_lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/emu/exec/half.h"
#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

namespace {

using Floats [[gnu::vector_size(32)]] = float;
using Ints [[gnu::vector_size(32)]] = std::int32_t;
using Unsigned [[gnu::vector_size(32)]] = std::uint32_t;
using Longs [[gnu::vector_size(32)]] = std::int64_t;

constexpr std::int32_t kNothing = -4000;          // the exponent of zero: below that of every sum of factors
constexpr std::int32_t kLargestFactor = 50;       // exponents of factors whose products make no sum infinite
constexpr std::int32_t kLeastTop = -100;          // scales that are floats
constexpr std::int32_t kLargestSum = 0x7fffff00;  // the largest float below 2^31, nearly

#define SASSIM_INLINE __attribute__((always_inline)) inline

SASSIM_INLINE void raise(Ints& top, const Ints& to) { top = to > top ? to : top; }

/// Eight sums.
struct Accumulators {
  Floats sums;
  Ints fine;  ///< zero where the general form is needed
};

SASSIM_INLINE bool all(const Ints& lanes) {
  const Longs pairs = reinterpret_cast<Longs>(lanes);
  return (pairs[0] & pairs[1] & pairs[2] & pairs[3]) == -1;
}

/// How a sum becomes one of single precision: cut, for a result in single precision; to nearest even between groups of
/// a sum with a result in half precision; at its end to odd (cut, with a last bit of 1 if something was cut off), so
/// that rounding again is correct.
enum class Narrow { cut, nearest, odd };

/// The accumulators become `sum` / 2^`shift`, rounded as `how` says, but for those whose `changed` is zero.
SASSIM_INLINE void accumulate(const Ints& sum, const Ints& shift, const Ints& changed, Narrow how,
                              Accumulators& accumulators) {
  const Ints negative = sum >> 31;
  const Ints size =
      reinterpret_cast<Ints>(reinterpret_cast<Unsigned>(sum ^ negative) - reinterpret_cast<Unsigned>(negative));
  const Floats nearest = __builtin_convertvector(size, Floats);
  const Ints back = __builtin_convertvector(nearest, Ints);
  Ints bits = reinterpret_cast<Ints>(nearest);
  if (how != Narrow::nearest) bits += back > size;  // the float below
  if (how == Narrow::odd) bits |= (back != size) & 1;
  const Floats result = reinterpret_cast<Floats>(bits) * reinterpret_cast<Floats>((127 - shift) << 23);
  const Ints result_bits = reinterpret_cast<Ints>(result), exponent = result_bits >> 23;
  accumulators.fine &= (size >= 0) & (size <= kLargestSum) & ((size == 0) | (exponent > 0));
  const Ints with_sign = result_bits | (negative & INT32_MIN), old = reinterpret_cast<Ints>(accumulators.sums);
  accumulators.sums = reinterpret_cast<Floats>((with_sign & changed) | (old & ~changed));
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
/// nine of them fit into an integer. Seventeen, in groups of 16, may not: then the general form is needed.
template <class A, class B, int... k>
SASSIM_INLINE void add_group(std::integer_sequence<int, k...>, const A& a, const B& b, int first, std::int32_t below,
                             Narrow how, Accumulators& accumulators) {
  const Floats old = accumulators.sums;
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
  Ints sum = sums[0];
  if (sizeof...(k) > 8) {
    sum = reinterpret_cast<Ints>(reinterpret_cast<Unsigned>(sums[0]) + reinterpret_cast<Unsigned>(sums[1]));
    accumulators.fine &= ((sums[0] ^ sum) & (sums[1] ^ sum)) >= 0;  // it fits
  }
  const Ints changed = top > kNothing / 2;
  accumulators.fine &= (top >= kLeastTop) | ~changed;
  accumulate(sum, shift, changed, how, accumulators);
}

/// Adds products to eight `results`. Returns false, and changes nothing, if a sum is no normal number.
template <int kGroup, class A, class B>
SASSIM_INLINE bool add_groups(const DotProduct& dot, const A& a, const B& b, int count, float* results) {
  const std::int32_t below = 23 + dot.rules.extra_bits;
  const auto group = std::make_integer_sequence<int, kGroup>();
  Accumulators sums;
  std::memcpy(&sums.sums, results, sizeof sums.sums);
  sums.fine = (reinterpret_cast<Ints>(sums.sums) >> 23 & 0xff) != 0xff;
  if (dot.half_result) {
    int first = 0;
    for (; first + kGroup < count; first += kGroup) add_group(group, a, b, first, below, Narrow::nearest, sums);
    add_group(group, a, b, first, below, Narrow::odd, sums);
  } else {
    for (int first = 0; first < count; first += kGroup) add_group(group, a, b, first, below, Narrow::cut, sums);
  }
  if (!all(sums.fine)) return false;
  std::memcpy(results, &sums.sums, sizeof sums.sums);
  if (dot.half_result)
    for (int i = 0; i < kTensorLanes; ++i) results[i] = half_to_float(float_to_half(results[i]));
  return true;
}

SASSIM_LANE_LOOP bool prepare_factors(const float* factors, std::int32_t* exponents, int count) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) {
    const std::int32_t exponent = (std::bit_cast<std::int32_t>(factors[i]) >> 23 & 0xff) - 127,
                       size = exponent < 0 ? -exponent : exponent;
    const bool zero = factors[i] == 0;
    exponents[i] = zero ? kNothing : exponent;
    const std::int32_t counted = zero ? 0 : size;
    largest = counted > largest ? counted : largest;
  }
  return largest <= kLargestFactor;
}

}  // namespace

bool TensorFactors::prepare(int count) { return prepare_factors(&factor[0][0], &exponent[0][0], count * kTensorLanes); }

bool LaneFactors::pick(const QuadElements& elements, const QuadPlaces& places) {
  const float* const all = &elements[0][0];
  float* const picked = &factor[0][0];
  for (std::size_t i = 0; i < places.size(); ++i) picked[i] = all[places[i]];
  return prepare_factors(picked, &exponent[0][0], static_cast<int>(places.size()));
}

SASSIM_LANE_LOOP unsigned multiply_rows(const DotProduct& dot, const TensorFactors& a, const TensorFactors& b,
                                        int count, unsigned rows, float (&results)[kTensorLanes][kTensorLanes]) {
  const int group = std::min(dot.rules.group, count);
  if (count % group != 0) return rows;
  const Each<TensorFactors> columns{b, 0};
  unsigned left = 0;
  for (; rows != 0; rows &= rows - 1) {
    const RowOfA row{a, std::countr_zero(rows)};
    float* const to = results[row.row];
    const bool added = group == 4   ? add_groups<4>(dot, row, columns, count, to)
                       : group == 8 ? add_groups<8>(dot, row, columns, count, to)
                                    : group == 16 && add_groups<16>(dot, row, columns, count, to);
    if (!added) left |= 1u << row.row;
  }
  return left;
}

SASSIM_LANE_LOOP std::uint32_t multiply_lanes(const DotProduct& dot, const LaneFactors& a, const LaneFactors& b,
                                              float (&results)[32]) {
  if (dot.rules.group < kQuadDepth) return ~0u;
  std::uint32_t left = 0;
  for (int first = 0; first < 32; first += kTensorLanes) {
    const Each<LaneFactors> of_a{a, first}, of_b{b, first};
    if (!add_groups<kQuadDepth>(dot, of_a, of_b, kQuadDepth, results + first)) left |= 0xffu << first;
  }
  return left;
}

}  // namespace sassim::emu
