// SPDX-License-Identifier: Apache-2.0
// Intrinsics of half precision and bfloat16, against exact results rounded once. Checks itself.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
typedef unsigned short h16;
int bad = 0;
static float h2f(h16 h) {
  __half_raw r;
  r.x = h;
  return __half2float(__half(r));
}
static h16 f2h(double d) {  // round to nearest even of a double
  if (std::isnan(d)) return 0x7fff;
  double a = fabs(d);
  h16 s = std::signbit(d) ? 0x8000 : 0;
  if (a >= 65520) return s | 0x7c00;
  if (a == 0) return s;
  int e;
  frexp(a, &e);
  e = std::max(e - 1, -14);
  double q = ldexp(a, 10 - e);
  double r = nearbyint(q);
  unsigned m = (unsigned)r;
  return s | (h16)(m + ((e + 14) << 10));
}
static float b2f(h16 h) {
  uint32_t u = (uint32_t)h << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static h16 f2b(double d) {
  if (std::isnan(d)) return 0x7fff;
  double a = fabs(d);
  h16 s = std::signbit(d) ? 0x8000 : 0;
  if (a >= ldexp(511.0 / 512 + 1 - 1.0 / 512 + 0, 0) * 0 + 3.3961775292304601e38) return s | 0x7f80;
  if (a == 0) return s;
  int e;
  frexp(a, &e);
  e = std::max(e - 1, -126);
  double q = ldexp(a, 7 - e);
  unsigned m = (unsigned)nearbyint(q);
  return s | (h16)(m + ((e + 126) << 7));
}
template <class H>
__device__ h16 B(H h) {
  return *(h16*)&h;
}
__device__ unsigned mixd(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__global__ void kh(h16* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  h16 ra = mixd(i * 3), rb = mixd(i * 3 + 1), rc = mixd(i * 3 + 2);
  if (i & 1) {
    ra = (ra & 0x8fff) | 0x3000;
    rb = (rb & 0x8fff) | 0x3000;
    rc = (rc & 0x8fff) | 0x3000;
  }
  __half a = *(__half*)&ra, b = *(__half*)&rb, c = *(__half*)&rc;
  h16* p = o + i * 32;
  int n = 0;
  p[n++] = ra;
  p[n++] = rb;
  p[n++] = rc;
  p[n++] = B(__hadd(a, b));
  p[n++] = B(__hsub(a, b));
  p[n++] = B(__hmul(a, b));
  p[n++] = B(__hfma(a, b, c));
  p[n++] = B(__hadd_sat(a, b));
  p[n++] = B(__hfma_sat(a, b, c));
  p[n++] = B(__hneg(a));
  p[n++] = B(__habs(a));
  p[n++] = __heq(a, b) + 2 * __hlt(a, b) + 4 * __hge(a, b) + 8 * __hne(a, b) + 16 * __hltu(a, b) + 32 * __hgeu(a, b) +
           64 * __hisnan(a) + 128 * __hequ(a, b) + 256 * __hneu(a, b);
  __half2 x = __halves2half2(a, b), y = __halves2half2(b, c);
  __half2 r = __hmul2(x, y);
  p[n++] = B(__low2half(r));
  p[n++] = B(__high2half(r));
  p[n++] = B(hfloor(a));
  p[n++] = B(hceil(a));
  p[n++] = B(hrint(a));
  p[n++] = B(htrunc(a));
  p[n++] = (h16)__half2int_rn(a);
  p[n++] = (h16)__half2uint_rz(a);
  p[n++] = (h16)__half2short_rd(a);
  p[n++] = B(__int2half_rn((int)(ra * 3) - 90000));
  p[n++] = B(__float2half_rz(__half2float(a) * 1.0009765f));
  p[n++] = B(__double2half((double)__half2float(a) * 1.2345678));
  unsigned m = __hbgt2(x, y) + 2 * __hbeq2(x, y);
  p[n++] = m;
  r = __hgt2(x, y);
  p[n++] = B(__low2half(r));
  p[n++] = B(__high2half(r));
#if __CUDA_ARCH__ >= 800
  p[n++] = B(__hmax(a, b));
  p[n++] = B(__hmin(a, b));
  p[n++] = B(__hfma_relu(a, b, c));
#else
  n += 3;
#endif
  r = __h2div(x, y);
  (void)r;
  p[n++] = B(hsqrt(__habs(a)));
  p[n++] = B(__hdiv(a, b));
}
__global__ void kb(h16* o) {
#if __CUDA_ARCH__ >= 800
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  h16 ra = mixd(i * 3), rb = mixd(i * 3 + 1), rc = mixd(i * 3 + 2);
  if (i & 1) {
    ra = (ra & 0x87ff) | 0x3c00;
    rb = (rb & 0x87ff) | 0x3c00;
    rc = (rc & 0x87ff) | 0x3c00;
  }
  __nv_bfloat16 a = *(__nv_bfloat16*)&ra, b = *(__nv_bfloat16*)&rb, c = *(__nv_bfloat16*)&rc;
  h16* p = o + i * 32;
  int n = 0;
  p[n++] = ra;
  p[n++] = rb;
  p[n++] = rc;
  p[n++] = B(__hadd(a, b));
  p[n++] = B(__hsub(a, b));
  p[n++] = B(__hmul(a, b));
  p[n++] = B(__hfma(a, b, c));
  p[n++] = B(__hmax(a, b));
  p[n++] = B(__hmin(a, b));
  p[n++] = B(__hneg(a));
  p[n++] = B(__habs(a));
  p[n++] = __heq(a, b) + 2 * __hlt(a, b) + 4 * __hge(a, b) + 8 * __hne(a, b) + 16 * __hltu(a, b) + 32 * __hgeu(a, b) +
           64 * __hisnan(a);
  __nv_bfloat162 x = __halves2bfloat162(a, b), y = __halves2bfloat162(b, c), r = __hfma2(x, y, x);
  p[n++] = B(__low2bfloat16(r));
  p[n++] = B(__high2bfloat16(r));
  p[n++] = B(__float2bfloat16_rn(__bfloat162float(a) * 1.00390625f));
  p[n++] = B(hfloor(a));
  p[n++] = (h16)__bfloat162int_rz(a);
  p[n++] = B(__int2bfloat16_rn((int)(ra * 3) - 90000));
  p[n++] = B(__double2bfloat16((double)__bfloat162float(a) * 1.2345678));
  r = __floats2bfloat162_rn(__bfloat162float(a) * 3.01f, __bfloat162float(b) * 0.3f);
  p[n++] = B(__low2bfloat16(r));
  p[n++] = B(__high2bfloat16(r));
  p[n++] = B(__hadd_sat(a, b));
#endif
}
static h16 canon(h16 h, int inf) { return (h & 0x7fff) > inf ? 0x7fff : h; }
int main() {
  const int N = 1 << 14;
  h16* o;
  cudaMallocManaged(&o, N * 64);
  cudaError_t e;
  kh<<<N / 128, 128>>>(o);
  e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED %s\n", cudaGetErrorName(e));
    return 1;
  }
  int arch = 0;
  cudaDeviceGetAttribute(&arch, cudaDevAttrComputeCapabilityMajor, 0);
  for (int i = 0; i < N; i++) {
    h16* p = o + i * 32;
    double a = h2f(p[0]), b = h2f(p[1]), c = h2f(p[2]);
    int n = 3;
    auto ck = [&](const char* w, h16 want) {
      h16 g = p[n++];
      if (canon(g, 0x7c00) != canon(want, 0x7c00) && bad++ < 30)
        printf("FAILED half %s(%04x,%04x,%04x)=%04x not %04x\n", w, p[0], p[1], p[2], g, want);
    };
    auto sat = [&](double d) { return std::isnan(d) ? 0. : d < 0 ? 0. : d > 1 ? 1. : d; };
    auto fmah = [&](double x, double y, double z) -> h16 {
      double s = x * y + z;
      return f2h(s);
    };
    ck("add", f2h(a + b));
    ck("sub", f2h(a - b));
    ck("mul", f2h(a * b));
    ck("fma", fmah(a, b, c));
    {
      double d = a + b;
      ck("add_sat", f2h(sat(d)) & (d <= 0 ? 0 : 0xffff));
    }
    {
      double d = a * b + c;
      ck("fma_sat", f2h(sat(d)) & (d <= 0 ? 0 : 0xffff));
    }
    ck("neg", p[0] ^ 0x8000);
    ck("abs", p[0] & 0x7fff);
    {
      bool nn = std::isnan(a) || std::isnan(b);
      h16 w = (a == b) + 2 * (a < b) + 4 * (a >= b) + 8 * (!nn && a != b) + 16 * (nn || a < b) + 32 * (nn || a >= b) +
              64 * std::isnan(a) + 128 * (nn || a == b) + 256 * (nn || a != b);
      h16 g = p[n++];
      if (g != w && bad++ < 30) printf("FAILED half cmp %04x %04x: %x not %x\n", p[0], p[1], g, w);
    }
    ck("mul2l", f2h(a * b));
    ck("mul2h", f2h(b * c));
    ck("floor", f2h(floor(a)));
    ck("ceil", f2h(ceil(a)));
    ck("rint", f2h(rint(a)));
    ck("trunc", f2h(trunc(a)));
    if (std::isfinite(a)) {
      auto ci = [&](const char* w, h16 want) {
        h16 g = p[n++];
        if (g != want && bad++ < 30) printf("FAILED half %s(%04x)=%04x not %04x\n", w, p[0], g, want);
      };
      ci("int", (h16)(int)rint(a));
      ci("uint", (h16)(a < 0 ? 0 : (unsigned)a));
      double f = floor(a);
      ci("short", (h16)(short)(f < -32768 ? -32768 : f > 32767 ? 32767 : f));
    } else
      n += 3;
    ck("fromint", f2h((double)((int)(p[0] * 3) - 90000)));
    n++;
    ck("fromdouble", f2h(a * 1.2345678));
    {
      h16 w = (a > b && b > c) + 2 * (a == b && b == c);
      h16 g = p[n++];
      if (g != w && bad++ < 30) printf("FAILED half b2 %d %d\n", g, w);
    }
    ck("gt2l", a > b ? 0x3c00 : 0);
    ck("gt2h", b > c ? 0x3c00 : 0);
    if (arch >= 8) {
      ck("max", std::isnan(a)                          ? (std::isnan(b) ? 0x7fff : p[1])
                : std::isnan(b)                        ? p[0]
                : (a > b || (a == b && !(p[0] >> 15))) ? p[0]
                                                       : p[1]);
      ck("min", std::isnan(a)                         ? (std::isnan(b) ? 0x7fff : p[1])
                : std::isnan(b)                       ? p[0]
                : (a < b || (a == b && (p[0] >> 15))) ? p[0]
                                                      : p[1]);
      {
        h16 w = fmah(a, b, c);
        if ((w & 0x7fff) <= 0x7c00 && (w >> 15)) w = 0;
        ck("fma_relu", w);
      }
    } else
      n += 3;
    {
      h16 g = p[n++];
      double d = sqrt(fabs(a));
      h16 w = f2h(d);
      if (canon(g, 0x7c00) != canon(w, 0x7c00) && abs(g - w) > 1 && bad++ < 30)
        printf("FAILED sqrt %04x %04x %04x\n", p[0], g, w);
    }
    {
      h16 g = p[n++], w = f2h(a / b);
      if (canon(g, 0x7c00) != canon(w, 0x7c00) && abs(g - w) > 1 && bad++ < 30)
        printf("FAILED div %04x/%04x %04x %04x\n", p[0], p[1], g, w);
    }
  }
  if (arch >= 8) {
    kb<<<N / 128, 128>>>(o);
    e = cudaDeviceSynchronize();
    if (e) {
      printf("FAILED %s\n", cudaGetErrorName(e));
      return 1;
    }
    for (int i = 0; i < N; i++) {
      h16* p = o + i * 32;
      double a = b2f(p[0]), b = b2f(p[1]), c = b2f(p[2]);
      int n = 3;
      auto ck = [&](const char* w, h16 want) {
        h16 g = p[n++];
        if (canon(g, 0x7f80) != canon(want, 0x7f80) && bad++ < 30)
          printf("FAILED bf16 %s(%04x,%04x,%04x)=%04x not %04x\n", w, p[0], p[1], p[2], g, want);
      };
      auto fmab = [&](double x, double y, double z) -> h16 {
        if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return f2b(x * y + z);
        double p = x * y, d = p + z;
        double bb = d - p, err = (p - (d - bb)) + (z - bb);
        if (err != 0 && d != 0) {
          uint64_t u;
          memcpy(&u, &d, 8);
          if (!(u & 1)) {
            if ((err > 0) == (d > 0))
              u |= 1;
            else
              u -= 1;
            memcpy(&d, &u, 8);
          }
        }
        double s = d;
        if (s == 0) d = (x * y + z);
        return f2b(d);
      };
      ck("add", fmab(a, 1, b));
      ck("sub", fmab(-b, 1, a));
      {
        double m = a * b;
        ck("mul", f2b(m) | 0);
      }
      ck("fma", fmab(a, b, c));
      ck("max", std::isnan(a)                          ? (std::isnan(b) ? 0x7fff : p[1])
                : std::isnan(b)                        ? p[0]
                : (a > b || (a == b && !(p[0] >> 15))) ? p[0]
                                                       : p[1]);
      ck("min", std::isnan(a)                         ? (std::isnan(b) ? 0x7fff : p[1])
                : std::isnan(b)                       ? p[0]
                : (a < b || (a == b && (p[0] >> 15))) ? p[0]
                                                      : p[1]);
      ck("neg", p[0] ^ 0x8000);
      ck("abs", p[0] & 0x7fff);
      {
        bool nn = std::isnan(a) || std::isnan(b);
        h16 w = (a == b) + 2 * (a < b) + 4 * (a >= b) + 8 * (!nn && a != b) + 16 * (nn || a < b) + 32 * (nn || a >= b) +
                64 * std::isnan(a);
        h16 g = p[n++];
        if (g != w && bad++ < 30) printf("FAILED bf16 cmp %04x %04x: %x not %x\n", p[0], p[1], g, w);
      }
      ck("fma2l", fmab(a, b, a));
      ck("fma2h", fmab(b, c, b));
      ck("mulf", f2b((double)((float)a * 1.00390625f)));
      ck("floor", f2b(floor(a)));
      if (std::isfinite(a) && fabs(a) < 2e9) {
        h16 g = p[n++];
        if (g != (h16)(int)a && bad++ < 30) printf("FAILED bf int\n");
      } else
        n++;
      ck("fromint", f2b((double)((int)(p[0] * 3) - 90000)));
      {
        float f = 0;
        (void)f;
        n++;
      }
      ck("f2l", f2b((double)((float)a * 3.01f)));
      ck("f2h", f2b((double)((float)b * 0.3f)));
    }
  }
  printf("halves %s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
