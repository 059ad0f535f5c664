// SPDX-License-Identifier: Apache-2.0
// Atomics on global and shared memory. Results do not depend on the order: sums, extremes, or one address per thread.
#include <cuda_fp16.h>

#include <algorithm>

#include "corpus.h"

using namespace corpus;
using u32 = unsigned;
using u64 = unsigned long long;

__global__ void atomic_global_reduce(const u32* in, u32* out) {
  const u32 value = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&out[0], value);
  atomicSub(&out[1], value >> 8);
  atomicMin(&out[2], value);
  atomicMax(&out[3], value);
  atomicAnd(&out[4], value | 0xffu);
  atomicOr(&out[5], value & 0x0f0f0f0fu);
  atomicXor(&out[6], value);
  atomicMin(reinterpret_cast<int*>(&out[7]), static_cast<int>(value));
  atomicMax(reinterpret_cast<int*>(&out[8]), static_cast<int>(value));
  atomicInc(&out[9], 6);
  atomicDec(&out[10], 9);
}

__global__ void atomic_global_return(u32* cells, u32* old) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32* cell = cells + 10 * i;
  u32* r = old + 10 * i;
  r[0] = atomicAdd(&cell[0], i);
  r[1] = atomicExch(&cell[1], i * 3);
  r[2] = atomicMin(&cell[2], i << 20);
  r[3] = atomicMax(&cell[3], i << 24);
  r[4] = atomicAnd(&cell[4], 0xff00ffu);
  r[5] = atomicOr(&cell[5], 0x1010u);
  r[6] = atomicXor(&cell[6], ~i);
  r[7] = atomicCAS(&cell[7], cell[7] & ~1u, 77u);
  r[8] = atomicInc(&cell[8], 100);
  r[9] = atomicDec(&cell[9], 100);
}

__global__ void atomic_global_64(const u64* in, u64* out) {
  const u64 value = in[threadIdx.x];
  atomicAdd(&out[0], value);
  atomicMin(&out[1], value);
  atomicMax(&out[2], value);
  atomicAnd(&out[3], value | 0xffffull);
  atomicOr(&out[4], value & 0x0f0f0f0f0f0f0f0full);
  atomicXor(&out[5], value);
  atomicMax(reinterpret_cast<long long*>(&out[6]), static_cast<long long>(value));
  out[8 + threadIdx.x] = atomicExch(&out[40 + threadIdx.x], value) + atomicCAS(&out[72 + threadIdx.x], 0ull, value);
}

// Small whole numbers: every order of additions gives the same sum.
__global__ void atomic_float(float* f, double* d, __half2* h) {
  atomicAdd(&f[0], static_cast<float>(threadIdx.x));
  f[1 + threadIdx.x] = atomicAdd(&f[64 + threadIdx.x], 1.5f);
  atomicAdd(&d[0], static_cast<double>(threadIdx.x) + 0.5);
  d[1 + threadIdx.x] = atomicAdd(&d[64 + threadIdx.x], 0.25);
  atomicAdd(h, __floats2half2_rn(1.0f, static_cast<float>(threadIdx.x & 3)));
}

__global__ void atomic_shared(const u32* in, u32* out) {
  __shared__ u32 cells[10];
  __shared__ u64 wide[3];
  __shared__ float real;
  if (threadIdx.x < 10) cells[threadIdx.x] = threadIdx.x == 2 || threadIdx.x == 4 ? ~0u : 0u;
  if (threadIdx.x < 3) wide[threadIdx.x] = 0;
  if (threadIdx.x == 0) real = 0;
  __syncthreads();
  const u32 value = in[threadIdx.x];
  atomicAdd(&cells[0], value);
  atomicSub(&cells[1], value);
  atomicMin(&cells[2], value);
  atomicMax(&cells[3], value);
  atomicAnd(&cells[4], value | 0xffffu);
  atomicOr(&cells[5], value & 0x33333333u);
  atomicXor(&cells[6], value);
  atomicInc(&cells[7], 20);
  atomicMax(reinterpret_cast<int*>(&cells[8]), static_cast<int>(value));
  const u32 ticket = atomicAdd(&cells[9], 1u);
  atomicAdd(&wide[0], static_cast<u64>(value) << 8);
  atomicMax(&wide[1], static_cast<u64>(value) * value);
  atomicXor(&wide[2], static_cast<u64>(value) << 16);
  atomicAdd(&real, static_cast<float>(value & 15));
  __syncthreads();
  if (threadIdx.x < 10) out[threadIdx.x] = cells[threadIdx.x];
  if (threadIdx.x < 3) {
    out[10 + 2 * threadIdx.x] = static_cast<u32>(wide[threadIdx.x]);
    out[11 + 2 * threadIdx.x] = static_cast<u32>(wide[threadIdx.x] >> 32);
  }
  if (threadIdx.x == 0) out[16] = static_cast<u32>(real);
  out[17 + ticket] = 1;
}

__global__ void atomic_shared_return(u32* out) {
  __shared__ u32 cells[64];
  __shared__ u64 wide[64];
  cells[threadIdx.x] = threadIdx.x * 5;
  wide[threadIdx.x] = threadIdx.x;
  u32* r = out + 6 * threadIdx.x;
  r[0] = atomicExch(&cells[threadIdx.x], 7u);
  r[1] = atomicCAS(&cells[threadIdx.x], 7u, threadIdx.x);
  r[2] = atomicMin(&cells[threadIdx.x], 10u);
  r[3] = static_cast<u32>(atomicCAS(&wide[threadIdx.x], static_cast<u64>(threadIdx.x), 99ull));
  r[4] = static_cast<u32>(atomicExch(&wide[threadIdx.x], 3ull));
  r[5] = cells[threadIdx.x] + static_cast<u32>(wide[threadIdx.x]);
}

// A spin lock and a compare-and-swap loop: forward progress among the threads of a warp.
__global__ void cas_loops(u32* lock, u32* counter, float* product) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0u, 1u) == 0u) {
      *reinterpret_cast<volatile u32*>(counter) += 3;
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
  auto* bits = reinterpret_cast<u32*>(product);
  u32 seen = *bits, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) * 2.0f));
  } while (seen != assumed);
}

__global__ void atomic_scopes(u32* out) {
  atomicAdd_block(&out[0], 1u);
  atomicAdd_system(&out[1], 2u);
  u32 old;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 4;" : "=r"(old) : "l"(out + 2) : "memory");
  asm volatile("red.relaxed.cta.global.or.b32 [%0], %1;" ::"l"(out + 3), "r"(1u << (threadIdx.x & 31)) : "memory");
  atomicMax(&out[4], old);
}

static void global_memory(Random& random) {
  const int n = 96;
  const auto in = random.words(n);
  std::vector<u32> want(11, 0);
  want[2] = want[4] = ~0u, want[7] = 0x7fffffffu, want[8] = 0x80000000u, want[10] = 4;
  std::vector<u32> start = want;
  for (u32 v : in) {
    want[0] += v, want[1] -= v >> 8, want[2] = std::min(want[2], v), want[3] = std::max(want[3], v);
    want[4] &= v | 0xff, want[5] |= v & 0x0f0f0f0f, want[6] ^= v;
    want[7] = static_cast<u32>(std::min(static_cast<int>(want[7]), static_cast<int>(v)));
    want[8] = static_cast<u32>(std::max(static_cast<int>(want[8]), static_cast<int>(v)));
    want[9] = want[9] >= 6 ? 0 : want[9] + 1;
    want[10] = want[10] == 0 || want[10] > 9 ? 9 : want[10] - 1;
  }
  Buffer<u32> din(in), out(start);
  atomic_global_reduce<<<3, 32>>>(din, out);
  check("atomic_global_reduce", out, want);

  auto cells = random.words(10 * n);
  for (int i = 0; i < n; ++i) cells[10 * i + 8] %= 120, cells[10 * i + 9] %= 120;
  Buffer<u32> dcells(cells), dold(10 * n);
  const auto old = cells;
  for (u32 i = 0; i < n; ++i) {
    u32* c = &cells[10 * i];
    c[0] += i, c[1] = i * 3, c[2] = std::min(c[2], i << 20), c[3] = std::max(c[3], i << 24), c[4] &= 0xff00ff,
               c[5] |= 0x1010;
    c[6] ^= ~i, c[7] = c[7] & 1 ? c[7] : 77u, c[8] = c[8] >= 100 ? 0 : c[8] + 1,
                c[9] = c[9] == 0 || c[9] > 100 ? 100 : c[9] - 1;
  }
  atomic_global_return<<<3, 32>>>(dcells, dold);
  check("atomic_global_return", dold, old);
  check("atomic_global_return_cells", dcells, cells);
}

static void global_wide(Random& random) {
  std::vector<u64> in(32), start(104, 0);
  for (auto& x : in) x = random.bits64();
  start[1] = start[3] = ~0ull, start[6] = 1ull << 63;
  for (int i = 0; i < 32; ++i) start[40 + i] = random.bits64(), start[72 + i] = i & 1 ? random.bits64() : 0;
  auto want = start;
  for (int i = 0; i < 32; ++i) {
    const u64 v = in[i];
    want[0] += v, want[1] = std::min(want[1], v), want[2] = std::max(want[2], v), want[3] &= v | 0xffff;
    want[4] |= v & 0x0f0f0f0f0f0f0f0full, want[5] ^= v;
    want[6] = static_cast<u64>(std::max(static_cast<long long>(want[6]), static_cast<long long>(v)));
    want[8 + i] = start[40 + i] + start[72 + i];
    want[40 + i] = v;
    if (start[72 + i] == 0) want[72 + i] = v;
  }
  Buffer<u64> din(in), out(start);
  atomic_global_64<<<1, 32>>>(din, out);
  check("atomic_global_64", out, want);
}

static void floating() {
  const int n = 48;
  std::vector<float> f(128, 0.0f), wf(128, 0.0f);
  std::vector<double> d(128, 0.0), wd(128, 0.0);
  float high = 0;
  for (int i = 0; i < n; ++i) {
    f[64 + i] = static_cast<float>(i), wf[1 + i] = f[64 + i], wf[64 + i] = f[64 + i] + 1.5f,
           wf[0] += static_cast<float>(i);
    d[64 + i] = 2.0 * i, wd[1 + i] = d[64 + i], wd[64 + i] = d[64 + i] + 0.25, wd[0] += i + 0.5;
    high += static_cast<float>(i & 3);
  }
  Buffer<float> df(f);
  Buffer<double> dd(d);
  Buffer<u32> dh(1);
  atomic_float<<<1, n>>>(df, dd, reinterpret_cast<__half2*>(static_cast<u32*>(dh)));
  check("atomic_float", df, wf);
  check("atomic_double", dd, wd);
  // 48 and 72 as halves
  check("atomic_half2", dh, std::vector<u32>{0x5480u << 16 | 0x5200u});
  if (high != 72) std::exit(1);
}

static void shared_memory(Random& random) {
  const int n = 64;
  const auto in = random.words(n);
  std::vector<u32> want(17 + n, 1), returned(6 * n);
  u64 wide[3] = {0, 0, 0};
  for (int i = 0; i < 17; ++i) want[i] = i == 2 || i == 4 ? ~0u : 0u;
  want[8] = 0;
  for (u32 v : in) {
    want[0] += v, want[1] -= v, want[2] = std::min(want[2], v), want[3] = std::max(want[3], v), want[4] &= v | 0xffff;
    want[5] |= v & 0x33333333, want[6] ^= v, want[7] = want[7] >= 20 ? 0 : want[7] + 1;
    want[8] = static_cast<u32>(std::max(static_cast<int>(want[8]), static_cast<int>(v)));
    ++want[9];
    wide[0] += static_cast<u64>(v) << 8, wide[1] = std::max(wide[1], static_cast<u64>(v) * v),
                                         wide[2] ^= static_cast<u64>(v) << 16;
    want[16] += v & 15;
  }
  for (int i = 0; i < 3; ++i)
    want[10 + 2 * i] = static_cast<u32>(wide[i]), want[11 + 2 * i] = static_cast<u32>(wide[i] >> 32);
  for (u32 i = 0; i < n; ++i) {
    const u32 r[] = {i * 5, 7, i, i, 99, std::min(i, 10u) + 3};
    std::memcpy(&returned[6 * i], r, sizeof(r));
  }
  Buffer<u32> din(in), out(17 + n), out2(6 * n);
  atomic_shared<<<1, n>>>(din, out);
  check("atomic_shared", out, want);
  atomic_shared_return<<<1, n>>>(out2);
  check("atomic_shared_return", out2, returned);
}

static void loops() {
  Buffer<u32> lock(1), counter(1), scopes(5);
  Buffer<float> product(std::vector<float>{1.0f});
  cas_loops<<<2, 32>>>(lock, counter, product);
  check("cas_loops", counter, std::vector<u32>{3 * 64});
  check("cas_loops_product", product, std::vector<float>{18446744073709551616.0f});
  atomic_scopes<<<2, 64>>>(scopes);
  check("atomic_scopes", scopes, std::vector<u32>{128, 256, 512, ~0u, 508});
}

int main() {
  Random random(5);
  global_memory(random);
  global_wide(random);
  floating();
  shared_memory(random);
  loops();
  return finish();
}
