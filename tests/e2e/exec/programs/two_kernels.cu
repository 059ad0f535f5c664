// SPDX-License-Identifier: Apache-2.0
// Three rounds, or as many as its argument says, of two kernels, of which the second one reads what the first one wrote.
#include <cstdio>
#include <cstdlib>

__global__ void prepare(float* to, float value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void work(float* to) {
  float& here = to[blockIdx.x * blockDim.x + threadIdx.x];
  here = here * 2 + 1;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  float *device = nullptr, host = 0;
  cudaMalloc(&device, 8192 * sizeof(float));
  for (int round = 0; round < rounds; ++round) {
    prepare<<<64, 128>>>(device, static_cast<float>(round));
    work<<<64, 128>>>(device);
    cudaMemcpy(&host, device + 5000, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g\n", host);
  }
  return 0;
}
