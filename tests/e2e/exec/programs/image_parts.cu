// SPDX-License-Identifier: Apache-2.0
// Reads half of the sectors of each line of an image: the left or the upper half of each 8 x 4 texels.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

constexpr int kSize = 256;

__device__ void read(cudaTextureObject_t image, float* out) {
  const float x = blockIdx.x * 8 + threadIdx.x + 0.5f, y = blockIdx.y * 4 + threadIdx.y + 0.5f;
  const float texel = tex2D<float>(image, x, y);
  if (texel != 0) *out = texel;
}
__global__ void left(cudaTextureObject_t image, float* out) { read(image, out); }
__global__ void upper(cudaTextureObject_t image, float* out) { read(image, out); }

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CU(cudaMallocArray(&array, &format, kSize, kSize));
  const std::vector<float> zeros(kSize * kSize);
  CU(cudaMemcpy2DToArray(array, 0, 0, zeros.data(), kSize * 4, kSize * 4, kSize, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t image;
  CU(cudaCreateTextureObject(&image, &resource, &texture, nullptr));
  float* out;
  CU(cudaMalloc(&out, 4));
  const dim3 grid(kSize / 8, kSize / 4);
  left<<<grid, dim3(4, 4)>>>(image, out);
  upper<<<grid, dim3(8, 2)>>>(image, out);
  CU(cudaDeviceSynchronize());
  return 0;
}
