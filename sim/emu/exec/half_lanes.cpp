// SPDX-License-Identifier: Apache-2.0
// Pairs of halves in a warp's 32 lanes (float_lanes.h), by the host's own conversions where it has them.
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {

namespace {

struct HalfLanes {
  alignas(64) float v[64];  ///< the lower halves, then the upper halves
};

[[gnu::always_inline]] inline void widen(const std::uint32_t* pairs, float* lower, float* upper) {
  for (int i = 0; i < 32; ++i) lower[i] = half_to_float(static_cast<std::uint16_t>(pairs[i]));
  for (int i = 0; i < 32; ++i) upper[i] = half_to_float(static_cast<std::uint16_t>(pairs[i] >> 16));
}
[[gnu::always_inline]] inline void widen(const std::uint32_t* pairs, HalfLanes& to) { widen(pairs, to.v, to.v + 32); }

[[gnu::always_inline]] inline void narrow(const float* lower, const float* upper, std::uint32_t* pairs) {
  for (int i = 0; i < 32; ++i) pairs[i] = float_to_half(lower[i]) | std::uint32_t{float_to_half(upper[i])} << 16;
}
[[gnu::always_inline]] inline void narrow(const HalfLanes& from, std::uint32_t* pairs) {
  narrow(from.v, from.v + 32, pairs);
}

enum class HalfOperation : std::uint8_t { add, multiply, multiply_add };

#ifdef __x86_64__
/// Whether the host converts halves itself (F16C, which every processor with AVX2 and FMA has).
bool converts_halves() {
  static const bool can = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return can;
}

/// As add_to_odd() of half.h.
[[gnu::target("avx2,f16c")]] inline __m256 sum_to_odd(__m256 a, __m256 b) {
  const __m256 sum = a + b, virtual_b = sum - a, error = (a - (sum - virtual_b)) + (b - virtual_b);
  const __m256i bits = _mm256_castps_si256(sum), one = _mm256_set1_epi32(1);
  const __m256i infinite = _mm256_set1_epi32(0x7f800000);
  const __m256i exact = _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_EQ_UQ));
  const __m256i no_number = _mm256_cmpeq_epi32(_mm256_and_si256(bits, infinite), infinite);
  const __m256i odd = _mm256_cmpeq_epi32(_mm256_and_si256(bits, one), one);
  // The direction of the rounding error, 1 or -1.
  const __m256i away = _mm256_or_si256(_mm256_srai_epi32(_mm256_xor_si256(bits, _mm256_castps_si256(error)), 31), one);
  const __m256i kept = _mm256_or_si256(_mm256_or_si256(exact, no_number), odd);
  return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_andnot_si256(kept, away)));
}

[[gnu::target("avx2,f16c")]] inline __m256 eight(const std::uint32_t* pairs) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pairs)));
}

template <HalfOperation kOperation>
[[gnu::target("avx2,f16c")]] void halves_on_host(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                                                 std::uint32_t* out) {
  const __m128i nan = _mm_set1_epi16(kHalfNan), infinity = _mm_set1_epi16(0x7c00);
  for (int i = 0; i < 32; i += 4) {
    const __m256 x = eight(a + i), y = eight(b + i);
    const __m256 result = kOperation == HalfOperation::add        ? x + y
                          : kOperation == HalfOperation::multiply ? x * y
                                                                  : sum_to_odd(x * y, eight(c + i));
    const __m128i halves = _mm256_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT);
    const __m128i is_nan = _mm_cmpgt_epi16(_mm_and_si128(halves, nan), infinity);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_blendv_epi8(halves, nan, is_nan));
  }
}

/// `pairs`: of each 128 bits, the first half comes first.
[[gnu::target("avx2,f16c")]] inline void store_in_order(float* to, __m256 pairs) {
  _mm256_storeu_pd(reinterpret_cast<double*>(to), _mm256_permute4x64_pd(_mm256_castps_pd(pairs), 0b11'01'10'00));
}

[[gnu::target("avx2,f16c")]] void floats_on_host(const std::uint32_t* words, float* lower, float* upper) {
  for (int i = 0; i < 32; i += 8) {
    const __m256 first = eight(words + i), second = eight(words + i + 4);
    store_in_order(lower + i, _mm256_shuffle_ps(first, second, 0b10'00'10'00));
    store_in_order(upper + i, _mm256_shuffle_ps(first, second, 0b11'01'11'01));
  }
}
#else
bool converts_halves() { return false; }
void floats_on_host(const std::uint32_t*, float*, float*) {}
template <HalfOperation>
void halves_on_host(const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::uint32_t*) {}
#endif

}  // namespace

SASSIM_LANE_LOOP void add_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  if (converts_halves()) return halves_on_host<HalfOperation::add>(a, b, nullptr, out);
  HalfLanes x, y;
  widen(a, x);
  widen(b, y);
  for (int i = 0; i < 64; ++i) x.v[i] += y.v[i];
  narrow(x, out);
}

SASSIM_LANE_LOOP void mul_f16x2(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  if (converts_halves()) return halves_on_host<HalfOperation::multiply>(a, b, nullptr, out);
  HalfLanes x, y;
  widen(a, x);
  widen(b, y);
  for (int i = 0; i < 64; ++i) x.v[i] *= y.v[i];
  narrow(x, out);
}

SASSIM_LANE_LOOP void fma_f16x2(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                                std::uint32_t* out) {
  if (converts_halves()) return halves_on_host<HalfOperation::multiply_add>(a, b, c, out);
  HalfLanes x, y, z;
  widen(a, x);
  widen(b, y);
  widen(c, z);
  for (int i = 0; i < 64; ++i) x.v[i] = add_to_odd(x.v[i] * y.v[i], z.v[i]);
  narrow(x, out);
}

SASSIM_LANE_LOOP void floats_of_halves(const std::uint32_t* words, float* lower, float* upper) {
  converts_halves() ? floats_on_host(words, lower, upper) : widen(words, lower, upper);
}

SASSIM_LANE_LOOP void halves_of_floats(const float* lower, const float* upper, std::uint32_t* words) {
  narrow(lower, upper, words);
}

}  // namespace sassim::emu
