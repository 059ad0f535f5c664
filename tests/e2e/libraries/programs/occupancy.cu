// SPDX-License-Identifier: Apache-2.0
// What the runtime answers about occupancy, against the rules of NVIDIA's cuda_occupancy.h, for kernels of many needs
// and with the carve-outs that a program can prefer. An H200's driver gives the same answers.
#include <cuda_occupancy.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <initializer_list>

namespace {

template <int kBytes>
__global__ void with_shared(float* out) {
  __shared__ float words[kBytes / 4];
  words[threadIdx.x % (kBytes / 4)] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[0];
}
__global__ void small(float* out) { out[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256) bounded(float* out) { out[threadIdx.x] = 2; }
template <int kWords>
__global__ void with_registers(float* out) {
  float v[kWords];
#pragma unroll
  for (int i = 0; i < kWords; ++i) v[i] = out[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kWords; ++i) out[i * 1024 + threadIdx.x] = v[kWords - 1 - i] * v[(i * 7 + 3) % kWords];
}

int compared = 0, different = 0;

void compare(const char* what, const char* name, int a, int b, long expected, long got) {
  ++compared;
  if (expected == got || different++ > 10) return;
  std::printf("%s of %s for %d and %d: %ld, expected %ld\n", what, name, a, b, got, expected);
}

void blocks(const char* name, const void* kernel, const cudaOccDeviceProp& device, const cudaOccDeviceState& state) {
  cudaFuncAttributes own{};
  if (cudaFuncGetAttributes(&own, kernel) != cudaSuccess) return;
  const cudaOccFuncAttributes attributes = own;
  for (int threads : {1, 32, 33, 64, 96, 128, 224, 256, 288, 384, 512, 768, 1024})
    for (int dynamic : {0, 1000, 10000, 16384, 33000, 49152, 60000, 100000, 150000, 232448}) {
      int got = -1;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&got, kernel, threads, dynamic);
      cudaOccResult result{};
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &state, threads, dynamic);
      compare("blocks", name, threads, dynamic, result.activeBlocksPerMultiprocessor, got);
    }
  for (int threads : {32, 128, 256, 1024})
    for (int count : {1, 2, 3, 4, 5, 8, 16, 32}) {
      size_t got = 0, expected = 0;
      const bool fails = cudaOccupancyAvailableDynamicSMemPerBlock(&got, kernel, count, threads) != cudaSuccess;
      const bool should_fail =
          cudaOccAvailableDynamicSMemPerBlock(&expected, &device, &attributes, &state, count, threads) != 0;
      compare("shared memory", name, threads, count, should_fail ? -1 : static_cast<long>(expected),
              fails ? -1 : static_cast<long>(got));
      cudaGetLastError();
    }
}

void ask(const char* name, const void* kernel, const cudaDeviceProp& properties) {
  const cudaOccDeviceProp device = properties;
  cudaFuncAttributes attributes{};
  cudaFuncGetAttributes(&attributes, kernel);
  const int most = static_cast<int>(properties.sharedMemPerBlockOptin - attributes.sharedSizeBytes);
  // Values below the default are left out: the driver ignores them, the header does not.
  for (int dynamic : {-1, 60000, most}) {
    if (dynamic >= 0) cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic);
    cudaOccDeviceState state;
    for (int carveout : {0, 10, 25, 50, 75, 100, -1}) {
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
      state.carveoutConfig = carveout;
      blocks(name, kernel, device, state);
    }
  }
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
  ask("small", reinterpret_cast<const void*>(&small), properties);
  ask("bounded", reinterpret_cast<const void*>(&bounded), properties);
  ask("shared1k", reinterpret_cast<const void*>(&with_shared<1024>), properties);
  ask("shared20k", reinterpret_cast<const void*>(&with_shared<20480>), properties);
  ask("shared48k", reinterpret_cast<const void*>(&with_shared<49152>), properties);
  ask("registers32", reinterpret_cast<const void*>(&with_registers<32>), properties);
  ask("registers100", reinterpret_cast<const void*>(&with_registers<100>), properties);
  ask("registers200", reinterpret_cast<const void*>(&with_registers<200>), properties);
  std::printf("%d answers, %d differ\n", compared, different);
}
