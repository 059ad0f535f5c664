// SPDX-License-Identifier: Apache-2.0
// Half precision and bfloat16: packed arithmetic, comparisons, conversions. References compute in double and round
// once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "corpus.h"

using namespace corpus;
using u16 = std::uint16_t;

// A binary format of 16 bits: 5 exponent bits and 10 of fraction (half), or 8 and 7 (bfloat16).
struct Format {
  int exponent_bits, fraction_bits;
};
static constexpr Format kHalf{5, 10}, kBrain{8, 7};

static double widen(u16 x, Format f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1, exponent = x >> f.fraction_bits & ((1 << f.exponent_bits) - 1);
  const int fraction = x & ((1 << f.fraction_bits) - 1);
  double value;
  if (exponent == (1 << f.exponent_bits) - 1)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - f.fraction_bits);
  else
    value = std::ldexp(fraction + (1 << f.fraction_bits), exponent - bias - f.fraction_bits);
  return x >> 15 ? -value : value;
}

/// Rounds to nearest even. The references are exact in double, so this is the only rounding.
static u16 narrow(double x, Format f) {
  const u16 sign = std::signbit(x) ? 0x8000 : 0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1, largest = (1 << f.exponent_bits) - 1;
  if (x != x) return 0x7fff;
  const u16 infinity = static_cast<u16>(sign | largest << f.fraction_bits);
  if (std::isinf(x)) return infinity;
  if (x == 0) return sign;
  int exponent;
  std::frexp(std::fabs(x), &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double scaled = std::rint(std::ldexp(std::fabs(x), f.fraction_bits - exponent));
  const auto fraction = static_cast<unsigned>(scaled);
  const unsigned bits = (static_cast<unsigned>(exponent + bias - 1) << f.fraction_bits) + fraction;
  const unsigned encoded = fraction < (1u << f.fraction_bits) ? fraction : bits;
  return encoded >= static_cast<unsigned>(largest) << f.fraction_bits ? infinity : static_cast<u16>(sign | encoded);
}

__global__ void half_arithmetic(const __half2* in, __half2* out) {
  const __half2 a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
  __half2* r = out + 9 * threadIdx.x;
  r[0] = __hadd2_rn(a, b);
  r[1] = __hmul2_rn(a, b);
  r[2] = __hfma2(a, b, c);
  r[3] = __hsub2(a, c);
  r[4] = __hneg2(__habs2(a));
  r[5] = __hadd2_sat(a, b);
  r[6] = __halves2half2(__hadd_rn(__low2half(a), __high2half(b)), __hmul_rn(__high2half(a), __low2half(c)));
  r[7] = __hfma2_sat(a, b, c);
  r[8] = __hmul2_rn(__low2half2(a), __highs2half2(b, c));
}

static double clamp01(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

static void reference_arithmetic(const u16* a, const u16* b, const u16* c, u16* r) {
  const auto w = [](u16 x) { return widen(x, kHalf); };
  const auto n = [](double x) { return narrow(x, kHalf); };
  for (int k = 0; k < 2; ++k) {
    r[k] = n(w(a[k]) + w(b[k]));
    r[2 + k] = n(w(a[k]) * w(b[k]));
    r[4 + k] = n(w(a[k]) * w(b[k]) + w(c[k]));
    r[6 + k] = n(w(a[k]) - w(c[k]));
    r[8 + k] = static_cast<u16>(a[k] | 0x8000);
    r[10 + k] = n(clamp01(w(a[k]) + w(b[k])));
    r[14 + k] = n(clamp01(w(a[k]) * w(b[k]) + w(c[k])));
  }
  r[12] = n(w(a[0]) + w(b[1]));
  r[13] = n(w(a[1]) * w(c[0]));
  r[16] = n(w(a[0]) * w(b[1]));
  r[17] = n(w(a[0]) * w(c[1]));
}

__global__ void half_compare(const __half2* in, unsigned* out) {
  const __half2 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  unsigned bits = 0;
  bits |= __hblt2(a, b) << 0 | __hbge2(a, b) << 1 | __hbne2(a, b) << 2 | __hbequ2(a, b) << 3;
  bits |= __hgt(__low2half(a), __low2half(b)) << 4 | __heq(__high2half(a), __high2half(a)) << 5;
  const __half2 set = __hle2(a, b);
  bits |= (__half2float(__low2half(set)) == 1.0f) << 6 | (__half2float(__high2half(set)) == 1.0f) << 7;
  bits |= __hisnan(__low2half(a)) << 8;
  out[threadIdx.x] = bits;
}

__global__ void half_convert(const float* in, u16* out, float* back) {
  const float a = in[threadIdx.x];
  u16* r = out + 6 * threadIdx.x;
  r[0] = __half_as_ushort(__float2half_rn(a));
  r[1] = __half_as_ushort(__int2half_rn(static_cast<int>(a)));
  const __half2 pair = __floats2half2_rn(a, -2.0f * a);
  r[2] = __half_as_ushort(__low2half(pair));
  r[3] = __half_as_ushort(__high2half(pair));
  r[4] = static_cast<u16>(__half2short_rz(__float2half_rn(a)));
  r[5] = __half_as_ushort(__double2half(static_cast<double>(a)));
  back[threadIdx.x] = __half2float(__float2half_rn(a)) + __low2float(pair);
}

__global__ void half_functions(const float* in, float* out) {
  const __half a = __float2half_rn(in[threadIdx.x]);
  float* r = out + 4 * threadIdx.x;
  r[0] = __half2float(hsqrt(a));
  r[1] = __half2float(hexp2(a));
  r[2] = __half2float(__hdiv(__float2half_rn(1.0f), a));
  r[3] = __half2float(hfloor(a));
}

__global__ void half_minmax(const __half2* in, __half2* out) {
#if __CUDA_ARCH__ >= 800
  const __half2 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  out[3 * threadIdx.x] = __hmax2(a, b);
  out[3 * threadIdx.x + 1] = __hmin2(a, b);
  out[3 * threadIdx.x + 2] = __hfma2_relu(a, b, a);
#endif
}

__global__ void brain_arithmetic(const __nv_bfloat162* in, __nv_bfloat162* out) {
#if __CUDA_ARCH__ >= 800
  const __nv_bfloat162 a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
  __nv_bfloat162* r = out + 5 * threadIdx.x;
  r[0] = __hfma2(a, b, c);
  r[1] = __hmax2(a, b);
  r[2] = __hneg2(__hmin2(b, c));
  r[3] = __floats2bfloat162_rn(__low2float(a) + 1.0f, __high2float(b) * 3.0f);
  r[4] = __hfma2_relu(a, c, b);
#endif
}

static std::vector<unsigned> pack(const std::vector<u16>& halves) {
  std::vector<unsigned> words(halves.size() / 2);
  std::memcpy(words.data(), halves.data(), halves.size() * 2);
  return words;
}

/// Runs a kernel on packed pairs and compares the words.
template <class Pair>
static void compare_pairs(const char* name, void (*kernel)(const Pair*, Pair*), int threads, const std::vector<u16>& in,
                          const std::vector<u16>& want) {
  Buffer<unsigned> source(pack(in)), result(want.size() / 2);
  kernel<<<1, threads>>>(reinterpret_cast<const Pair*>(static_cast<unsigned*>(source)),
                         reinterpret_cast<Pair*>(static_cast<unsigned*>(result)));
  check(name, result, pack(want));
}

static std::vector<u16> inputs(Random& random, std::size_t n, Format format) {
  std::vector<u16> v(n);
  for (auto& x : v) x = narrow(random.between(-6, 6), format);
  return v;
}

static u16 larger(u16 a, u16 b, Format f) { return widen(a, f) > widen(b, f) ? a : b; }
static u16 smaller(u16 a, u16 b, Format f) { return widen(a, f) < widen(b, f) ? a : b; }

static void packed_half(Random& random) {
  const int n = 64;
  auto in = inputs(random, 6 * n, kHalf);
  const u16 odd[] = {0x0000, 0x3c00, 0x0001, 0x03ff, 0x8001, 0x7bff, 0x7bff, 0x0400, 0xfc00, 0x7bff, 0x3800, 0xc000};
  std::memcpy(in.data(), odd, sizeof(odd));
  std::vector<u16> arithmetic(18 * n), extremes(6 * n);
  std::vector<unsigned> compared(n);
  for (int i = 0; i < n; ++i) {
    reference_arithmetic(&in[6 * i], &in[6 * i + 2], &in[6 * i + 4], &arithmetic[18 * i]);
    const u16 *a = &in[4 * i], *b = &in[4 * i + 2];
    double x[2], y[2];
    for (int k = 0; k < 2; ++k) x[k] = widen(a[k], kHalf), y[k] = widen(b[k], kHalf);
    compared[i] = (x[0] < y[0] && x[1] < y[1]) << 0 | (x[0] >= y[0] && x[1] >= y[1]) << 1 |
                  (x[0] != y[0] && x[1] != y[1]) << 2 | (x[0] == y[0] && x[1] == y[1]) << 3 | (x[0] > y[0]) << 4 |
                  1 << 5 | (x[0] <= y[0]) << 6 | (x[1] <= y[1]) << 7;
    for (int k = 0; k < 2; ++k) {
      extremes[6 * i + k] = larger(a[k], b[k], kHalf);
      extremes[6 * i + 2 + k] = smaller(a[k], b[k], kHalf);
      const double sum = x[k] * y[k] + x[k];
      extremes[6 * i + 4 + k] = sum > 0 ? narrow(sum, kHalf) : u16{0};
    }
  }
  compare_pairs<__half2>("half_arithmetic", half_arithmetic, n, in, arithmetic);
  Buffer<unsigned> source(pack(in)), result(n);
  half_compare<<<1, n>>>(reinterpret_cast<const __half2*>(static_cast<unsigned*>(source)), result);
  check("half_compare", result, compared);
  if (architecture() >= 80)
    compare_pairs<__half2>("half_minmax", half_minmax, n, in, extremes);
  else
    skipped("half_minmax", 80);
}

static void converted_half(Random& random) {
  const int n = 64;
  auto in = random.floats(n, -900, 900);
  in[0] = 1e-7f, in[1] = 65519.0f / 2, in[2] = 0.0f, in[3] = 3.0e-5f;
  auto positive = random.floats(n, 0.1f, 12.0f);
  std::vector<u16> converted(6 * n);
  std::vector<float> back(n), functions(4 * n);
  for (int i = 0; i < n; ++i) {
    const u16 h = narrow(in[i], kHalf);
    const u16 values[] = {h,
                          narrow(static_cast<int>(in[i]), kHalf),
                          h,
                          narrow(-2.0f * in[i], kHalf),
                          static_cast<u16>(static_cast<short>(widen(h, kHalf))),
                          h};
    std::memcpy(&converted[6 * i], values, sizeof(values));
    back[i] = static_cast<float>(widen(h, kHalf)) + static_cast<float>(widen(h, kHalf));
    const double p = widen(narrow(positive[i], kHalf), kHalf);
    const double f[] = {std::sqrt(p), std::exp2(p), 1.0 / p, std::floor(p)};
    for (int k = 0; k < 4; ++k) functions[4 * i + k] = static_cast<float>(f[k]);
  }
  Buffer<float> din(in), dpositive(positive), dback(n), dfunctions(4 * n);
  Buffer<u16> dout(6 * n);
  half_convert<<<1, n>>>(din, dout, dback);
  check("half_convert", dout, converted);
  check("half_convert_back", dback, back);
  half_functions<<<1, n>>>(dpositive, dfunctions);
  check("half_functions", dfunctions, functions, {2e-3, 0});  // two units in the last place of a half
}

static void packed_brain(Random& random) {
  const int n = 64;
  if (architecture() < 80) return skipped("brain_arithmetic", 80);
  const auto in = inputs(random, 6 * n, kBrain);
  std::vector<u16> want(10 * n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2; ++k) {
      const u16 a = in[6 * i + k], b = in[6 * i + 2 + k], c = in[6 * i + 4 + k];
      const double x = widen(a, kBrain), y = widen(b, kBrain), z = widen(c, kBrain);
      u16* r = &want[10 * i + k];
      r[0] = narrow(x * y + z, kBrain);
      r[2] = larger(a, b, kBrain);
      r[4] = static_cast<u16>(smaller(b, c, kBrain) ^ 0x8000);
      r[6] = narrow(k == 0 ? static_cast<float>(x) + 1.0f : static_cast<float>(y) * 3.0f, kBrain);
      r[8] = x * z + y > 0 ? narrow(x * z + y, kBrain) : u16{0};
    }
  compare_pairs<__nv_bfloat162>("brain_arithmetic", brain_arithmetic, n, in, want);
}

int main() {
  Random random(4);
  packed_half(random);
  converted_half(random);
  packed_brain(random);
  return finish();
}
