// SPDX-License-Identifier: Apache-2.0
// The kernels of planted.cu without their defects: the same work, done as one would after reading the report. The traces
// in mended/ were recorded with
//   nvcc -ccbin g++-11 -cudart shared -arch=sm_75 -o mended mended.cu
//   sassim exec --config t4 --functional --save-traces DIR -- ./mended
#include <cstdio>

// A row of 33 words puts the words of a column into different banks.
__global__ void bank_conflicts(float* out, int turns) {
  __shared__ volatile float words[32 * 33];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i / 32 * 33 + i % 32] = i;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < turns; ++i) {
    sum += words[(threadIdx.x % 32) * 33 + (i & 31)];
    sum += words[(threadIdx.x % 32) * 33 + ((i + 7) & 31)];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Neighbours read neighbours.
__global__ void uncoalesced(const float* in, float* out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += in[thread + i * threads];
  out[thread] = sum;
}

// The values are computed when they are needed, and not kept.
__global__ void __launch_bounds__(256) low_occupancy(const int* next, float* out, int turns) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int at = thread;
  for (int i = 0; i < turns; ++i) at = next[at];
  float sum = at;
#pragma unroll 4
  for (int i = 0; i < 180; ++i) sum += __int_as_float(thread + i);
  out[thread] = sum;
}

// Blocks of 128 threads, of which all fit at once.
__global__ void tail(float* out, int turns) {
  float a = threadIdx.x, b = 1;
  for (int i = 0; i < turns; ++i) {
    a = a * 1.0001f + b;
    b = b * 0.9999f + 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

// All lanes go one way with numbers of their own.
__global__ void divergence(float* out, int turns) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const float n = threadIdx.x % 16;
  float a = thread;
  for (int i = 0; i < turns; ++i)
    for (int j = 0; j < 3; ++j) a = a * (1.0f + n) + 0.5f * n, a = a - 0.25f * n * a;
  out[thread] = a;
}

// A block adds up its values first.
__global__ void hot_atomics(float* sum) {
  __shared__ float part[8];
  float mine = 0;
  for (int i = 0; i < 4; ++i) mine += threadIdx.x * 0.5f + i;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 8; ++i) mine += part[i];
  atomicAdd(sum, mine);
}

// An eighth of the data: halves instead of floats, and a part that the caches hold.
__global__ void dram(const float4* in, float4* out) {
  const int thread = (blockIdx.x * blockDim.x + threadIdx.x) % 65536;
  float4 v = in[thread];
  v.x += 1;
  if (blockIdx.x < 256) out[thread] = v;
}

// Eight lists at once, of an eighth of the length each.
__global__ void latency(const int* next, int* out, int turns) {
  int at[8];
  for (int k = 0; k < 8; ++k) at[k] = blockIdx.x * 32 + threadIdx.x + k * 1280;
  for (int i = 0; i < turns / 8; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) at[k] = next[at[k]];
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += at[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The same steps in a loop.
__global__ void instruction_cache(float* out, int turns) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = threadIdx.x + i;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    float x = 0;
#pragma unroll 4
    for (int i = 0; i < 6000; i += 8, x += 8)
#pragma unroll
      for (int k = 0; k < 8; ++k) a[k] = a[k] * (1.0f + (x + k) * 0.001f) + (x + k);
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += a[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Single precision.
__global__ void fp64(double* out, int turns) {
  float a = threadIdx.x, b = 1;
  for (int i = 0; i < turns; ++i) {
    a = a * 1.0001f + b;
    b = b * 0.9999f + 1;
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
  tail<<<(sms + 4) * 8, 128>>>(out, 300);
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
