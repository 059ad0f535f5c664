// SPDX-License-Identifier: Apache-2.0
// Does the one wrong thing that it is asked for, and prints the CUDA error that it gets.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void store(int* at) { at[threadIdx.x] = 1; }
__global__ void store_wide(char* at) { *reinterpret_cast<int*>(at + threadIdx.x) = 1; }
__global__ void shared_store(int* out, int index) {
  __shared__ int cells[32];
  cells[threadIdx.x] = 0;
  __syncthreads();
  reinterpret_cast<volatile int*>(cells)[index] = 1;
  *out = cells[0];
}
__global__ void local_store(int* out, int index) {
  int cells[16];
  for (int i = 0; i < 16; ++i) cells[i] = i;
  cells[index] = 7;
  *out = cells[(index * 3) & 15];
}
__global__ void check() { assert(threadIdx.x < 5); }
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void clock_loop(int* out) {
  const long long start = clock64();
  int turns = 0;
  while (clock64() - start < 1000) ++turns;
  *out = turns;
}

static void print(const char* what, cudaError_t error) { std::printf("%s %d %s\n", what, error, cudaGetErrorName(error)); }

int main(int argc, char** argv) {
  const char* wish = argc > 1 ? argv[1] : "";
  int* data = nullptr;
  if (!std::strcmp(wish, "status")) return std::atoi(argv[2]);
  print("malloc", cudaMalloc(&data, 128));
  if (!std::strcmp(wish, "api")) {
    cudaArray_t array, plane;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uint4>();
    cudaMallocArray(&array, &format, 16, 16);
    print("api", cudaArrayGetPlane(&plane, array, 0));
    print("last", cudaGetLastError());
    cudaTextureObject_t texture;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    cudaResourceViewDesc view{};
    view.format = cudaResViewFormatUnsignedBlockCompressed2;
    print("texture", cudaCreateTextureObject(&texture, &resource, &description, &view));
    return 0;
  }
  cudaMemset(data, 0, 128);
  // The last 32 integers of the page of 2 MiB are still mapped.
  if (!std::strcmp(wish, "address")) store<<<3, 64>>>(data + (2 << 20) / sizeof *data - 32);
  if (!std::strcmp(wish, "misaligned")) store_wide<<<1, 32>>>(reinterpret_cast<char*>(data));
  if (!std::strcmp(wish, "shared")) shared_store<<<1, 32>>>(data, 1 << 20);
  if (!std::strcmp(wish, "local")) local_store<<<1, 1>>>(data, 1 << 14);
  if (!std::strcmp(wish, "assert")) check<<<1, 32>>>();
  if (!std::strcmp(wish, "spin")) spin<<<2, 64>>>(data);
  if (!std::strcmp(wish, "clock")) clock_loop<<<1, 32>>>(data);
  if (!std::strcmp(wish, "nothing")) store<<<1, 32>>>(data);
  print("launch", cudaGetLastError());
  print("synchronize", cudaDeviceSynchronize());
  print("last", cudaGetLastError());
  print("again", cudaGetLastError());
  print("later", cudaMemset(data, 0, 128));
  return 0;
}
