// SPDX-License-Identifier: Apache-2.0
// Conversions between integers and floating-point numbers of all widths in all roundings, against the host's exact
// arithmetic. Checks itself.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
typedef unsigned short h16;
typedef long long ll;
typedef unsigned long long ull;
int bad = 0;
static uint64_t mixh(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
struct Out {
  h16 h[40];
  unsigned f[40];
  ull d[40];
  ll i[80];
};
template <class H>
__device__ h16 B(H h) {
  return *(h16*)&h;
}
__global__ void k(const ull* in, Out* o, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  ull a = in[t];
  int i = (int)a;
  unsigned u = (unsigned)a;
  ll l = (ll)a;
  float f = __uint_as_float(u);
  double d = __longlong_as_double(l);
  h16 hb = (h16)a;
  __half h = *(__half*)&hb;
  Out& r = o[t];
  int n0 = 0, n1 = 0, n2 = 0, n3 = 0;
#define R4(M) M(rn) M(rz) M(rd) M(ru)
#define X(m)                                           \
  r.h[n0++] = B(__int2half_##m(i));                    \
  r.h[n0++] = B(__uint2half_##m(u));                   \
  r.h[n0++] = B(__ll2half_##m(l));                     \
  r.h[n0++] = B(__ull2half_##m(a));                    \
  r.h[n0++] = B(__short2half_##m((short)i));           \
  r.h[n0++] = B(__ushort2half_##m((unsigned short)i)); \
  r.h[n0++] = B(__float2half_##m(f));
  R4(X)
#undef X
  r.h[n0++] = B(__double2half(d));
  {
    h16 q;
    asm("cvt.rz.f16.f64 %0,%1;" : "=h"(q) : "d"(d));
    r.h[n0++] = q;
    asm("cvt.rm.f16.f64 %0,%1;" : "=h"(q) : "d"(d));
    r.h[n0++] = q;
    asm("cvt.rp.f16.f64 %0,%1;" : "=h"(q) : "d"(d));
    r.h[n0++] = q;
    asm("cvt.rn.f16.s8 %0,%1;" : "=h"(q) : "h"((h16)(signed char)a));
    r.h[n0++] = q;
    asm("cvt.rn.f16.u8 %0,%1;" : "=h"(q) : "h"((h16)(unsigned char)a));
    r.h[n0++] = q;
    asm("cvt.rn.sat.f16.f32 %0,%1;" : "=h"(q) : "f"(f));
    r.h[n0++] = q;
  }
#define X(m)                                            \
  r.f[n1++] = __float_as_uint(__int2float_##m(i));      \
  r.f[n1++] = __float_as_uint(__uint2float_##m(u));     \
  r.f[n1++] = __float_as_uint(__ll2float_##m(l));       \
  r.f[n1++] = __float_as_uint(__ull2float_##m(a));      \
  r.f[n1++] = __float_as_uint(__double2float_##m(d));   \
  r.d[n2++] = __double_as_longlong(__ll2double_##m(l)); \
  r.d[n2++] = __double_as_longlong(__ull2double_##m(a));
  R4(X)
#undef X
  r.d[n2++] = __double_as_longlong(__int2double_rn(i));
  r.d[n2++] = __double_as_longlong(__uint2double_rn(u));
  r.d[n2++] = __double_as_longlong((double)f);
  r.f[n1++] = __float_as_uint(__half2float(h));
#define X(m)                        \
  r.i[n3++] = __float2int_##m(f);   \
  r.i[n3++] = __float2uint_##m(f);  \
  r.i[n3++] = __float2ll_##m(f);    \
  r.i[n3++] = __float2ull_##m(f);   \
  r.i[n3++] = __double2int_##m(d);  \
  r.i[n3++] = __double2uint_##m(d); \
  r.i[n3++] = __double2ll_##m(d);   \
  r.i[n3++] = __double2ull_##m(d);  \
  r.i[n3++] = __half2int_##m(h);    \
  r.i[n3++] = __half2uint_##m(h);   \
  r.i[n3++] = __half2short_##m(h);  \
  r.i[n3++] = __half2ushort_##m(h); \
  r.i[n3++] = __half2ll_##m(h);     \
  r.i[n3++] = __half2ull_##m(h);
  R4(X)
#undef X
  {
    int q;
    asm("cvt.rni.s8.f32 %0,%1;" : "=r"(q) : "f"(f));
    r.i[n3++] = (signed char)q;
    asm("cvt.rzi.u8.f32 %0,%1;" : "=r"(q) : "f"(f));
    r.i[n3++] = (unsigned char)q;
    asm("cvt.rmi.s16.f64 %0,%1;" : "=r"(q) : "d"(d));
    r.i[n3++] = (short)q;
    asm("cvt.sat.s8.s32 %0,%1;" : "=r"(q) : "r"(i));
    r.i[n3++] = (signed char)q;
    asm("cvt.sat.u16.s32 %0,%1;" : "=r"(q) : "r"(i));
    r.i[n3++] = (unsigned short)q;
    asm("cvt.sat.s16.u32 %0,%1;" : "=r"(q) : "r"(u));
    r.i[n3++] = (short)q;
    asm("cvt.sat.s32.s64 %0,%1;" : "=r"(q) : "l"(l));
    r.i[n3++] = q;
    asm("cvt.sat.u32.s64 %0,%1;" : "=r"(q) : "l"(l));
    r.i[n3++] = (unsigned)q;
    asm("cvt.u64.s8 %0,%1;" : "=l"(l) : "r"(i));
    r.i[n3++] = l;
    asm("cvt.sat.u64.s32 %0,%1;" : "=l"(l) : "r"(i));
    r.i[n3++] = l;
  }
}
__global__ void kb(const ull* in, Out* o, int n) {
#if __CUDA_ARCH__ >= 900
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  ull a = in[t];
  int i = (int)a;
  unsigned u = (unsigned)a;
  ll l = (ll)a;
  double d = __longlong_as_double(l);
  h16 hb = (h16)a;
  Out& r = o[t];
  h16 q;
  int n0 = 0;
#define C(m)                                                \
  asm("cvt." m ".bf16.s32 %0,%1;" : "=h"(q) : "r"(i));      \
  r.h[n0++] = q;                                            \
  asm("cvt." m ".bf16.u32 %0,%1;" : "=h"(q) : "r"(u));      \
  r.h[n0++] = q;                                            \
  asm("cvt." m ".bf16.s64 %0,%1;" : "=h"(q) : "l"(l));      \
  r.h[n0++] = q;                                            \
  asm("cvt." m ".bf16.u64 %0,%1;" : "=h"(q) : "l"(a));      \
  r.h[n0++] = q;                                            \
  asm("cvt." m ".bf16.f64 %0,%1;" : "=h"(q) : "d"(d));      \
  r.h[n0++] = q;                                            \
  asm("cvt." m ".bf16.s16 %0,%1;" : "=h"(q) : "h"((h16)i)); \
  r.h[n0++] = q;
  C("rn") C("rz") C("rm") C("rp") int x;
  asm("cvt.rni.s32.bf16 %0,%1;" : "=r"(x) : "h"(hb));
  r.i[0] = x;
  asm("cvt.rzi.u32.bf16 %0,%1;" : "=r"(x) : "h"(hb));
  r.i[1] = (unsigned)x;
  asm("cvt.f32.bf16 %0,%1;" : "=r"(x) : "h"(hb));
  r.f[0] = x;
  asm("cvt.rn.bf16.f16 %0,%1;" : "=h"(q) : "h"(hb));
  r.h[n0++] = q;
  asm("cvt.rn.f16.bf16 %0,%1;" : "=h"(q) : "h"(hb));
  r.h[n0++] = q;
  asm("cvt.rni.bf16.bf16 %0,%1;" : "=h"(q) : "h"(hb));
  r.h[n0++] = q;
  asm("cvt.rpi.f16.f16 %0,%1;" : "=h"(q) : "h"(hb));
  r.h[n0++] = q;
  asm("cvt.f64.bf16 %0,%1;" : "=d"(d) : "h"(hb));
  r.d[0] = __double_as_longlong(d);
#endif
}
typedef long double L;
static L h2l(h16 h, int fb, int eb) {
  int bias = (1 << (eb - 1)) - 1, e = (h >> fb) & ((1 << eb) - 1), m = h & ((1 << fb) - 1);
  L v;
  if (e == (1 << eb) - 1)
    v = m ? NAN : INFINITY;
  else if (!e)
    v = ldexpl(m, 1 - bias - fb);
  else
    v = ldexpl(m | 1 << fb, e - bias - fb);
  return h >> 15 ? -v : v;
}
static L rnd(L v, int m) {
  fesetround(m == 0 ? FE_TONEAREST : m == 1 ? FE_TOWARDZERO : m == 2 ? FE_DOWNWARD : FE_UPWARD);
  volatile L x = v;
  L r = rintl(x);
  fesetround(FE_TONEAREST);
  return r;
}
static h16 l2h(L v, int m, int fb, int eb) {
  if (std::isnan(v)) return 0x7fff;
  int bias = (1 << (eb - 1)) - 1;
  h16 s = std::signbit(v) ? 0x8000 : 0;
  h16 inf = ((1 << eb) - 1) << fb;
  if (v == 0) return s;
  if (std::isinf(v)) return s | inf;
  int e;
  frexpl(fabsl(v), &e);
  e = std::max(e - 1, 1 - bias);
  L q = rnd(ldexpl(v, fb - e), m);
  unsigned k = (unsigned)fabsl(q);
  unsigned b = ((e + bias - 1) << fb) + k;
  if (e > bias || b >= inf) {
    bool toinf = m == 0 || (m == 2 && s) || (m == 3 && !s);
    return s | (toinf ? inf : inf - 1);
  }
  return s | b;
}
template <class F>
static F toF(L v, int m) {
  fesetround(m == 0 ? FE_TONEAREST : m == 1 ? FE_TOWARDZERO : m == 2 ? FE_DOWNWARD : FE_UPWARD);
  volatile L x = v;
  volatile F f = (F)x;
  fesetround(FE_TONEAREST);
  return f;
}
static ll toI(L v, int m, L lo, L hi, ll nan) {
  if (std::isnan(v)) return nan;
  L r = rnd(v, m);
  if (r < lo) r = lo;
  if (r > hi) r = hi;
  return r > 9.2e18L ? (ll)(ull)r : (ll)r;
}
int main() {
  const int n = 1 << 13;
  ull* in;
  Out* o;
  cudaMallocManaged(&in, n * 8);
  cudaMallocManaged(&o, n * sizeof(Out));
  for (int i = 0; i < n; i++) {
    ull x = mixh(i), y = mixh(i + 77777);
    switch (i % 8) {
      case 0:
        in[i] = x;
        break;
      case 1:
        in[i] = x >> (y & 63);
        break;
      case 2:
        in[i] = (ll)x >> (y & 63);
        break;
      case 3: {
        float f = (float)((ll)x >> (y & 63)) * ldexpf(1, -(int)(y >> 8 & 31));
        unsigned u;
        memcpy(&u, &f, 4);
        in[i] = u | x << 32;
        break;
      }
      case 4: {
        double d = (double)((ll)x >> (y & 63)) * ldexp(1, -(int)(y >> 8 & 63));
        memcpy(&in[i], &d, 8);
        break;
      }
      case 5: {
        double d = ldexp((double)(ll)x, -63 - (int)(y % 60) + 16);
        memcpy(&in[i], &d, 8);
        break;
      }
      case 6: {
        float f = ldexpf((float)(int)x, -31 - (int)(y % 40) + 17);
        unsigned u;
        memcpy(&u, &f, 4);
        in[i] = u | (ull)u << 32;
        break;
      }
      default:
        in[i] = (x & 0xff) * 0x0101010101010101ull << (y & 63);
    }
  }
  k<<<n / 128, 128>>>(in, o, n);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED %s\n", cudaGetErrorName(e));
    return 1;
  }
  int arch = 0;
  cudaDeviceGetAttribute(&arch, cudaDevAttrComputeCapabilityMajor, 0);
  auto run = [&] {
    for (int t = 0; t < n; t++) {
      ull a = in[t];
      int i = (int)a;
      unsigned u = (unsigned)a;
      ll l = (ll)a;
      float f;
      memcpy(&f, &u, 4);
      double d;
      memcpy(&d, &a, 8);
      h16 hb = (h16)a;
      L h = h2l(hb, 10, 5);
      Out& r = o[t];
      int n0 = 0, n1 = 0, n2 = 0, n3 = 0;
      auto ch = [&](const char* w, int m, h16 x) {
        h16 g = r.h[n0++];
        if ((g & 0x7fff) > 0x7c00) g = 0x7fff;
        if (g != x && bad++ < 40) printf("FAILED %s mode %d of %016llx: %04x not %04x\n", w, m, a, g, x);
      };
      for (int m = 0; m < 4; m++) {
        auto H = [&](L v) { return l2h(v, m, 10, 5); };
        ch("int2half", m, H(i));
        ch("uint2half", m, H(u));
        ch("ll2half", m, H((L)l));
        ch("ull2half", m, H((L)a));
        ch("short2half", m, H((short)i));
        ch("ushort2half", m, H((unsigned short)i));
        ch("float2half", m, H(f));
      }
      for (int m = 0; m < 4; m++) ch("double2half", m, l2h(d, m, 10, 5));
      ch("s8", 0, l2h((signed char)a, 0, 10, 5));
      ch("u8", 0, l2h((unsigned char)a, 0, 10, 5));
      {
        L s = f;
        h16 w = std::isnan(s) ? 0 : s <= 0 ? 0 : l2h(s > 1 ? 1 : s, 0, 10, 5);
        ch("sat", 0, w);
      }
      auto cf = [&](const char* w, int m, float x) {
        unsigned g = r.f[n1++], y;
        memcpy(&y, &x, 4);
        if (std::isnan(x)) {
          if ((g & 0x7fffffff) <= 0x7f800000 && bad++ < 40) printf("FAILED %s nan\n", w);
          return;
        }
        if (g != y && bad++ < 40) printf("FAILED %s mode %d of %016llx: %08x not %08x\n", w, m, a, g, y);
      };
      auto cd = [&](const char* w, int m, double x) {
        ull g = r.d[n2++], y;
        memcpy(&y, &x, 8);
        if (std::isnan(x)) return;
        if (g != y && bad++ < 40) printf("FAILED %s mode %d of %016llx: %016llx not %016llx\n", w, m, a, g, y);
      };
      for (int m = 0; m < 4; m++) {
        cf("int2float", m, toF<float>(i, m));
        cf("uint2float", m, toF<float>(u, m));
        cf("ll2float", m, toF<float>((L)l, m));
        cf("ull2float", m, toF<float>((L)a, m));
        cf("double2float", m, toF<float>(d, m));
        cd("ll2double", m, toF<double>((L)l, m));
        cd("ull2double", m, toF<double>((L)a, m));
      }
      cd("int2double", 0, i);
      cd("uint2double", 0, u);
      cd("f2d", 0, f);
      cf("half2float", 0, (float)h);
      auto ci = [&](const char* w, int m, ll x) {
        ll g = r.i[n3++];
        if (g != x && bad++ < 40)
          printf("FAILED %s mode %d of %016llx (f %g d %g h %g): %llx not %llx\n", w, m, a, f, d, (double)h, g, x);
      };
      const L I = 2147483647.L, U = 4294967295.L, LM = 9223372036854775807.L, UM = 18446744073709551615.L;
      const ll NM = (ll)1 << 63;
      for (int m = 0; m < 4; m++) {
        ci("float2int", m, toI(f, m, -I - 1, I, 0));
        ci("float2uint", m, toI(f, m, 0, U, 0));
        ci("float2ll", m, toI(f, m, -LM - 1, LM, NM));
        ci("float2ull", m, toI(f, m, 0, UM, NM));
        ci("double2int", m, toI(d, m, -I - 1, I, (int)0x80000000));
        ci("double2uint", m, toI(d, m, 0, U, 0x80000000u));
        ci("double2ll", m, toI(d, m, -LM - 1, LM, NM));
        ci("double2ull", m, toI(d, m, 0, UM, NM));
        ci("half2int", m, toI(h, m, -I - 1, I, 0));
        ci("half2uint", m, toI(h, m, 0, U, 0));
        ci("half2short", m, toI(h, m, -32768, 32767, 0));
        ci("half2ushort", m, toI(h, m, 0, 65535, 0));
        ci("half2ll", m, toI(h, m, -LM - 1, LM, NM));
        ci("half2ull", m, toI(h, m, 0, UM, NM));
      }
      ci("s8.f32", 0, toI(f, 0, -128, 127, 0));
      ci("u8.f32", 0, toI(f, 1, 0, 255, 0));
      ci("s16.f64", 0, toI(d, 2, -32768, 32767, -32768));
      ci("sat s8", 0, i < -128 ? -128 : i > 127 ? 127 : i);
      ci("sat u16", 0, i < 0 ? 0 : i > 65535 ? 65535 : i);
      ci("sat s16", 0, u > 32767 ? 32767 : u);
      ci("sat s32", 0, l < -2147483648ll ? -2147483648ll : l > 2147483647ll ? 2147483647ll : l);
      ci("sat u32", 0, l < 0 ? 0 : l > 4294967295ll ? 4294967295ll : l);
      ci("u64.s8", 0, (signed char)i);
      ci("sat u64", 0, i < 0 ? 0 : i);
    }
  };
  run();
  if (arch >= 9) {
    kb<<<n / 128, 128>>>(in, o, n);
    e = cudaDeviceSynchronize();
    if (e) {
      printf("FAILED %s\n", cudaGetErrorName(e));
      return 1;
    }
    for (int t = 0; t < n; t++) {
      ull a = in[t];
      int i = (int)a;
      unsigned u = (unsigned)a;
      ll l = (ll)a;
      double d;
      memcpy(&d, &a, 8);
      h16 hb = (h16)a;
      Out& r = o[t];
      int n0 = 0;
      auto ch = [&](const char* w, int m, h16 x, int inf) {
        h16 g = r.h[n0++];
        if ((g & 0x7fff) > inf) g = 0x7fff;
        if (g != x && bad++ < 40) printf("FAILED bf %s mode %d of %016llx: %04x not %04x\n", w, m, a, g, x);
      };
      for (int m = 0; m < 4; m++) {
        auto H = [&](L v) { return l2h(v, m, 7, 8); };
        ch("s32", m, H(i), 0x7f80);
        ch("u32", m, H(u), 0x7f80);
        ch("s64", m, H((L)l), 0x7f80);
        ch("u64", m, H((L)a), 0x7f80);
        ch("f64", m, H(d), 0x7f80);
        ch("s16", m, H((short)i), 0x7f80);
      }
      L b = h2l(hb, 7, 8), h = h2l(hb, 10, 5);
      if (r.i[0] != toI(b, 0, -2147483648.L, 2147483647.L, 0) && bad++ < 40)
        printf("FAILED bf int %04x %llx\n", hb, r.i[0]);
      if (r.i[1] != toI(b, 1, 0, 4294967295.L, 0) && bad++ < 40) printf("FAILED bf uint\n");
      if (!std::isnan(b) && r.f[0] != (unsigned)hb << 16 && bad++ < 40) printf("FAILED bf float\n");
      ch("bf.f16", 0, l2h(h, 0, 7, 8), 0x7f80);
      ch("f16.bf", 0, l2h(b, 0, 10, 5), 0x7c00);
      ch("rni.bf", 0, l2h(std::isfinite(b) ? copysignl(rnd(b, 0), b) : b, 0, 7, 8), 0x7f80);
      ch("rpi.h", 0, l2h(std::isfinite(h) ? copysignl(rnd(h, 3), h) : h, 0, 10, 5), 0x7c00);
    }
  }
  printf("conversions %s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
