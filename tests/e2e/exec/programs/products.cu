// SPDX-License-Identifier: Apache-2.0
// Every shape and type of mma.sync of small whole numbers: any order of sums is exact. Checks itself.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef uint32_t u;
int bad = 0;
__device__ u pack2h(int a, int b) {
  __half2 h = __floats2half2_rn(a, b);
  return *(u*)&h;
}
__device__ u pack2b(int a, int b) {
  u x = __float_as_uint((float)a) >> 16, y = __float_as_uint((float)b) >> 16;
  return x | y << 16;
}
__host__ __device__ int ea(int i, int k) { return (i * 7 + k * 3) % 5 - 2; }
__host__ __device__ int eb(int k, int j) { return (k * 5 + j * 11) % 7 - 3; }
__host__ __device__ int ec(int i, int j) { return (i * 3 + j) % 9 - 4; }
// generic fragments: A row-major MxK, B col, C
#define T threadIdx.x
#define GR (T / 4)
#define TG (T % 4)
template <int M>
__device__ void storec(float* o, const float* c) {
  for (int h = 0; h < M / 8; h++) {
    o[(GR + 8 * h) * 8 + TG * 2] = c[2 * h];
    o[(GR + 8 * h) * 8 + TG * 2 + 1] = c[2 * h + 1];
  }
}
__global__ void m1688_f16(float* o) {
#if __CUDA_ARCH__ >= 750
  u a0 = pack2h(ea(GR, TG * 2), ea(GR, TG * 2 + 1)), a1 = pack2h(ea(GR + 8, TG * 2), ea(GR + 8, TG * 2 + 1)),
    b = pack2h(eb(TG * 2, GR), eb(TG * 2 + 1, GR));
  float c[4] = {(float)ec(GR, TG * 2), (float)ec(GR, TG * 2 + 1), (float)ec(GR + 8, TG * 2),
                (float)ec(GR + 8, TG * 2 + 1)};
  u h0 = pack2h(c[0], c[1]), h1 = pack2h(c[2], c[3]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(b));
  storec<16>(o, c);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};"
               : "+r"(h0), "+r"(h1)
               : "r"(a0), "r"(a1), "r"(b));
  c[0] = __low2float(*(__half2*)&h0);
  c[1] = __high2float(*(__half2*)&h0);
  c[2] = __low2float(*(__half2*)&h1);
  c[3] = __high2float(*(__half2*)&h1);
  storec<16>(o + 128, c);
#endif
}
__global__ void m16816(float* o) {
#if __CUDA_ARCH__ >= 800
  u a[4], b[2];
  for (int h = 0; h < 4; h++)
    a[h] = pack2h(ea(GR + 8 * (h & 1), TG * 2 + 8 * (h >> 1)), ea(GR + 8 * (h & 1), TG * 2 + 1 + 8 * (h >> 1)));
  for (int h = 0; h < 2; h++) b[h] = pack2h(eb(TG * 2 + 8 * h, GR), eb(TG * 2 + 1 + 8 * h, GR));
  float c[4] = {(float)ec(GR, TG * 2), (float)ec(GR, TG * 2 + 1), (float)ec(GR + 8, TG * 2),
                (float)ec(GR + 8, TG * 2 + 1)};
  u h0 = pack2h(c[0], c[1]), h1 = pack2h(c[2], c[3]);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  storec<16>(o, c);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
               : "+r"(h0), "+r"(h1)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  c[0] = __low2float(*(__half2*)&h0);
  c[1] = __high2float(*(__half2*)&h0);
  c[2] = __low2float(*(__half2*)&h1);
  c[3] = __high2float(*(__half2*)&h1);
  storec<16>(o + 128, c);
  for (int h = 0; h < 4; h++)
    a[h] = pack2b(ea(GR + 8 * (h & 1), TG * 2 + 8 * (h >> 1)), ea(GR + 8 * (h & 1), TG * 2 + 1 + 8 * (h >> 1)));
  for (int h = 0; h < 2; h++) b[h] = pack2b(eb(TG * 2 + 8 * h, GR), eb(TG * 2 + 1 + 8 * h, GR));
  float d[4] = {(float)ec(GR, TG * 2), (float)ec(GR, TG * 2 + 1), (float)ec(GR + 8, TG * 2),
                (float)ec(GR + 8, TG * 2 + 1)};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  storec<16>(o + 256, d);
#endif
}
__global__ void m1688_bf_tf(float* o) {
#if __CUDA_ARCH__ >= 800
  u a0 = pack2b(ea(GR, TG * 2), ea(GR, TG * 2 + 1)), a1 = pack2b(ea(GR + 8, TG * 2), ea(GR + 8, TG * 2 + 1)),
    b = pack2b(eb(TG * 2, GR), eb(TG * 2 + 1, GR));
  float c[4] = {(float)ec(GR, TG * 2), (float)ec(GR, TG * 2 + 1), (float)ec(GR + 8, TG * 2),
                (float)ec(GR + 8, TG * 2 + 1)},
        s[4];
  for (int i = 0; i < 4; i++) s[i] = c[i];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(b));
  storec<16>(o, c);
  u t[4], q[2];
  for (int h = 0; h < 4; h++) t[h] = __float_as_uint((float)ea(GR + 8 * (h & 1), TG + 4 * (h >> 1)));
  for (int h = 0; h < 2; h++) q[h] = __float_as_uint((float)eb(TG + 4 * h, GR));
  for (int i = 0; i < 4; i++) c[i] = s[i];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(q[0]), "r"(q[1]));
  storec<16>(o + 128, c);
  for (int i = 0; i < 4; i++) c[i] = s[i];
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(t[0]), "r"(t[1]), "r"(q[0]));
  storec<16>(o + 256, c);
#endif
}
// integers: K elements, BITS each; A regs: rows g,g+8 ; each reg holds 32/BITS consecutive k
template <int BITS>
__device__ u packi(int, int r, int k0, bool isa, bool uns) {
  u v = 0;
  const int n = 32 / BITS;
  for (int i = 0; i < n; i++) {
    int x = isa ? ea(r, k0 + i) : eb(k0 + i, r);
    if (uns) x = (x < 0 ? -x : x) + 1;
    v |= ((u)x & ((1u << BITS) - 1)) << (BITS * i);
  }
  return v;
}
template <int M>
__device__ void storei(int* o, const int* c) {
  for (int h = 0; h < M / 8; h++) {
    o[(GR + 8 * h) * 8 + TG * 2] = c[2 * h];
    o[(GR + 8 * h) * 8 + TG * 2 + 1] = c[2 * h + 1];
  }
}
#define IC int c[4] = {ec(GR, TG * 2), ec(GR, TG * 2 + 1), ec(GR + 8, TG * 2), ec(GR + 8, TG * 2 + 1)};
#define M8(name, shape, ta, tb, bits, ua, ub, sat, min)                                                          \
  __global__ void name(int* o) {                                                                                 \
    {                                                                                                            \
      IC;                                                                                                        \
      u a = packi<bits>(0, GR, TG * (32 / bits), true, ua), b = packi<bits>(0, GR, TG * (32 / bits), false, ub); \
      asm volatile("mma.sync.aligned." shape ".row.col" sat ".s32." ta "." tb ".s32 {%0,%1},{%2},{%3},{%0,%1};"  \
                   : "+r"(c[0]), "+r"(c[1])                                                                      \
                   : "r"(a), "r"(b));                                                                            \
      storei<8>(o, c);                                                                                           \
    }                                                                                                            \
  }
#define M16a(name, shape, ta, tb, bits, ua, ub, sat)                                           \
  __global__ void name(int* o) {                                                               \
    IC;                                                                                        \
    u a[2], b;                                                                                 \
    for (int h = 0; h < 2; h++) a[h] = packi<bits>(0, GR + 8 * h, TG * (32 / bits), true, ua); \
    b = packi<bits>(0, GR, TG * (32 / bits), false, ub);                                       \
    asm volatile("mma.sync.aligned." shape ".row.col" sat ".s32." ta "." tb                    \
                 ".s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"                              \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                              \
                 : "r"(a[0]), "r"(a[1]), "r"(b));                                              \
    storei<16>(o, c);                                                                          \
  }
#define M16b(name, shape, ta, tb, bits, ua, ub, sat)                                                          \
  __global__ void name(int* o) {                                                                              \
    IC;                                                                                                       \
    u a[4], b[2];                                                                                             \
    for (int h = 0; h < 4; h++)                                                                               \
      a[h] = packi<bits>(0, GR + 8 * (h & 1), TG * (32 / bits) + (h >> 1) * 4 * (32 / bits), true, ua);       \
    for (int h = 0; h < 2; h++) b[h] = packi<bits>(0, GR, TG * (32 / bits) + h * 4 * (32 / bits), false, ub); \
    asm volatile("mma.sync.aligned." shape ".row.col" sat ".s32." ta "." tb                                   \
                 ".s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                                    \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                             \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                         \
    storei<16>(o, c);                                                                                         \
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
#define D75(x) x
#else
#define D75(x)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define D80(x) x
#else
#define D80(x)
#endif
#define STUB(n) \
  __global__ void n(int* o) {}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
STUB(i8ss)
STUB(i8us) STUB(i8uu) STUB(i4ss) STUB(i4uu) STUB(i4su)
#else
M8(i8ss, "m8n8k16", "s8", "s8", 8, false, false, "", 750)
M8(i8us, "m8n8k16", "u8", "s8", 8, true, false, ".satfinite", 750)
    M8(i8uu, "m8n8k16", "u8", "u8", 8, true, true, "", 750) M8(i4ss, "m8n8k32", "s4", "s4", 4, false, false, "", 750)
        M8(i4uu, "m8n8k32", "u4", "u4", 4, true, true, "", 750)
            M8(i4su, "m8n8k32", "s4", "u4", 4, false, true, ".satfinite", 750)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    STUB(j8a) STUB(j8b) STUB(j8c) STUB(j8d) STUB(j4a) STUB(j4b) STUB(j4c)
#else
                M16a(j8a, "m16n8k16", "s8", "s8", 8, false, false, "")
                    M16a(j8b, "m16n8k16", "u8", "s8", 8, true, false, ".satfinite")
                        M16b(j8c, "m16n8k32", "s8", "u8", 8, false, true, "")
                            M16b(j8d, "m16n8k32", "u8", "u8", 8, true, true, ".satfinite")
                                M16a(j4a, "m16n8k32", "s4", "s4", 4, false, false, "")
                                    M16b(j4b, "m16n8k64", "u4", "s4", 4, true, false, "")
                                        M16b(j4c, "m16n8k64", "u4", "u4", 4, true, true, ".satfinite")
#endif
        __host__ __device__ u bits(int r, int k) {
  u x = r * 2654435761u + k * 40503u * 977u + 12345;
  x ^= x >> 13;
  x *= 0x5bd1e995u;
  return x ^ x >> 15;
}
__global__ void bm(int* o) {
#if __CUDA_ARCH__ >= 750
  {
    IC;
    u a = bits(GR, TG), b = bits(GR + 100, TG);
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0,%1},{%2},{%3},{%0,%1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a), "r"(b));
    storei<8>(o, c);
  }
#endif
#if __CUDA_ARCH__ >= 800
  {
    IC;
    u a = bits(GR, TG), b = bits(GR + 100, TG);
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1},{%2},{%3},{%0,%1};"
                 : "+r"(c[0]), "+r"(c[1])
                 : "r"(a), "r"(b));
    storei<8>(o + 64, c);
  }
  {
    IC;
    u a = bits(GR, TG), a1 = bits(GR + 8, TG), b = bits(GR + 100, TG);
    asm volatile("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a), "r"(a1), "r"(b));
    storei<16>(o + 128, c);
  }
  {
    IC;
    u a[4], b[2];
    for (int h = 0; h < 4; h++) a[h] = bits(GR + 8 * (h & 1), TG + 4 * (h >> 1));
    for (int h = 0; h < 2; h++) b[h] = bits(GR + 100, TG + 4 * h);
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    storei<16>(o + 256, c);
  }
#endif
}
// m8n8k4: four independent products by quadrants of threads
template <int L>
__global__ void m884(float* o, const __half* A, const __half* B) {
  int t = T, q = (t / 4) % 4, low = t < 16 ? 0 : 4;  // quad pair q: threads 4q..4q+3 and 16+4q..
  // A: row: each thread holds a row of 4; row = t%4 + (t>=16?4:0); col: column-major: thread holds col t%4, rows 0..3
  // or 4..7
  __half a[4], b[4];
  const __half *a0 = A + q * 32, *b0 = B + q * 32;
  for (int i = 0; i < 4; i++) {
    a[i] = (L & 1) ? a0[(low + i) * 4 + t % 4] : a0[(low + t % 4) * 4 + i];
    b[i] = (L & 2) ? b0[(t % 4) * 8 + low + i] : b0[i * 8 + low + t % 4];
  }
  u av[2], bv[2];
  memcpy(av, a, 8);
  memcpy(bv, b, 8);
  float c[8] = {};
  u h[4] = {};
#define M884(la, lb)                                                                                                  \
  {                                                                                                                   \
    asm volatile("mma.sync.aligned.m8n8k4." la "." lb                                                                 \
                 ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%0,%1,%2,%3,%4,%5,%6,%7};"            \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])     \
                 : "r"(av[0]), "r"(av[1]), "r"(bv[0]), "r"(bv[1]));                                                   \
    asm volatile("mma.sync.aligned.m8n8k4." la "." lb ".f16.f16.f16.f16 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3};" \
                 : "+r"(h[0]), "+r"(h[1]), "+r"(h[2]), "+r"(h[3])                                                     \
                 : "r"(av[0]), "r"(av[1]), "r"(bv[0]), "r"(bv[1]));                                                   \
  }
  if (L == 0)
    M884("row", "col")
    if (L == 1) M884("col", "col") if (L == 2) M884("row", "row") if (L == 3)
        M884("col", "row") for (int i = 0; i < 8; i++) {
      int row = (t & 1) + (i & 2) + low, col = (i & 4) + (t & 2) + (i & 1);
      o[q * 64 + row * 8 + col] = c[i];
    }
  for (int i = 0; i < 8; i++) {
    int row = t % 4 + low;
    __half2 x = *(__half2*)&h[i / 2];
    o[256 + q * 64 + row * 8 + i] = i & 1 ? __high2float(x) : __low2float(x);
  }
}
int main() {
  int arch = 0, mn = 0;
  cudaDeviceGetAttribute(&arch, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&mn, cudaDevAttrComputeCapabilityMinor, 0);
  arch = arch * 10 + mn;
  float* o;
  int* oi = nullptr;
  cudaMallocManaged(&o, 1 << 16);
  oi = (int*)o;
  cudaError_t e;
  auto sync = [&](const char* n) {
    e = cudaDeviceSynchronize();
    if (e) {
      printf("FAILED %s %s\n", n, cudaGetErrorName(e));
      exit(1);
    }
  };
  auto ckf = [&](const char* n, int off, int M, int K) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < 8; j++) {
        float s = ec(i, j);
        for (int k = 0; k < K; k++) s += ea(i, k) * eb(k, j);
        if (o[off + i * 8 + j] != s && bad++ < 20) printf("FAILED %s %d %d: %g %g\n", n, i, j, o[off + i * 8 + j], s);
      }
  };
  auto cki = [&](const char* n, int off, int M, int K, bool ua, bool ub) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < 8; j++) {
        int s = ec(i, j);
        for (int k = 0; k < K; k++) {
          int a = ea(i, k), b = eb(k, j);
          if (ua) a = abs(a) + 1;
          if (ub) b = abs(b) + 1;
          s += a * b;
        }
        if (oi[off + i * 8 + j] != s && bad++ < 20) printf("FAILED %s %d %d: %d %d\n", n, i, j, oi[off + i * 8 + j], s);
      }
  };
  if (arch >= 75) {
    m1688_f16<<<1, 32>>>(o);
    sync("1688");
    ckf("m16n8k8 f32", 0, 16, 8);
    ckf("m16n8k8 f16", 128, 16, 8);
#define RI(n, M, K, ua, ub) \
  n<<<1, 32>>>(oi);         \
  sync(#n);                 \
  cki(#n, 0, M, K, ua, ub);
    RI(i8ss, 8, 16, 0, 0)
    RI(i8us, 8, 16, 1, 0) RI(i8uu, 8, 16, 1, 1) RI(i4ss, 8, 32, 0, 0) RI(i4uu, 8, 32, 1, 1) RI(i4su, 8, 32, 0, 1)
  }
  if (arch >= 80) {
    m16816<<<1, 32>>>(o);
    sync("16816");
    ckf("m16n8k16 f32", 0, 16, 16);
    ckf("m16n8k16 f16", 128, 16, 16);
    ckf("m16n8k16 bf16", 256, 16, 16);
    m1688_bf_tf<<<1, 32>>>(o);
    sync("bf");
    ckf("m16n8k8 bf16", 0, 16, 8);
    ckf("m16n8k8 tf32", 128, 16, 8);
    ckf("m16n8k4 tf32", 256, 16, 4);
    RI(j8a, 16, 16, 0, 0)
    RI(j8b, 16, 16, 1, 0) RI(j8c, 16, 32, 0, 1) RI(j8d, 16, 32, 1, 1) RI(j4a, 16, 32, 0, 0) RI(j4b, 16, 64, 1, 0)
        RI(j4c, 16, 64, 1, 1)
  }
  if (arch >= 75) {
    bm<<<1, 32>>>(oi);
    sync("bm");
    auto cb = [&](const char* n, int off, int M, int W, bool x) {
      for (int i = 0; i < M; i++)
        for (int j = 0; j < 8; j++) {
          int s = ec(i, j);
          for (int k = 0; k < W; k++) {
            u a = bits(i, k), b = bits(j + 100, k);
            s += __builtin_popcount(x ? a ^ b : a & b);
          }
          if (oi[off + i * 8 + j] != s && bad++ < 20)
            printf("FAILED %s %d %d: %d %d\n", n, i, j, oi[off + i * 8 + j], s);
        }
    };
    cb("b1 xor 8", 0, 8, 4, 1);
    if (arch >= 80) {
      cb("b1 and 8", 64, 8, 4, 0);
      cb("b1 and 16", 128, 16, 4, 0);
      cb("b1 xor 256", 256, 16, 8, 1);
    }
  }
  __half *A, *B;
  cudaMallocManaged(&A, 256);
  cudaMallocManaged(&B, 256);
  for (int i = 0; i < 128; i++) {
    A[i] = __float2half((i * 7) % 11 - 5);
    B[i] = __float2half((i * 5) % 13 - 6);
  }
  for (int L = 0; L < 4; L++) {
    if (L == 0) m884<0><<<1, 32>>>(o, A, B);
    if (L == 1) m884<1><<<1, 32>>>(o, A, B);
    if (L == 2) m884<2><<<1, 32>>>(o, A, B);
    if (L == 3) m884<3><<<1, 32>>>(o, A, B);
    sync("884");
    for (int q = 0; q < 4; q++)
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
          float s = 0;
          for (int k = 0; k < 4; k++) s += __half2float(A[q * 32 + i * 4 + k]) * __half2float(B[q * 32 + k * 8 + j]);
          for (int w = 0; w < 2; w++)
            if (o[w * 256 + q * 64 + i * 8 + j] != s && bad++ < 20)
              printf("FAILED 884 layout %d acc %d quad %d %d %d: %g %g\n", L, w, q, i, j,
                     o[w * 256 + q * 64 + i * 8 + j], s);
        }
  }
  printf("products %s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
