// SPDX-License-Identifier: Apache-2.0
// One dot product as a tensor core computes it, bit by bit, for HMMA and its relatives in the emulator.
#include "sim/emu/exec/tensor_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sim/emu/exec/half.h"

namespace sassim::emu {
namespace {

constexpr int kMostTerms = 33;

int exponent_of(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - 1023; }

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

/// Cuts an exact integer times 2^scale to the 24 bits of a float.
float cut_to_single(std::int64_t sum, int scale) {
  if (sum == 0) return 0.0f;
  std::uint64_t magnitude = sum < 0 ? 0 - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
  const int top = 63 - std::countl_zero(magnitude);
  // Subnormal results have fewer bits.
  const int lowest = std::max(top - 23, -149 - scale);
  if (lowest > 63) return 0.0f;
  if (lowest > 0) magnitude = magnitude >> lowest << lowest;
  const double value = std::ldexp(static_cast<double>(magnitude), scale);
  const float single = value < 0x1p128 ? static_cast<float>(value) : std::numeric_limits<float>::infinity();
  return sum < 0 ? -single : single;
}

/// A product; the hardware aligns it by the sum of its factors' exponents.
struct Term {
  double value;
  int exponent;
};

}  // namespace

float DotProduct::operator()(const float* a, const float* b, int count, float c) const {
  double special = c;  // NaN or infinite if the result is
  for (int i = 0; i < count; ++i) special += static_cast<double>(a[i]) * b[i];
  if (!std::isfinite(special))
    return std::isnan(special) ? std::bit_cast<float>(0x7fffffffu) : static_cast<float>(special);
  float accumulator = c;
  for (int first = 0; first < count; first += rules.group) {
    Term terms[kMostTerms];
    int used = 0, top = -100000;
    const auto add = [&](double value, int exponent) {
      terms[used++] = {value, exponent};
      top = std::max(top, exponent);
    };
    for (int i = first; i < std::min(count, first + rules.group); ++i)
      if (a[i] != 0 && b[i] != 0) add(static_cast<double>(a[i]) * b[i], exponent_of(a[i]) + exponent_of(b[i]));
    if (std::isinf(accumulator)) return accumulator;  // an earlier group overflowed
    if (accumulator != 0) add(accumulator, std::max(exponent_of(accumulator), -126));
    if (used == 0) continue;
    const int scale = top - 23 - rules.extra_bits;
    const double up = power_of_two(std::clamp(-scale, -1000, 1000));
    std::int64_t sum = 0;
    for (int k = 0; k < used; ++k) sum += static_cast<std::int64_t>(terms[k].value * up);
    if (half_result && first + rules.group >= count)
      return half_to_float(float_to_half(narrow_to_odd(std::ldexp(static_cast<double>(sum), scale))));
    accumulator =
        half_result ? static_cast<float>(std::ldexp(static_cast<double>(sum), scale)) : cut_to_single(sum, scale);
  }
  return accumulator;
}

}  // namespace sassim::emu
