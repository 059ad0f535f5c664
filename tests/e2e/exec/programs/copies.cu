// SPDX-License-Identifier: Apache-2.0
// copies ROWS KIB: copies ROWS rows of KIB KiB from the host, and reads them.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void sum_all(const float4* data, int count, float* sum) {
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) all += data[i].x;
  if (all != 0) *sum = all;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t rows = std::atoi(argv[1]), width = std::atoi(argv[2]) * 1024, bytes = rows * width;
  std::vector<char> host(bytes);
  float4* data = nullptr;
  float* sum = nullptr;
  cudaMalloc(&data, bytes);
  cudaMalloc(&sum, sizeof *sum);
  if (rows == 1)
    cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice);
  else
    cudaMemcpy2D(data, width, host.data(), width, width, rows, cudaMemcpyHostToDevice);
  sum_all<<<16, 256>>>(data, static_cast<int>(bytes / sizeof(float4)), sum);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
