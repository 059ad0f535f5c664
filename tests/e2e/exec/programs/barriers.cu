// SPDX-License-Identifier: Apache-2.0
// Barriers: warps that produce and consume, threads that leave a barrier, named barriers and reductions. Checks itself.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init
using bar = cuda::barrier<cuda::thread_scope_block>;
__global__ void prodcons(const float* in, float* out, int tiles) {
  __shared__ bar full[2], empty[2];
  __shared__ float buf[2][32];
  auto g = cg::this_thread_block();
  if (g.thread_rank() < 2) {
    init(full + g.thread_rank(), g.size());
    init(empty + g.thread_rank(), g.size());
  }
  g.sync();
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; t++) {
      empty[t & 1].arrive_and_wait();
      buf[t & 1][threadIdx.x] = in[t * 32 + threadIdx.x];
      full[t & 1].arrive();
    }
  } else {
    bar::arrival_token a = empty[0].arrive(), b = empty[1].arrive();
    float s = 0;
    for (int t = 0; t < tiles; t++) {
      full[t & 1].arrive_and_wait();
      s += buf[t & 1][(threadIdx.x * 3 + t) & 31];
      empty[t & 1].arrive();
    }
    out[threadIdx.x - 32] = s;
  }
}
__global__ void drop(int* out) {
  __shared__ bar b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  int n = 0;
  for (int i = 0; i < 4; i++) {
    if (threadIdx.x % 4 == i && i < 3) {
      b.arrive_and_drop();
      break;
    }
    b.arrive_and_wait();
    n++;
  }
  out[threadIdx.x] = n;
}
__global__ void named(int* o) {
  __shared__ int s[64];
  if (threadIdx.x < 64) {
    s[threadIdx.x] = threadIdx.x * 2;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    o[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    int id = 2 + (threadIdx.x >= 96);
    asm volatile("bar.sync %0, 32;" ::"r"(id) : "memory");
    o[threadIdx.x] = id;
  }
  asm volatile("barrier.sync 5;" ::: "memory");
  int p;
  asm volatile("{.reg .pred p, q; setp.lt.u32 q, %1, 100; barrier.red.and.pred p, 3, q; selp.s32 %0, 1, 0, p;}"
               : "=r"(p)
               : "r"(threadIdx.x)
               : "memory");
  o[threadIdx.x] += p * 1000;
}
int main() {
  std::vector<float> h(320);
  for (int i = 0; i < 320; i++) h[i] = i;
  float *in, *out;
  int* o;
  CU(cudaMallocManaged(&in, 4096));
  CU(cudaMallocManaged(&out, 4096));
  CU(cudaMallocManaged(&o, 4096));
  for (int i = 0; i < 320; i++) in[i] = i;
  prodcons<<<1, 96>>>(in, out, 10);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 64; t++) {
    float s = 0;
    for (int k = 0; k < 10; k++) s += k * 32 + (((t + 32) * 3 + k) & 31);
    if (out[t] != s) {
      printf("FAILED pc %d %f %f\n", t, out[t], s);
      return 1;
    }
  }
  drop<<<1, 64>>>(o);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 64; t++)
    if (o[t] != (t % 4 < 3 ? t % 4 : 4)) {
      printf("FAILED drop %d %d\n", t, o[t]);
      return 1;
    }
  named<<<1, 128>>>(o);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 128; t++)
    if (o[t] != (t < 64 ? (63 - t) * 2 : t < 96 ? 2 : 3)) {
      printf("FAILED named %d %d\n", t, o[t]);
      return 1;
    }
  printf("barriers ok\n");
}
