// SPDX-License-Identifier: Apache-2.0
// What C++ on the device offers: function pointers, virtual functions, recursion, the heap, printf, constants, lambdas.
// Checks itself.
#include <cassert>
#include <new>

#include "check.h"

__constant__ float coef[16];
__constant__ int lut[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
__device__ int gcount;
__device__ double gd[8] = {1, 2, 3};
struct Big {
  int v[64];
};
typedef float (*Fn)(float);
__device__ float f_sq(float x) { return x * x; }
__device__ float f_neg(float x) { return -x; }
__device__ float f_h(float x) { return x * 0.5f; }
__device__ Fn table[3] = {f_sq, f_neg, f_h};
__device__ Fn dptr = f_h;
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Sq : Shape {
  float s;
  __device__ Sq(float s) : s(s) {}
  __device__ float area() const override { return s * s; }
};
struct Rect : Shape {
  float a, b;
  __device__ Rect(float a, float b) : a(a), b(b) {}
  __device__ float area() const override { return a * b; }
};
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
__device__ void qsort_(int* a, int l, int r) {
  if (l >= r) return;
  int p = a[(l + r) / 2], i = l, j = r;
  while (i <= j) {
    while (a[i] < p) i++;
    while (a[j] > p) j--;
    if (i <= j) {
      int t = a[i];
      a[i] = a[j];
      a[j] = t;
      i++;
      j--;
    }
  }
  qsort_(a, l, j);
  qsort_(a, i, r);
}
__global__ void fns(float* o, Fn given) {
  int i = threadIdx.x;
  o[i] = table[i % 3](i) + given(1.f) + dptr(4.f);
}
__global__ void shapes(float* o) {
  Shape* s = threadIdx.x & 1 ? (Shape*)new Sq(threadIdx.x) : (Shape*)new Rect(threadIdx.x, 2);
  o[threadIdx.x] = s->area();
  delete s;
}
__global__ void recur(int* o) { o[threadIdx.x] = fib(threadIdx.x % 12) + ack(2, threadIdx.x % 5) * 1000; }
__global__ void sorts(int* o) {
  int a[32];
  for (int i = 0; i < 32; i++) a[i] = (i * 17 + threadIdx.x * 5) % 31;
  qsort_(a, 0, 31);
  int s = 0;
  for (int i = 0; i < 32; i++) s = s * 3 + a[i];
  o[threadIdx.x] = s;
}
__global__ void consts(float* o) {
  o[threadIdx.x] = coef[threadIdx.x % 16] + lut[threadIdx.x % 4][threadIdx.x / 4 % 4] + gd[threadIdx.x & 7];
  atomicAdd(&gcount, 1);
}
// Constants and parameters as memory: what is pointed to is known when the kernel runs only.
__device__ __noinline__ int at(const int* p, int i) { return static_cast<const volatile int*>(p)[i]; }
__global__ void pointed(const __grid_constant__ Big b, const int* global, int* o) {
  const int t = threadIdx.x, *from = t % 3 == 0 ? b.v : t % 3 == 1 ? lut[1] : global;
  o[t] = at(from, t % 8);
}
__global__ void heap(int* o) {
  int* p = (int*)malloc(100 * sizeof(int));
  assert(p);
  for (int i = 0; i < 100; i++) p[i] = i * threadIdx.x;
  int s = 0;
  for (int i = 0; i < 100; i++) s += p[i];
  free(p);
  o[threadIdx.x] = s;
}
__global__ void exhaust(int* o, int pieces) {
  void* p[32];
  int got = 0;
  for (int i = 0; i < pieces; i++) got += (p[i] = malloc(1 << 20)) != nullptr;
  for (int i = 0; i < pieces; i++) free(p[i]);
  *o = got;
}
__global__ void prints(const char* str) {
  if (threadIdx.x % 16 == 3)
    printf("hello %d %u %5.2f %s %c %lld %llx %% [%-6d|%06d] %e %g %p\n", threadIdx.x, 7u, 3.14159, "text", 'q',
           -1234567890123ll, 0xabcdefull, 42, 42, 1e10, 0.5, (void*)0);
  if (threadIdx.x == 0) printf("no args\n");
}
template <class F>
__global__ void apply(F f, int n, float* o) {
  int i = threadIdx.x;
  if (i < n) o[i] = f(i);
}
template <int N, class T>
__global__ void unrolled(T* o) {
  T a[N];
  for (int i = 0; i < N; i++) a[i] = T(i + threadIdx.x);
  T s = 0;
  for (int i = 0; i < N; i++) s += a[(i * 3) % N] * T(i);
  o[threadIdx.x] = s;
}
__global__ void bigarg(Big b, int* o) { o[threadIdx.x] = b.v[threadIdx.x] + b.v[(threadIdx.x * 5) & 63]; }
extern __shared__ unsigned char dyn[];
__global__ void dynsh(int n, double* o) {
  double* d = (double*)dyn;
  int* k = (int*)(d + n);
  d[threadIdx.x] = threadIdx.x;
  k[threadIdx.x] = n - 1 - threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = d[k[threadIdx.x]];
}
int hfib(int n) { return n < 2 ? n : hfib(n - 1) + hfib(n - 2); }
int hack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? hack(m - 1, 1) : hack(m - 1, hack(m, n - 1)); }
#define CHECK(c)                                           \
  do {                                                     \
    if (!(c)) {                                            \
      printf("FAILED %s i=%d line %d\n", #c, i, __LINE__); \
      return 1;                                            \
    }                                                      \
  } while (0)
int main() {
  int i = 0;
  float* f;
  int* k;
  double* dd;
  CU(cudaMallocManaged(&f, 4096));
  CU(cudaMallocManaged(&k, 4096));
  CU(cudaMallocManaged(&dd, 65536));
  Fn hp;
  CU(cudaMemcpyFromSymbol(&hp, dptr, sizeof hp));
  fns<<<1, 64>>>(f, hp);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(f[i] == (i % 3 == 0 ? float(i) * i : i % 3 == 1 ? -float(i) : i * .5f) + .5f + 2.f);
  shapes<<<1, 64>>>(f);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(f[i] == (i & 1 ? float(i) * i : 2.f * i));
  CU(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
  recur<<<1, 64>>>(k);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(k[i] == hfib(i % 12) + 1000 * hack(2, i % 5));
  sorts<<<1, 64>>>(k);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) {
    int a[32];
    for (int j = 0; j < 32; j++) a[j] = (j * 17 + i * 5) % 31;
    for (int x = 0; x < 32; x++)
      for (int y = x + 1; y < 32; y++)
        if (a[y] < a[x]) {
          int t = a[x];
          a[x] = a[y];
          a[y] = t;
        }
    int s = 0;
    for (int j = 0; j < 32; j++) s = s * 3 + a[j];
    CHECK(k[i] == s);
  }
  float hc[16];
  for (int j = 0; j < 16; j++) hc[j] = j * 0.25f;
  CU(cudaMemcpyToSymbol(coef, hc, sizeof hc));
  int z = 9;
  CU(cudaMemcpyToSymbol(gcount, &z, 4));
  consts<<<2, 64>>>(f);
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpyFromSymbol(&z, gcount, 4));
  CHECK(z == 137);
  double hgd[8] = {1, 2, 3};
  for (i = 0; i < 64; i++) CHECK(f[i] == float(hc[i % 16] + (i % 4 * 4 + i / 4 % 4 + 1) + hgd[i & 7]));
  heap<<<2, 64>>>(k);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(k[i] == 4950 * i);
  size_t limit = 0;  // of which some is the allocator's own
  CU(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit == 8 << 20);
  for (int round = 0; round < 2; round++) {
    exhaust<<<1, 1>>>(k, 32);
    CU(cudaDeviceSynchronize());
    CHECK(*k >= 4 && *k <= 8);
  }
  prints<<<1, 32>>>(nullptr);
  CU(cudaDeviceSynchronize());
  fflush(stdout);
  float off = 2.5f;
  apply<<<1, 64>>>([=] __device__(int x) { return x * off + sinf(0.f); }, 64, f);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(f[i] == i * 2.5f);
  unrolled<13, double><<<1, 64>>>(dd);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) {
    double s = 0;
    for (int j = 0; j < 13; j++) s += double(j * 3 % 13 + i) * j;
    CHECK(dd[i] == s);
  }
  unrolled<9, short><<<1, 64>>>((short*)dd);
  CU(cudaDeviceSynchronize());
  Big b;
  for (int j = 0; j < 64; j++) b.v[j] = j * j;
  bigarg<<<1, 64>>>(b, k);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(k[i] == i * i + ((i * 5) & 63) * ((i * 5) & 63));
  for (i = 0; i < 64; i++) reinterpret_cast<int*>(dd)[i] = -i;
  pointed<<<1, 64>>>(b, reinterpret_cast<int*>(dd), k);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 64; i++) CHECK(k[i] == (i % 3 == 0 ? i % 8 * (i % 8) : i % 3 == 1 ? 5 + i % 8 : -(i % 8)));
  dynsh<<<1, 128, 128 * 12>>>(128, dd);
  CU(cudaDeviceSynchronize());
  for (i = 0; i < 128; i++) CHECK(dd[i] == 127 - i);
  printf("language ok\n");
}
