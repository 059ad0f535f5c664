// SPDX-License-Identifier: Apache-2.0
// A module of many kernels, of which two run. They call functions that have sections of their own.
#include <cstdio>
#include <utility>

namespace {

constexpr unsigned kSteps = 150, kThreads = 64;

__host__ __device__ constexpr unsigned step(unsigned x, unsigned i) { return (x ^ x >> 3) * 2654435761u + i; }

template <unsigned kNumber>
__host__ __device__ unsigned steps(unsigned x) {
#pragma unroll
  for (unsigned i = 0; i < kSteps; ++i) x = step(x, i + kNumber);
  return x;
}

__device__ __noinline__ unsigned called(unsigned x) {
#pragma unroll 1
  for (unsigned i = 0; i < 3; ++i) x = step(x, i * 7);
  return x;
}

template <unsigned kNumber>
__global__ void kernel(unsigned* values) {
  values[threadIdx.x] = called(steps<kNumber>(values[threadIdx.x]));
}

template <unsigned... kNumbers>
const void* kernel_of(unsigned number, std::integer_sequence<unsigned, kNumbers...>) {
  const void* const kernels[] = {reinterpret_cast<const void*>(&kernel<kNumbers>)...};
  return kernels[number];
}

unsigned expected(unsigned number, unsigned x) {
  for (unsigned i = 0; i < kSteps; ++i) x = step(x, i + number);
  for (unsigned i = 0; i < 3; ++i) x = step(x, i * 7);
  return x;
}

}  // namespace

int main() {
  unsigned values[kThreads], *memory = nullptr;
  if (cudaMalloc(&memory, sizeof values) != cudaSuccess) return 1;
  for (const unsigned number : {5u, 33u}) {
    for (unsigned i = 0; i < kThreads; ++i) values[i] = i;
    cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
    const void* function = kernel_of(number, std::make_integer_sequence<unsigned, 40>());
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernel_of(number + 1, std::make_integer_sequence<unsigned, 40>())) !=
        cudaSuccess)
      return 1;
    void* arguments[] = {&memory};
    if (cudaLaunchKernel(function, dim3(1), dim3(kThreads), arguments, 0, nullptr) != cudaSuccess) return 1;
    cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost);
    unsigned wrong = 0;
    for (unsigned i = 0; i < kThreads; ++i) wrong += values[i] != expected(number, i);
    std::printf("kernel %u: %s, %d registers\n", number, wrong == 0 ? "right" : "WRONG", attributes.numRegs > 0);
  }
  std::puts("done");
}
