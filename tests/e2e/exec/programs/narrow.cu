// SPDX-License-Identifier: Apache-2.0
// What sm_90 has beside the corpus: eight-bit floating-point numbers, functions of 16-bit numbers, the larger products of
// doubles, matrices to shared memory. Prints a hash of each output, to be compared with a GPU's.
#include <cuda_runtime.h>

#include <cstdlib>

#include "check.h"

constexpr int kAll = 65536;

__global__ void bytes(unsigned* o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float f = __uint_as_float(i * 0x10001u + 0x1234), g = __uint_as_float(i << 16 | i >> 3);
  const unsigned halves = i | (i ^ 0x5a5a) << 16;
  unsigned short h;
  unsigned v;
  asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0,%1,%2;" : "=h"(h) : "f"(f), "f"(g));
  o[i] = h;
  asm volatile("cvt.rn.satfinite.e5m2x2.f32 %0,%1,%2;" : "=h"(h) : "f"(f), "f"(g));
  o[kAll + i] = h;
  asm volatile("cvt.rn.satfinite.relu.e4m3x2.f32 %0,%1,%2;" : "=h"(h) : "f"(f), "f"(g));
  o[2 * kAll + i] = h;
  asm volatile("cvt.rn.satfinite.e4m3x2.f16x2 %0,%1;" : "=h"(h) : "r"(halves));
  o[3 * kAll + i] = h;
  asm volatile("cvt.rn.satfinite.e5m2x2.f16x2 %0,%1;" : "=h"(h) : "r"(halves));
  o[4 * kAll + i] = h;
  asm volatile("cvt.rn.f16x2.e4m3x2 %0,%1;" : "=r"(v) : "h"((unsigned short)i));
  o[5 * kAll + i] = v;
  asm volatile("cvt.rn.f16x2.e5m2x2 %0,%1;" : "=r"(v) : "h"((unsigned short)i));
  o[6 * kAll + i] = v;
}

__global__ void functions(unsigned* o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i | (i ^ 0x5555) << 16;
  asm volatile("tanh.approx.f16x2 %0,%1;" : "=r"(o[i]) : "r"(x));
  asm volatile("ex2.approx.f16x2 %0,%1;" : "=r"(o[kAll + i]) : "r"(x));
  asm volatile("tanh.approx.bf16x2 %0,%1;" : "=r"(o[2 * kAll + i]) : "r"(x));
  asm volatile("ex2.approx.ftz.bf16x2 %0,%1;" : "=r"(o[3 * kAll + i]) : "r"(x));
}

#define SUM "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
#define AT(k) "d"(a[100 * (k) + t])
__global__ void products(const double* a, double* o) {
  const int t = threadIdx.x;
  double c[4];
  const auto load = [&] {
    for (int i = 0; i < 4; i++) c[i] = a[t * 4 + i];
  };
  const auto store = [&](int at) {
    for (int i = 0; i < 4; i++) o[at + t * 4 + i] = c[i];
  };
  load();
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : SUM
               : AT(2), AT(3), AT(4));
  store(0);
  load();
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : SUM
               : AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
  store(128);
  load();
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
      "{%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
      : SUM
      : AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8), AT(9), AT(10), AT(11), AT(12), AT(13));
  store(256);
}

// What STSM stores in any of its forms, LDSM of the same form finds again.
__global__ void matrices(unsigned* o) {
  __shared__ __align__(16) unsigned short cells[32 * 8];
  const unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&cells[t * 8]);
  unsigned r[4];
  for (unsigned k = 0; k < 4; k++) r[k] = (t * 4 + k) * 0x10003u;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%2,%3,%4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]),
               "r"(r[3]));
  __syncwarp();
  for (int k = 0; k < 4; k++) o[t * 4 + k] = cells[t * 8 + 2 * k] | cells[t * 8 + 2 * k + 1] << 16;
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0],{%1,%2};" ::"r"(at), "r"(r[0]), "r"(r[1]));
  __syncwarp();
  for (int k = 0; k < 4; k++) o[128 + t * 4 + k] = cells[t * 8 + 2 * k] | cells[t * 8 + 2 * k + 1] << 16;
}

static unsigned long long hash(const void* data, size_t size) {
  unsigned long long h = 1469598103934665603ull;
  for (size_t i = 0; i < size; i++) h = (h ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
  return h;
}

int main() {
  unsigned* o;
  double *a, *d;
  CU(cudaMallocManaged(&o, 7 * kAll * 4));
  CU(cudaMallocManaged(&a, 2000 * 8));
  CU(cudaMallocManaged(&d, 384 * 8));
  bytes<<<256, 256>>>(o);
  CU(cudaDeviceSynchronize());
  for (int k = 0; k < 7; k++) printf("bytes %d %016llx\n", k, hash(o + k * kAll, kAll * 4));
  unsigned long long state = 1;
  for (int i = 0; i < 2000; i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    a[i] = (static_cast<double>(state >> 11) / (1ull << 53) - 0.5) * (i % 3 ? 1.0 : 1e-5);
  }
  products<<<1, 32>>>(a, d);
  CU(cudaDeviceSynchronize());
  for (int k = 0; k < 3; k++) printf("products %d %016llx\n", k, hash(d + k * 128, 1024));
  matrices<<<1, 32>>>(o);
  CU(cudaDeviceSynchronize());
  printf("matrices 0 %016llx\n", hash(o, 512));
  printf("matrices 1 %016llx\n", hash(o + 128, 512));
  functions<<<256, 256>>>(o);
  CU(cudaDeviceSynchronize());
  for (int k = 0; k < 4; k++) printf("functions %d %016llx\n", k, hash(o + k * kAll, kAll * 4));
}
