// SPDX-License-Identifier: Apache-2.0
// Two kernels of 4500 blocks. The second one overwrites what it reads.
#include <cstdio>
#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* c) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
__global__ void scale(float* c, const float* a) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = c[i] * 2 + a[i];
}

int main() {
  constexpr unsigned kBlocks = 4500, kCount = kBlocks * 128;
  std::vector<float> a(kCount), b(kCount), c(kCount);
  for (unsigned i = 0; i < kCount; ++i) a[i] = static_cast<float>(i % 1000), b[i] = static_cast<float>(i % 77);
  float* at[3];
  for (float*& each : at) CU(cudaMalloc(&each, kCount * sizeof(float)));
  CU(cudaMemcpy(at[0], a.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  CU(cudaMemcpy(at[1], b.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  add<<<kBlocks, 128>>>(at[0], at[1], at[2]);
  scale<<<kBlocks, 128>>>(at[2], at[0]);
  CU(cudaMemcpy(c.data(), at[2], kCount * sizeof(float), cudaMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += c[i] != (a[i] + b[i]) * 2 + a[i];
  std::printf("%u wrong\n", wrong);
  return wrong != 0;
}
