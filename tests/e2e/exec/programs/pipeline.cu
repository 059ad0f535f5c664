// SPDX-License-Identifier: Apache-2.0
// cuda::barrier, cuda::pipeline, asynchronous copies, and atomics of libcu++. Checks itself.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/complex>
#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void with_barrier(const int* in, int* out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int data[128];
  auto b = cg::this_thread_block();
  if (b.thread_rank() == 0) init(&bar, b.size());
  b.sync();
  int acc = 0;
  for (int r = 0; r < rounds; r++) {
    data[threadIdx.x] = in[threadIdx.x] + r;
    auto t = bar.arrive();
    acc += r * 3;
    bar.wait(std::move(t));
    acc += data[(threadIdx.x + r) & 127];
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = acc;
}
__global__ void with_async(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int sm[2][128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int acc = 0;
  auto g = cg::this_thread_block();
  for (int t = 0; t < tiles; t++) {
    cuda::memcpy_async(g, sm[t & 1], in + t * 128, cuda::aligned_size_t<16>(512), bar);
    bar.arrive_and_wait();
    acc += sm[t & 1][(threadIdx.x * 5) & 127];
    g.sync();
  }
  out[threadIdx.x] = acc;
}
__global__ void with_pipe(const int* in, int* out, int tiles) {
  constexpr int S = 2;
  __shared__ alignas(16) int sm[S][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  auto g = cg::this_thread_block();
  auto p = cuda::make_pipeline(g, &st);
  int acc = 0;
  for (int f = 0, c = 0; c < tiles; c++) {
    for (; f < tiles && f < c + S; f++) {
      p.producer_acquire();
      cuda::memcpy_async(g, sm[f % S], in + f * 128, sizeof(int) * 128, p);
      p.producer_commit();
    }
    p.consumer_wait();
    acc = acc * 3 + sm[c % S][127 - threadIdx.x];
    p.consumer_release();
  }
  out[threadIdx.x] = acc;
}
__global__ void thread_pipe(const int4* in, int4* out, int n) {
  __shared__ int4 sm[2][64];
  auto p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&sm[0][threadIdx.x], in + threadIdx.x, sizeof(int4), p);
  p.producer_commit();
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) {
      p.producer_acquire();
      cuda::memcpy_async(&sm[(i + 1) & 1][threadIdx.x], in + (i + 1) * 64 + threadIdx.x, sizeof(int4), p);
      p.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(p);
    } else
      cuda::pipeline_consumer_wait_prior<0>(p);
    int4 v = sm[i & 1][threadIdx.x];
    out[i * 64 + threadIdx.x] = make_int4(v.w, v.z, v.y, v.x);
    p.consumer_release();
  }
}
__global__ void atom(cuda::atomic<int, cuda::thread_scope_device>* a, int* flag, int* out) {
  if (blockIdx.x == 0) {
    a->fetch_add(1, cuda::memory_order_relaxed);
    if (threadIdx.x == 0) {
      *flag = 77;
      cuda::atomic_ref<int, cuda::thread_scope_device> r(flag[1]);
      r.store(1, cuda::memory_order_release);
    }
  } else if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(flag[1]);
    while (r.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *flag;
  }
}
__global__ void cplx(float2* o) {
  cuda::std::complex<float> z(threadIdx.x * 0.1f, 1.f);
  z = z * z + cuda::std::complex<float>(1, 2);
  o[threadIdx.x] = make_float2(z.real(), z.imag());
}
int main() {
  std::vector<int> h(2048);
  for (int i = 0; i < 2048; i++) h[i] = i * 31 % 1009;
  int *in, *out;
  CU(cudaMalloc(&in, 8192));
  CU(cudaMallocManaged(&out, 65536));
  CU(cudaMemcpy(in, h.data(), 8192, cudaMemcpyHostToDevice));
  with_barrier<<<1, 128>>>(in, out, 5);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 128; t++) {
    int a = 0;
    for (int r = 0; r < 5; r++) a += r * 3 + h[(t + r) & 127] + r;
    if (out[t] != a) {
      printf("FAILED barrier %d\n", t);
      return 1;
    }
  }
  with_async<<<1, 128>>>(in, out, 8);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 128; t++) {
    int a = 0;
    for (int r = 0; r < 8; r++) a += h[r * 128 + ((t * 5) & 127)];
    if (out[t] != a) {
      printf("FAILED async %d\n", t);
      return 1;
    }
  }
  with_pipe<<<1, 128>>>(in, out, 8);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 128; t++) {
    int a = 0;
    for (int r = 0; r < 8; r++) a = a * 3 + h[r * 128 + 127 - t];
    if (out[t] != a) {
      printf("FAILED pipe %d\n", t);
      return 1;
    }
  }
  thread_pipe<<<1, 64>>>((int4*)in, (int4*)out, 8);
  CU(cudaDeviceSynchronize());
  for (int t = 0; t < 2048; t++)
    if (out[t] != h[t ^ 3]) {
      printf("FAILED tpipe %d\n", t);
      return 1;
    }
  for (int i = 0; i < 16; i++) out[i] = 0;
  atom<<<2, 64>>>((cuda::atomic<int, cuda::thread_scope_device>*)out, out + 4, out + 8);
  CU(cudaDeviceSynchronize());
  if (out[0] != 64 || out[8] != 77) {
    printf("FAILED atom\n");
    return 1;
  }
  cplx<<<1, 32>>>((float2*)out);
  CU(cudaDeviceSynchronize());
  printf("pipeline ok\n");
}
