// SPDX-License-Identifier: Apache-2.0
// Three rounds of two kernels, of which the second one reads what the first one wrote.
#include <cstdio>

__global__ void prepare(float* to, float value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void work(float* to) {
  float& here = to[blockIdx.x * blockDim.x + threadIdx.x];
  here = here * 2 + 1;
}

int main() {
  float *device = nullptr, host = 0;
  cudaMalloc(&device, 8192 * sizeof(float));
  for (int round = 0; round < 3; ++round) {
    prepare<<<64, 128>>>(device, static_cast<float>(round));
    work<<<64, 128>>>(device);
    cudaMemcpy(&host, device + 5000, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g\n", host);
  }
  return 0;
}
