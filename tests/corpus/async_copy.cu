// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that run beside the program (sm_80 and later), and barriers in shared memory.
#include "corpus.h"

using namespace corpus;
using u32 = unsigned;

__device__ inline u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

__global__ void async_widths(const u32* in, u32* out) {
#if __CUDA_ARCH__ >= 800
  __shared__ __align__(16) u32 a[256], b[128], c[64];
  const u32 i = threadIdx.x;
  c[i] = 99;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(a + 4 * i)), "l"(in + 4 * i)
               : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(b + 2 * i)), "l"(in + 2 * (63 - i))
               : "memory");
  // Only i mod 5 bytes come from memory; the rest become zero.
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(c + i)), "l"(in + i), "r"(i % 5)
               : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[i] = a[4 * (63 - i)] + a[4 * i + 3] * 3 + b[i] + c[63 - i];
#endif
}

// A copy whose source is ignored writes zeros over what was there before.
__global__ void async_ignored(const u32* in, u32* out) {
#if __CUDA_ARCH__ >= 800
  __shared__ __align__(16) u32 words[64], wide[256];
  const u32 i = threadIdx.x;
  words[i] = 99;
  for (u32 k = 0; k < 4; ++k) wide[4 * i + k] = 98;
  asm volatile(
      "{\n\t.reg .pred ignored;\n\tsetp.ge.u32 ignored, %2, 23;\n\t"
      "cp.async.ca.shared.global [%0], [%1], 4, ignored;\n\t}" ::"r"(shared_address(words + i)),
      "l"(in + i), "r"(i)
      : "memory");
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(wide + 4 * i)), "l"(in + 4 * i),
               "r"(i % 3 == 0 ? 16 : 0)
               : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[i] = words[i] + wide[4 * i] * 3 + wide[4 * i + 3] * 5;
#endif
}

// Two stages in flight: the next tile is copied while this one is used.
__global__ void async_pipeline(const u32* in, u32* out, int tiles) {
#if __CUDA_ARCH__ >= 800
  __shared__ __align__(16) u32 stage[2][64];
  const u32 i = threadIdx.x;
  u32 sum = 0;
  const auto fetch = [&](int tile) {
    if (tile < tiles)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&stage[tile & 1][i])),
                   "l"(in + 64 * tile + i)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 1);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum = sum * 3 + stage[tile & 1][(i + tile) & 63];
    __syncthreads();
  }
  out[i] = sum;
#endif
}

__global__ void shared_barrier(const u32* in, u32* out) {
#if __CUDA_ARCH__ >= 800
  __shared__ __align__(8) unsigned long long barrier;
  __shared__ u32 data[64];
  const u32 i = threadIdx.x, at = shared_address(&barrier);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  for (u32 round = 0; round < 3; ++round) {
    data[i] = in[i] + round;
    asm volatile(
        "{\n\t.reg .b64 state;\n\t.reg .pred done;\n\t"
        "mbarrier.arrive.shared.b64 state, [%0];\n"
        "WAIT_%=: mbarrier.test_wait.shared.b64 done, [%0], state;\n\t"
        "@!done bra WAIT_%=;\n\t}" ::"r"(at)
        : "memory");
    out[64 * round + i] = data[63 - i];
    __syncthreads();
  }
#endif
}

int main() {
  Random random(10);
  if (architecture() < 80) {
    for (const char* name : {"async_widths", "async_ignored", "async_pipeline", "shared_barrier"}) skipped(name, 80);
    return finish();
  }
  const int n = 64, tiles = 5;
  const auto in = random.words(n * tiles);
  std::vector<u32> widths(n), ignored(n), piped(n, 0), rounds(3 * n);
  for (int i = 0; i < n; ++i) {
    const int k = 63 - i;
    const u32 kept = k % 5 == 4 ? in[k] : in[k] & ((1u << 8 * (k % 5)) - 1);
    widths[i] = in[4 * k] + in[4 * i + 3] * 3 + in[2 * (63 - i / 2) + i % 2] + kept;
    ignored[i] = (i < 23 ? in[i] : 0) + (i % 3 == 0 ? in[4 * i] * 3 + in[4 * i + 3] * 5 : 0);
    for (int tile = 0; tile < tiles; ++tile) piped[i] = piped[i] * 3 + in[64 * tile + ((i + tile) & 63)];
    for (u32 round = 0; round < 3; ++round) rounds[64 * round + i] = in[63 - i] + round;
  }
  Buffer<u32> din(in), o1(n), o2(n), o3(3 * n), o4(n);
  async_widths<<<1, n>>>(din, o1);
  check("async_widths", o1, widths);
  async_ignored<<<1, n>>>(din, o4);
  check("async_ignored", o4, ignored);
  async_pipeline<<<1, n>>>(din, o2, tiles);
  check("async_pipeline", o2, piped);
  shared_barrier<<<1, n>>>(din, o3);
  check("shared_barrier", o3, rounds);
  return finish();
}
