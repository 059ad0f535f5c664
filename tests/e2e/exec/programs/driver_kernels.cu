// SPDX-License-Identifier: Apache-2.0
// Kernels that programs of the driver's interface load as a cubin and as a fat binary.
__device__ int counter = 5;
__constant__ float factor = 2.0f;

struct Pair {
  int a;
  double b;
};

extern "C" __global__ void scale(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = factor * in[i] + counter;
}
extern "C" __global__ void store(Pair value, char tag, double* out) {
  out[threadIdx.x] = value.a + value.b + tag + threadIdx.x;
}
extern "C" __global__ void sum_shared(const int* in, int* out) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += buffer[i];
  out[blockIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void empty() {}
extern "C" __global__ void stray(int* out) { *reinterpret_cast<int*>(16) = *out; }
