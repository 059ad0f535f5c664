// SPDX-License-Identifier: Apache-2.0
// Kernels that access memory of the host, which lies elsewhere in every run.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr int kCount = 1 << 13;
__managed__ float variable[kCount];
int pageable_variable = 3;

__global__ void scatter(const float* from, float* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i * 37 % kCount] + 1;
}
__global__ void store(int* to) { *to = 1; }

void* memory(const std::string& kind) {
  void* p = nullptr;
  if (kind == "thread") {  // another thread has a heap of its own
    std::thread([&] { p = memory("registered"); }).join();
    return p;
  }
  if (kind == "registered") {
    if (const char* bytes = std::getenv("HOST_PAGES_BEFORE")) (void)std::malloc(std::strtoul(bytes, nullptr, 10));
    p = std::malloc(kCount * sizeof(float) + 48);
    cudaHostRegister(static_cast<char*>(p) + 48, kCount * sizeof(float), cudaHostRegisterMapped);
    p = static_cast<char*>(p) + 48;
  }
  if (kind == "pinned") cudaHostAlloc(&p, kCount * sizeof(float), cudaHostAllocMapped);
  if (kind == "managed") cudaMallocManaged(&p, kCount * sizeof(float));
  if (kind == "variable") p = variable;
  return p;
}

}  // namespace

int main(int, char** arguments) {
  const std::string mode = arguments[1], kind = arguments[2];
  if (mode == "run" && kind == "stack") {
    float from[kCount], to[kCount];
    cudaHostRegister(from, sizeof from, cudaHostRegisterMapped);
    cudaHostRegister(to, sizeof to, cudaHostRegisterMapped);
    for (int turn = 0; turn < 3; ++turn) scatter<<<kCount / 256, 256>>>(from, to);
    cudaDeviceSynchronize();
    cudaHostUnregister(from);
    cudaHostUnregister(to);
  } else if (mode == "run") {
    auto* from = static_cast<float*>(memory(kind));
    auto* to = static_cast<float*>(memory(kind == "variable" ? "registered" : kind));
    for (int turn = 0; turn < 3; ++turn) scatter<<<kCount / 256, 256>>>(from, to);
  } else {
    int local = 0;
    int* const p = kind == "stack"  ? &local
                   : kind == "heap" ? new int
                   : kind == "static"
                       ? &pageable_variable
                       : reinterpret_cast<int*>(static_cast<char*>(memory("registered")) + sizeof(float) * kCount);
    store<<<1, 1>>>(p);
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
