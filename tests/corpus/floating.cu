// SPDX-License-Identifier: Apache-2.0
// Single and double precision: rounding modes, comparisons, division and square root, special functions, conversions.
#include <cfenv>

#include "corpus.h"

using namespace corpus;

// The references below depend on the rounding mode: keep the compiler from folding or moving them.
template <class T>
static T rounded(int mode, T (*operation)(T, T, T), T a, T b, T c) {
  volatile T va = a, vb = b, vc = c;
  std::fesetround(mode);
  volatile T result = operation(va, vb, vc);
  std::fesetround(FE_TONEAREST);
  return result;
}

__global__ void fp32_arithmetic(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  float* r = out + 12 * i;
  r[0] = a + b;
  r[1] = a - c;
  r[2] = __fmul_rn(a, b);
  r[3] = __fmaf_rn(a, b, c);
  r[4] = __fadd_rz(a, b);
  r[5] = __fmul_ru(a, b);
  r[6] = __fmaf_rd(a, b, -c);
  r[7] = __saturatef(a);
  r[8] = fmaxf(a, b);
  r[9] = fminf(fabsf(a), c);
  r[10] = a < b ? c : -a;
  r[11] = fmaf(-fabsf(a), b, fabsf(c));
}
static void reference_arithmetic(float a, float b, float c, float* r) {
  const auto add = [](float x, float y, float) { return x + y; };
  const auto multiply = [](float x, float y, float) { return x * y; };
  const auto fused = [](float x, float y, float z) { return std::fma(x, y, z); };
  r[0] = a + b;
  r[1] = a - c;
  r[2] = a * b;
  r[3] = std::fma(a, b, c);
  r[4] = rounded<float>(FE_TOWARDZERO, add, a, b, c);
  r[5] = rounded<float>(FE_UPWARD, multiply, a, b, c);
  r[6] = rounded<float>(FE_DOWNWARD, fused, a, b, -c);
  r[7] = a > 0 ? (a < 1 ? a : 1) : 0;
  r[8] = std::fmax(a, b);
  r[9] = std::fmin(std::fabs(a), c);
  r[10] = a < b ? c : -a;
  r[11] = std::fma(-std::fabs(a), b, std::fabs(c));
}

__global__ void fp32_compare(const float* in, unsigned* out) {
  const float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  unsigned bits = 0;
  bits |= (a < b) << 0 | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5;
  bits |=
      !(a < b) << 6 | !(a >= b) << 7 | isnan(a) << 8 | isinf(b) << 9 | (a < b && b > 0) << 10 | (a > 1 || b < 1) << 11;
  unsigned set;
  asm("set.gt.u32.f32 %0, %1, %2;" : "=r"(set) : "f"(a), "f"(b));
  out[threadIdx.x] = bits | (set & 1u << 12) | signbit(a) << 13;
}

__global__ void fp32_divide_sqrt(const float* in, float* out) {
  const float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  float* r = out + 6 * threadIdx.x;
  r[0] = a / b;
  r[1] = sqrtf(fabsf(a));
  r[2] = 1.0f / b;
  r[3] = __fdiv_rz(a, b);
  r[4] = __fsqrt_ru(fabsf(b));
  r[5] = __frcp_rd(a);
}

__global__ void fp32_rounding(const float* in, float* out) {
  const float a = in[threadIdx.x];
  float* r = out + 6 * threadIdx.x;
  r[0] = floorf(a);
  r[1] = ceilf(a);
  r[2] = truncf(a);
  r[3] = rintf(a);
  r[4] = roundf(a);
  r[5] = copysignf(ldexpf(1.0f, static_cast<int>(a) & 15), a);
}

__global__ void fp32_special(const float* in, float* out) {
  const float a = in[threadIdx.x];
  float* r = out + 10 * threadIdx.x;
  r[0] = __sinf(a);
  r[1] = __cosf(a);
  r[2] = __expf(a);
  r[3] = __logf(fabsf(a) + 0.5f);
  r[4] = rsqrtf(fabsf(a) + 0.25f);
  r[5] = __fdividef(a, 1.75f);
  r[6] = exp2f(a);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r[7]) : "f"(a));
  asm("lg2.approx.f32 %0, %1;" : "=f"(r[8]) : "f"(fabsf(a) + 1.0f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r[9]) : "f"(a + 8.0f));
}

__global__ void fp32_tanh(const float* in, float* out) {
#if __CUDA_ARCH__ >= 750
  asm("tanh.approx.f32 %0, %1;" : "=f"(out[threadIdx.x]) : "f"(in[threadIdx.x]));
#endif
}

__global__ void fp32_library(const float* in, float* out) {
  const float a = in[threadIdx.x];
  float* r = out + 8 * threadIdx.x;
  r[0] = sinf(a);
  r[1] = cosf(a * 1000.0f);
  r[2] = expf(a);
  r[3] = logf(fabsf(a) + 0.01f);
  r[4] = powf(fabsf(a) + 0.5f, 1.3f);
  r[5] = atan2f(a, 2.0f);
  r[6] = cbrtf(a);
  r[7] = erff(a);
}

__global__ void fp32_flush(const float* in, float* out) {
  const float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  float* r = out + 4 * threadIdx.x;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(r[0]) : "f"(a), "f"(b));
  asm("mul.ftz.f32 %0, %1, %2;" : "=f"(r[1]) : "f"(a), "f"(b));
  asm("fma.rn.ftz.f32 %0, %1, %2, %1;" : "=f"(r[2]) : "f"(a), "f"(b));
  r[3] = a * b;
}
static float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

__global__ void fp64_arithmetic(const double* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  double* r = out + 9 * i;
  r[0] = a + b;
  r[1] = __dmul_rn(a, -b);
  r[2] = fma(a, b, c);
  r[3] = __dadd_rd(a, c);
  r[4] = __dmul_ru(b, c);
  r[5] = a < b ? fabs(a) : -c;
  r[6] = fmax(a, c);
  r[7] = fmin(b, c) + 2.5;
  r[8] = __fma_rz(a, c, b);
}
static void reference_double(double a, double b, double c, double* r) {
  r[0] = a + b;
  r[1] = a * -b;
  r[2] = std::fma(a, b, c);
  r[3] = rounded<double>(
      FE_DOWNWARD, [](double x, double y, double) { return x + y; }, a, c, 0);
  r[4] = rounded<double>(
      FE_UPWARD, [](double x, double y, double) { return x * y; }, b, c, 0);
  r[5] = a < b ? std::fabs(a) : -c;
  r[6] = std::fmax(a, c);
  r[7] = std::fmin(b, c) + 2.5;
  r[8] = rounded<double>(
      FE_TOWARDZERO, [](double x, double y, double z) { return std::fma(x, y, z); }, a, c, b);
}

__global__ void fp64_divide_sqrt(const double* in, double* out) {
  const double a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  double* r = out + 5 * threadIdx.x;
  r[0] = a / b;
  r[1] = sqrt(fabs(a));
  r[2] = 1.0 / b;
  r[3] = floor(a) + ceil(b);
  r[4] = rint(a) - trunc(b);
}

__global__ void fp64_library(const double* in, double* out) {
  const double a = in[threadIdx.x];
  double* r = out + 4 * threadIdx.x;
  r[0] = sin(a);
  r[1] = exp(a);
  r[2] = log(fabs(a) + 0.5);
  r[3] = pow(fabs(a) + 0.5, 1.7);
}

__global__ void convert_float(const float* in, long long* out) {
  const float a = in[threadIdx.x];
  long long* r = out + 10 * threadIdx.x;
  r[0] = static_cast<int>(a);
  r[1] = static_cast<unsigned>(fabsf(a));
  r[2] = __float2ll_rz(a);
  r[3] = static_cast<long long>(__float2ull_rn(fabsf(a)));
  r[4] = __float2int_rn(a);
  r[5] = __float2int_rd(a);
  r[6] = __float2int_ru(a);
  r[7] = static_cast<short>(static_cast<int>(a));
  r[8] = __float_as_int(a);
  r[9] = __double_as_longlong(static_cast<double>(a));
}

__global__ void convert_double(const double* in, long long* out) {
  const double a = in[threadIdx.x];
  long long* r = out + 8 * threadIdx.x;
  r[0] = static_cast<int>(a);
  r[1] = static_cast<unsigned>(fabs(a));
  r[2] = static_cast<long long>(a);
  r[3] = static_cast<long long>(__double2ull_rz(fabs(a)));
  r[4] = __double2ll_rd(a);
  r[5] = __float_as_int(static_cast<float>(a));
  r[6] = __float_as_int(__double2float_rz(a));
  r[7] = __double2hiint(a);
}

__global__ void convert_integer(const std::uint64_t* in, double* out) {
  const std::uint64_t a = in[threadIdx.x];
  double* r = out + 10 * threadIdx.x;
  r[0] = static_cast<float>(static_cast<int>(a));
  r[1] = static_cast<float>(static_cast<unsigned>(a));
  r[2] = static_cast<float>(static_cast<long long>(a));
  r[3] = static_cast<float>(a);
  r[4] = static_cast<double>(static_cast<int>(a));
  r[5] = static_cast<double>(static_cast<unsigned>(a));
  r[6] = static_cast<double>(static_cast<long long>(a));
  r[7] = static_cast<double>(a);
  r[8] = static_cast<float>(static_cast<signed char>(a));
  r[9] = __uint2float_rz(static_cast<unsigned>(a)) + static_cast<float>(static_cast<unsigned short>(a));
}

static void single(Random& random) {
  const int n = 64;
  auto in = random.floats(3 * n, -4, 4);
  const float odd[] = {0.0f,  1.5f,    -0.0f,    1e-40f, -1e-42f, 3.4e38f, INFINITY, -INFINITY, 1.17549435e-38f,
                       1e30f, -1e-30f, 65536.5f, 0.5f};
  for (int i = 0; i < 13; ++i) in[i] = odd[i];
  in[20] = NAN;
  std::vector<float> arithmetic(12 * n), quotients(6 * n), flushed(4 * n);
  std::vector<unsigned> compared(n);
  const auto divide = [](float x, float y, float) { return x / y; };
  for (int i = 0; i < n; ++i) {
    reference_arithmetic(in[3 * i], in[3 * i + 1], in[3 * i + 2], &arithmetic[12 * i]);
    const float a = in[2 * i], b = in[2 * i + 1];
    compared[i] = (a < b) << 0 | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 |
                  !(a < b) << 6 | !(a >= b) << 7 | (a != a) << 8 | (std::fabs(b) == INFINITY) << 9 |
                  (a < b && b > 0) << 10 | (a > 1 || b < 1) << 11 | (a > b) << 12 | std::signbit(a) << 13;
    float* q = &quotients[6 * i];
    q[0] = a / b, q[1] = std::sqrt(std::fabs(a)), q[2] = 1.0f / b;
    q[3] = rounded<float>(FE_TOWARDZERO, divide, a, b, 0);
    q[4] = rounded<float>(
        FE_UPWARD, [](float x, float, float) { return std::sqrt(x); }, std::fabs(b), 0, 0);
    q[5] = rounded<float>(FE_DOWNWARD, divide, 1.0f, a, 0);
    float* f = &flushed[4 * i];
    const float fa = flush(a), fb = flush(b);
    f[0] = flush(fa + fb), f[1] = flush(fa * fb), f[2] = flush(std::fma(fa, fb, fa)), f[3] = a * b;
  }
  Buffer<float> din(in), da(12 * n), dq(6 * n), df(4 * n);
  Buffer<unsigned> dc(n);
  fp32_arithmetic<<<2, n / 2>>>(din, da);
  check("fp32_arithmetic", da, arithmetic);
  fp32_compare<<<1, n>>>(din, dc);
  check("fp32_compare", dc, compared);
  fp32_divide_sqrt<<<1, n>>>(din, dq);
  check("fp32_divide_sqrt", dq, quotients);
  fp32_flush<<<1, n>>>(din, df);
  check("fp32_flush", df, flushed);
}

static void functions(Random& random) {
  const int n = 64;
  const auto in = random.floats(n, -6, 6);
  std::vector<float> special(10 * n), library(8 * n), rounding(6 * n), tangents(n);
  for (int i = 0; i < n; ++i) {
    const float a = in[i];
    const float s[] = {
        std::sin(a), std::cos(a),  std::exp(a),  std::log(std::fabs(a) + 0.5f),  1 / std::sqrt(std::fabs(a) + 0.25f),
        a / 1.75f,   std::exp2(a), std::exp2(a), std::log2(std::fabs(a) + 1.0f), 1 / (a + 8.0f)};
    const float l[] = {std::sin(a),
                       std::cos(a * 1000.0f),
                       std::exp(a),
                       std::log(std::fabs(a) + 0.01f),
                       std::pow(std::fabs(a) + 0.5f, 1.3f),
                       std::atan2(a, 2.0f),
                       std::cbrt(a),
                       std::erf(a)};
    const float r[] = {std::floor(a), std::ceil(a),  std::trunc(a),
                       std::rint(a),  std::round(a), std::copysign(std::ldexp(1.0f, static_cast<int>(a) & 15), a)};
    std::memcpy(&special[10 * i], s, sizeof(s));
    std::memcpy(&library[8 * i], l, sizeof(l));
    std::memcpy(&rounding[6 * i], r, sizeof(r));
    tangents[i] = std::tanh(a);
  }
  Buffer<float> din(in), ds(10 * n), dl(8 * n), dr(6 * n), dt(n);
  fp32_special<<<1, n>>>(din, ds);
  check("fp32_special", ds, special, {2e-6, 2e-6});  // CUDA C++ programming guide: errors of intrinsic functions
  fp32_library<<<1, n>>>(din, dl);
  check("fp32_library", dl, library, {2e-6, 2e-7});
  fp32_rounding<<<1, n>>>(din, dr);
  check("fp32_rounding", dr, rounding);
  if (architecture() < 75) return skipped("fp32_tanh", 75);
  fp32_tanh<<<1, n>>>(din, dt);
  check("fp32_tanh", dt, tangents, {1e-3, 1e-5});  // PTX: relative error 2^-11
}

static void doubles(Random& random) {
  const int n = 48;
  auto in = random.doubles(3 * n, -50, 50);
  in[0] = 1e-310, in[1] = 1e300, in[2] = -1e300, in[3] = INFINITY, in[4] = 0.0, in[5] = -0.0, in[6] = 4.9e-324;
  std::vector<double> arithmetic(9 * n), quotients(5 * n), library(4 * n);
  std::vector<double> small(in.begin() + 2 * n, in.end());
  for (int i = 0; i < n; ++i) {
    reference_double(in[3 * i], in[3 * i + 1], in[3 * i + 2], &arithmetic[9 * i]);
    const double a = in[2 * i], b = in[2 * i + 1], s = small[i];
    const double q[] = {a / b, std::sqrt(std::fabs(a)), 1.0 / b, std::floor(a) + std::ceil(b),
                        std::rint(a) - std::trunc(b)};
    const double l[] = {std::sin(s), std::exp(s), std::log(std::fabs(s) + 0.5), std::pow(std::fabs(s) + 0.5, 1.7)};
    std::memcpy(&quotients[5 * i], q, sizeof(q));
    std::memcpy(&library[4 * i], l, sizeof(l));
  }
  Buffer<double> din(in), dsmall(small), da(9 * n), dq(5 * n), dl(4 * n);
  fp64_arithmetic<<<2, n / 2>>>(din, da);
  check("fp64_arithmetic", da, arithmetic);
  fp64_divide_sqrt<<<1, n>>>(din, dq);
  check("fp64_divide_sqrt", dq, quotients);
  fp64_library<<<1, n>>>(dsmall, dl);
  check("fp64_library", dl, library, {1e-14, 1e-14});
}

static void conversions(Random& random) {
  const int n = 48;
  auto f = random.floats(n, -30000, 30000);
  auto d = random.doubles(n, -2e9, 2e9);
  f[0] = 0.5f, f[1] = 1.5f, f[2] = -2.5f, f[3] = 16777216.0f, d[0] = 0.5, d[1] = -1.5;
  std::vector<std::uint64_t> w(n);
  for (auto& x : w) x = random.bits64() >> (random.bits() % 40);
  std::vector<long long> from_float(10 * n), from_double(8 * n);
  std::vector<double> from_integer(10 * n);
  for (int i = 0; i < n; ++i) {
    const float a = f[i];
    const double b = d[i];
    const std::uint64_t c = w[i];
    const float narrow = static_cast<float>(b);
    float toward = rounded<float>(
        FE_TOWARDZERO, [](float x, float, float) { return x; }, narrow, 0, 0);
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(b)) toward = std::nextafter(narrow, 0.0f);
    const auto bits = [](auto x) {
      std::conditional_t<sizeof(x) == 4, std::int32_t, std::int64_t> y;
      std::memcpy(&y, &x, sizeof(x));
      return static_cast<long long>(y);
    };
    const long long ff[] = {static_cast<int>(a),
                            static_cast<unsigned>(std::fabs(a)),
                            static_cast<long long>(a),
                            static_cast<long long>(std::rint(std::fabs(a))),
                            static_cast<int>(std::rint(a)),
                            static_cast<int>(std::floor(a)),
                            static_cast<int>(std::ceil(a)),
                            static_cast<short>(static_cast<int>(a)),
                            bits(a),
                            bits(static_cast<double>(a))};
    const long long dd[] = {static_cast<int>(b),
                            static_cast<unsigned>(std::fabs(b)),
                            static_cast<long long>(b),
                            static_cast<long long>(std::fabs(b)),
                            static_cast<long long>(std::floor(b)),
                            bits(narrow),
                            bits(toward),
                            bits(b) >> 32};
    unsigned u = static_cast<unsigned>(c);
    float truncated = static_cast<float>(u);
    if (static_cast<double>(truncated) > u) truncated = std::nextafter(truncated, 0.0f);
    const double ii[] = {static_cast<float>(static_cast<int>(c)),
                         static_cast<float>(u),
                         static_cast<float>(static_cast<long long>(c)),
                         static_cast<float>(c),
                         static_cast<double>(static_cast<int>(c)),
                         static_cast<double>(u),
                         static_cast<double>(static_cast<long long>(c)),
                         static_cast<double>(c),
                         static_cast<float>(static_cast<signed char>(c)),
                         truncated + static_cast<float>(static_cast<unsigned short>(c))};
    std::memcpy(&from_float[10 * i], ff, sizeof(ff));
    std::memcpy(&from_double[8 * i], dd, sizeof(dd));
    std::memcpy(&from_integer[10 * i], ii, sizeof(ii));
  }
  Buffer<float> df(f);
  Buffer<double> ddouble(d), o3(10 * n);
  Buffer<std::uint64_t> dw(w);
  Buffer<long long> o1(10 * n), o2(8 * n);
  convert_float<<<1, n>>>(df, o1);
  check("convert_float", o1, from_float);
  convert_double<<<1, n>>>(ddouble, o2);
  check("convert_double", o2, from_double);
  convert_integer<<<1, n>>>(dw, o3);
  check("convert_integer", o3, from_integer);
}

int main() {
  Random random(3);
  single(random);
  functions(random);
  doubles(random);
  conversions(random);
  return finish();
}
