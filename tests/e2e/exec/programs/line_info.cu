// SPDX-License-Identifier: Apache-2.0
// Compiled with -lineinfo: reports name the lines that end with a comment in brackets.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void scaled(const float* in, float* out, float by) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = in[at];  // [load]
  out[at] = value * by;        // [store]
}

int main() {
  float *in = nullptr, *out = nullptr, host = 0;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(in, 0, 256 * sizeof(float));
  scaled<<<2, 128>>>(in, out, 2.0f);
  if (cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("ok\n");
}
