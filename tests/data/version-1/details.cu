// SPDX-License-Identifier: Apache-2.0
// Every kind of detail that a trace holds: barriers by number, masks of warp synchronisation, values of a match, sleeps,
// shifted copies, and barriers in shared memory.
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda/barrier>

__global__ void details(const int4* in, int* out, int turns, int arrivals) {
  __shared__ int4 tile[2][72];
  __shared__ cuda::barrier<cuda::thread_scope_block> done;
  const int t = threadIdx.x;
  if (t == 0) init(&done, 2 * blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const int to = (t + (t >> 3) + turn) % 72;
    __pipeline_memcpy_async(&tile[turn & 1][to], &in[t + 64 * turn], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    auto token = done.arrive(arrivals);
    done.wait(std::move(token));
    sum += tile[turn & 1][(to + 5) % 64].x;
  }
  const int group = t / 32 + 1;
  asm volatile("bar.sync %0, %1;" ::"r"(group), "r"(32) : "memory");
  const unsigned mask = t % 2 ? 0xaaaaaaaau : 0x55555555u;
  if (sum != 12345) __syncwarp(mask);
  sum += __popc(__match_any_sync(0xffffffffu, sum & 7));
  __nanosleep(50 * (turns + blockIdx.x));
  out[blockIdx.x * blockDim.x + t] = sum;
}

int main() {
  int4* in;
  int* out;
  cudaMalloc(&in, 4 * 64 * sizeof(int4));
  cudaMalloc(&out, 4 * 64 * sizeof(int));
  int4 host[4 * 64];
  for (int i = 0; i < 4 * 64; ++i) host[i] = {i * 7 % 31, i, i, i};
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  details<<<4, 64>>>(in, out, 4, 2);
  int back[4 * 64];
  if (cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  int all = 0;
  for (int value : back) all += value;
  printf("%d\n", all);
}
