// SPDX-License-Identifier: Apache-2.0
// Float arithmetic of a warp's 32 lanes in loops that the host's compiler vectorises, with the GPU's bits.
#include "sim/emu/exec/float_lanes.h"

#include <cfenv>
#include <cmath>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {

namespace {

/// By Rounding.
constexpr int kHostModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

RoundingScope::RoundingScope(Rounding mode) : saved_(0), changed_(mode != Rounding::nearest) {
  if (!changed_) return;
  saved_ = std::fegetround();
  std::fesetround(kHostModes[static_cast<std::size_t>(mode)]);
}

RoundingScope::~RoundingScope() {
  if (changed_) std::fesetround(saved_);
}

SASSIM_LANE_LOOP void add_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  Lanes sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = canonical_f32(f32(a[i]) + f32(b[i]));
  std::memcpy(out, sum.v, sizeof sum.v);
}

SASSIM_LANE_LOOP void mul_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out) {
  Lanes product;
  for (int i = 0; i < 32; ++i) product.v[i] = canonical_f32(f32(a[i]) * f32(b[i]));
  std::memcpy(out, product.v, sizeof product.v);
}

SASSIM_LANE_LOOP void fma_f32(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                              std::uint32_t* out) {
  Lanes sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = canonical_f32(__builtin_fmaf(f32(a[i]), f32(b[i]), f32(c[i])));
  std::memcpy(out, sum.v, sizeof sum.v);
}

SASSIM_LANE_LOOP void add_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out) {
  for (int i = 0; i < 32; ++i) out[i] = bits(f64(a[i]) + f64(b[i]));
}

SASSIM_LANE_LOOP void mul_f64(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out) {
  for (int i = 0; i < 32; ++i) out[i] = bits(f64(a[i]) * f64(b[i]));
}

SASSIM_LANE_LOOP void fma_f64(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                              std::uint64_t* out) {
  Lanes64 sum;
  for (int i = 0; i < 32; ++i) sum.v[i] = bits(__builtin_fma(f64(a[i]), f64(b[i]), f64(c[i])));
  std::memcpy(out, sum.v, sizeof sum.v);
}

namespace {

struct HalfLanes {
  alignas(64) float v[64];  ///< the lower halves, then the upper halves
};

[[gnu::always_inline]] inline void widen(const std::uint32_t* pairs, HalfLanes& to) {
  for (int i = 0; i < 32; ++i) to.v[i] = half_to_float(static_cast<std::uint16_t>(pairs[i]));
  for (int i = 0; i < 32; ++i) to.v[32 + i] = half_to_float(static_cast<std::uint16_t>(pairs[i] >> 16));
}

[[gnu::always_inline]] inline void narrow(const HalfLanes& from, std::uint32_t* pairs) {
  for (int i = 0; i < 32; ++i) pairs[i] = float_to_half(from.v[i]) | std::uint32_t{float_to_half(from.v[32 + i])} << 16;
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
#else
bool converts_halves() { return false; }
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

SASSIM_LANE_LOOP void flush_f32(const std::uint32_t* in, std::uint32_t* out) {
  Lanes flushed;
  for (int i = 0; i < 32; ++i) flushed.v[i] = (in[i] & 0x7f800000u) == 0 ? in[i] & 0x80000000u : in[i];
  std::memcpy(out, flushed.v, sizeof flushed.v);
}

SASSIM_LANE_LOOP void canonical_nan_f32(std::uint32_t* values) {
  for (int i = 0; i < 32; ++i) values[i] = canonical_f32(f32(values[i]));
}

SASSIM_LANE_LOOP FloatRelations relations_f32(const std::uint32_t* a, const std::uint32_t* b) {
  alignas(64) std::uint8_t less[32], equal[32], greater[32];
  for (int i = 0; i < 32; ++i) {
    less[i] = f32(a[i]) < f32(b[i]) ? 1 : 0;
    equal[i] = f32(a[i]) == f32(b[i]) ? 1 : 0;
    greater[i] = f32(a[i]) > f32(b[i]) ? 1 : 0;
  }
  return {pack_truth(less), pack_truth(equal), pack_truth(greater)};
}

SASSIM_LANE_LOOP void saturate_f32(std::uint32_t* values) {
  constexpr std::uint32_t kOne = 0x3f800000u;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t x = values[i];
    const bool zero = (x >> 31) != 0 || x > 0x7f800000u;
    values[i] = zero ? 0u : x > kOne ? kOne : x;
  }
}

}  // namespace sassim::emu
