// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix by way of a tile in shared memory, and checks the result. The tile has a defect that
// docs/bottleneck.md looks for; -DPAD=1 mends it.
#include <cstdio>
#include <vector>

#ifndef PAD
#define PAD 0
#endif

constexpr int kTile = 32, kRows = 8, kSize = 512;

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + PAD];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * kSize + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    out[(y + i) * kSize + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main() {
  std::vector<float> in(kSize * kSize), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
  float *from, *to;
  const std::size_t bytes = in.size() * sizeof(float);
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemcpy(from, in.data(), bytes, cudaMemcpyHostToDevice);
  transpose<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kRows)>>>(from, to);
  cudaMemcpy(out.data(), to, bytes, cudaMemcpyDeviceToHost);
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x)
      if (out[x * kSize + y] != in[y * kSize + x]) return std::puts("wrong"), 1;
  return std::puts("right"), 0;
}
