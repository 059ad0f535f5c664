// SPDX-License-Identifier: Apache-2.0
// Between the lanes of a warp: shuffles, votes, matches, reductions, special registers.
#include <algorithm>

#include "corpus.h"

using namespace corpus;
using u32 = unsigned;
constexpr u32 kAll = 0xffffffffu;

__global__ void shuffles(const int* in, int* out) {
  const int v = in[threadIdx.x], lane = threadIdx.x & 31;
  int* r = out + 8 * threadIdx.x;
  r[0] = __shfl_sync(kAll, v, 5);
  r[1] = __shfl_sync(kAll, v, lane * 7);
  r[2] = __shfl_up_sync(kAll, v, 3);
  r[3] = __shfl_down_sync(kAll, v, lane & 3, 16);
  r[4] = __shfl_xor_sync(kAll, v, 9);
  r[5] = __shfl_xor_sync(kAll, v, 3, 8);
  r[6] = static_cast<int>(__shfl_sync(kAll, static_cast<long long>(v) << 16, 31 - lane) >> 10);
  r[7] = lane < 12 ? __shfl_up_sync(0xfffu, v, 1) : -1;
}

__global__ void votes(const u32* in, u32* out) {
  const u32 v = in[threadIdx.x], lane = threadIdx.x & 31;
  u32* r = out + 6 * threadIdx.x;
  r[0] = __ballot_sync(kAll, v & 1);
  r[1] = __any_sync(kAll, v > 0xf0000000u) | __all_sync(kAll, v != 7) << 1;
  r[2] = lane % 3 == 0 ? __ballot_sync(0x49249249u, v & 2) : 0;
  r[3] = __popc(__ballot_sync(kAll, v & 4) & ((1u << lane) - 1));
  r[4] = __match_any_sync(kAll, v & 3);
  int same;
  r[5] = __match_all_sync(kAll, threadIdx.x / 32, &same) + same +
         __match_any_sync(kAll, static_cast<long long>(v % 5) << 33);
}

__global__ void warp_reduce_scan(const int* in, int* out) {
  int sum = in[threadIdx.x], scan = sum;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(kAll, sum, d);
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(kAll, scan, d);
    if ((threadIdx.x & 31) >= d) scan += below;
  }
  out[2 * threadIdx.x] = sum;
  out[2 * threadIdx.x + 1] = scan;
}

__global__ void redux(const u32* in, u32* out) {
#if __CUDA_ARCH__ >= 800
  const u32 v = in[threadIdx.x];
  u32* r = out + 6 * threadIdx.x;
  r[0] = __reduce_add_sync(kAll, v);
  r[1] = __reduce_min_sync(kAll, v);
  r[2] = __reduce_max_sync(kAll, static_cast<int>(v));
  r[3] = __reduce_and_sync(kAll, v | 0xff);
  r[4] = __reduce_or_sync(kAll, v & 0x0f0f);
  r[5] = __reduce_xor_sync(kAll, v);
#endif
}

__global__ void special_registers(u32* out) {
  const u32 i = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  u32* r = out + 10 * i;
  asm("mov.u32 %0, %%laneid;" : "=r"(r[0]));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r[1]));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r[2]));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r[3]));
  r[4] = threadIdx.y << 16 | threadIdx.x;
  r[5] = blockDim.y << 16 | blockDim.x;
  r[6] = gridDim.x << 16 | blockIdx.x;
  r[7] = warpSize + gridDim.z + threadIdx.z;
  r[8] = __activemask();
  asm("mov.u32 %0, %%nctaid.y;" : "=r"(r[9]));
}

// Only what every machine agrees on: clocks do not run backwards.
__global__ void clocks(u32* out) {
  const long long a = clock64();
  const u32 b = clock();
  unsigned long long g;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  __nanosleep(100);
  const long long c = clock64();
  const u32 d = clock();
  out[threadIdx.x] = (c > a) | (d != b) << 1 | (g != 0) << 2;
}

__global__ void partial_warps(const u32* in, u32* out) {
  const u32 i = threadIdx.x;
  if (i >= 43) return;
  const u32 mask = __activemask();
  u32 sum = 0;
  for (u32 rest = mask; rest; rest &= rest - 1) sum += __shfl_sync(mask, in[i], __ffs(rest) - 1);
  __syncwarp(mask);
  out[i] = sum;
}

int main() {
  Random random(6);
  const int n = 64;
  std::vector<int> in(n), shuffled(8 * n), scans(2 * n);
  for (int& x : in) x = static_cast<int>(random.bits());
  auto words = random.words(n);
  std::vector<u32> voted(6 * n), reduced(6 * n), partial(n, 0), timed(n, 7), registers(10 * 96);
  for (int i = 0; i < n; ++i) {
    const int base = i & ~31, lane = i & 31;
    const int* w = &in[base];
    const u32* u = &words[base];
    const int down = lane & 3;
    const int s[] = {w[5],
                     w[lane * 7 & 31],
                     w[lane >= 3 ? lane - 3 : lane],
                     w[(lane & 15) + down < 16 ? lane + down : lane],
                     w[lane ^ 9],
                     w[lane ^ 3],
                     static_cast<int>((static_cast<long long>(w[31 - lane]) << 16) >> 10),
                     lane < 12 ? w[lane ? lane - 1 : 0] : -1};
    std::memcpy(&shuffled[8 * i], s, sizeof(s));
    u32 odd = 0, two = 0, four = 0, match = 0, match5 = 0, any = 0, all = 1, r[6] = {0, ~0u, 0x80000000u, ~0u, 0, 0};
    u32 sum = 0, scan = 0;
    for (int k = 0; k < 32; ++k) {
      odd |= (u[k] & 1) << k, two |= (u[k] >> 1 & 1) << k, four |= (u[k] >> 2 & 1) << k;
      match |= static_cast<u32>((u[k] & 3) == (u[lane] & 3)) << k, match5 |= static_cast<u32>(u[k] % 5 == u[lane] % 5)
                                                                             << k;
      any |= u[k] > 0xf0000000u, all &= u[k] != 7;
      r[0] += u[k], r[1] = std::min(r[1], u[k]),
                    r[2] = static_cast<u32>(std::max(static_cast<int>(r[2]), static_cast<int>(u[k])));
      r[3] &= u[k] | 0xff, r[4] |= u[k] & 0x0f0f, r[5] ^= u[k];
      sum += static_cast<u32>(w[k]);
      if (k <= lane) scan += static_cast<u32>(w[k]);
    }
    const u32 v[] = {odd,
                     any | all << 1,
                     lane % 3 == 0 ? two & 0x49249249u : 0,
                     static_cast<u32>(__builtin_popcount(four & ((1u << lane) - 1))),
                     match,
                     kAll + 1 + match5};
    std::memcpy(&voted[6 * i], v, sizeof(v));
    std::memcpy(&reduced[6 * i], r, sizeof(r));
    scans[2 * i] = static_cast<int>(sum), scans[2 * i + 1] = static_cast<int>(scan);
    if (i < 43)
      for (int k = 0; k < (base ? 11 : 32); ++k) partial[i] += u[k];
  }
  for (u32 i = 0; i < 96; ++i) {
    const u32 t = i % 48, lane = t % 32, x = t % 12, y = t / 12;
    const u32 v[] = {lane,
                     (1u << lane) - 1,
                     ~((1u << lane) - 1),
                     1u << lane,
                     y << 16 | x,
                     4u << 16 | 12u,
                     2u << 16 | i / 48,
                     33,
                     t < 32 ? kAll : 0xffffu,
                     1};
    std::memcpy(&registers[10 * i], v, sizeof(v));
  }
  Buffer<int> din(in), o1(8 * n), o2(2 * n);
  Buffer<u32> dw(words), o3(6 * n), o4(6 * n), o5(10 * 96), o6(n), o7(n);
  shuffles<<<1, n>>>(din, o1);
  check("shuffles", o1, shuffled);
  warp_reduce_scan<<<1, n>>>(din, o2);
  check("warp_reduce_scan", o2, scans);
  votes<<<1, n>>>(dw, o3);
  check("votes", o3, voted);
  special_registers<<<2, dim3(12, 4)>>>(o5);
  check("special_registers", o5, registers);
  partial_warps<<<1, n>>>(dw, o7);
  check("partial_warps", o7, partial);
  clocks<<<1, n>>>(o6);
  check("clocks", o6, timed);
  if (architecture() >= 80) {
    redux<<<1, n>>>(dw, o4);
    check("redux", o4, reduced);
  } else {
    skipped("redux", 80);
  }
  return finish();
}
