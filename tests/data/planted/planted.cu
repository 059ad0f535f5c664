// SPDX-License-Identifier: Apache-2.0
// Kernels with one defect each. The traces beside this file were recorded with
//   nvcc -ccbin g++-11 -cudart shared -arch=sm_75 -o planted planted.cu
//   sassim exec --config t4 --functional --save-traces DIR -- ./planted
#include <cstdio>

// Every lane reads another word of one bank.
__global__ void bank_conflicts(float* out, int turns) {
  __shared__ volatile float words[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < turns; ++i) {
    sum += words[(threadIdx.x % 32) * 32 + (i & 31)];
    sum += words[(threadIdx.x % 32) * 32 + ((i + 7) & 31)];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every lane reads a line of its own, of which it needs four bytes.
__global__ void uncoalesced(const float* in, float* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += in[(thread * 4 + i) * 32];
  out[thread] = sum;
}

// So many values are alive while it waits for memory that few warps fit an SM.
__global__ void __launch_bounds__(256) low_occupancy(const int* next, float* out, int turns) {
  float kept[180];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 180; ++i) asm volatile("mov.b32 %0, %1;" : "=f"(kept[i]) : "r"(thread + i));
  int at = thread;
  for (int i = 0; i < turns; ++i) at = next[at];
  float sum = at;
#pragma unroll
  for (int i = 0; i < 180; ++i) asm volatile("add.f32 %0, %0, %1;" : "+f"(sum) : "f"(kept[i]));
  out[thread] = sum;
}

// One block more than a wave for each of a few SMs.
__global__ void tail(float* out, int turns) {
  float a = threadIdx.x, b = 1;
  for (int i = 0; i < turns; ++i) {
    a = a * 1.0001f + b;
    b = b * 0.9999f + 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

// Each lane takes another way.
__global__ void divergence(float* out, int turns) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float a = thread;
  for (int i = 0; i < turns; ++i) {
    switch (threadIdx.x % 16) {
#define WAY(n)                                                                        \
  case n:                                                                             \
    for (int j = 0; j < 3; ++j) a = a * (1.0f + n) + 0.5f * n, a = a - 0.25f * n * a; \
    break;
      WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) WAY(8) WAY(9) WAY(10) WAY(11) WAY(12) WAY(13) WAY(14)
          WAY(15)
    }
  }
  out[thread] = a;
}

// All threads add to one word.
__global__ void hot_atomics(float* sum) {
  for (int i = 0; i < 4; ++i) atomicAdd(sum, threadIdx.x * 0.5f + i);
}

// Reads and writes more than any cache holds.
__global__ void dram(const float4* in, float4* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[thread];
  v.x += 1;
  out[thread] = v;
}

// One warp on each SM follows a list.
__global__ void latency(const int* next, int* out, int turns) {
  int at = blockIdx.x * 32 + threadIdx.x;
  for (int i = 0; i < turns; ++i) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Straight code, longer than the instruction caches.
template <int n>
__device__ __forceinline__ void straight(float (&a)[8]) {
#pragma unroll
  for (int i = 0; i < n; ++i) a[i % 8] = a[i % 8] * (1.0f + i * 0.001f) + i;
}
__global__ void instruction_cache(float* out, int turns) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
#pragma unroll 1
  for (int i = 0; i < turns; ++i) straight<6000>(a);
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// A T4 has two lanes for FP64 in an SM.
__global__ void fp64(double* out, int turns) {
  double a = threadIdx.x, b = 1;
  for (int i = 0; i < turns; ++i) {
    a = a * 1.0001 + b;
    b = b * 0.9999 + 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

int main() {
  const int sms = 40;
  char* memory;
  cudaMalloc(&memory, 64 << 20);
  cudaMemset(memory, 0, 64 << 20);
  auto* words = reinterpret_cast<float*>(memory);
  auto* out = reinterpret_cast<float*>(memory + (48 << 20));
  int* list;
  cudaMalloc(&list, 16 << 20);
  int* host = new int[4 << 20];
  for (int i = 0; i < 4 << 20; ++i) host[i] = (i + 123457) % (4 << 20);
  cudaMemcpy(list, host, 16 << 20, cudaMemcpyHostToDevice);
  bank_conflicts<<<sms * 2, 256>>>(out, 32);
  uncoalesced<<<sms * 4, 256>>>(words, out);
  low_occupancy<<<sms * 3, 256>>>(list, out, 6);
  tail<<<sms + 4, 1024>>>(out, 300);
  divergence<<<sms * 2, 256>>>(out, 4);
  hot_atomics<<<sms, 256>>>(out);
  dram<<<2048, 256>>>(reinterpret_cast<float4*>(memory), reinterpret_cast<float4*>(memory + (16 << 20)));
  latency<<<sms, 32>>>(list, reinterpret_cast<int*>(out), 24);
  instruction_cache<<<sms, 64>>>(out, 2);
  fp64<<<sms * 2, 128>>>(reinterpret_cast<double*>(out), 60);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(error));
  delete[] host;
  return error != cudaSuccess;
}
