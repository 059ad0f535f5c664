// SPDX-License-Identifier: Apache-2.0
// Programs that reset the device: in rounds, from several threads, at the end.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

__device__ int variable = 5;
__managed__ int managed = 1;

__global__ void count(int* to, const int* from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i * 33 % 4096] + variable;
}
__global__ void next() {
  variable += 1;
  managed += 1;
}

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(code));
  std::exit(1);
}

/// Two streams and the default one, whose work is pending when the device is reset.
void round() {
  int* memory = nullptr;
  check(cudaMalloc(&memory, 4 * 4096 * sizeof(int)), "malloc");
  check(cudaMemset(memory, 0, 4 * 4096 * sizeof(int)), "memset");
  alignas(4096) static int result[4096];
  check(cudaHostRegister(result, sizeof result, 0), "register");
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamCreate(&streams[i]), "stream");
    count<<<8, 256, 0, streams[i]>>>(memory + (i + 1) * 4096, memory);
  }
  next<<<1, 1>>>();
  count<<<16, 256>>>(result, memory);
  check(cudaGetLastError(), "launch");
  check(cudaDeviceReset(), "reset");
  std::printf("results %d %d, managed %d\n", result[0], result[4095], managed);
  std::printf("old memory: %s\n", cudaGetErrorName(cudaFree(memory)));
  std::printf("old stream: %s\n", cudaGetErrorName(cudaStreamDestroy(streams[0])));
  cudaGetLastError();
}

void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([] {
      for (int turn = 0; turn < 20; ++turn) {
        void* memory = nullptr;
        cudaStream_t stream = nullptr;
        check(cudaMalloc(&memory, 1 << 20), "malloc");
        check(cudaStreamCreate(&stream), "stream");
        check(cudaDeviceReset(), "reset");
      }
    });
  for (std::thread& thread : all) thread.join();
  round();
}

}  // namespace

int main(int, char** arguments) {
  const std::string mode = arguments[1];
  if (mode == "threads") threads();
  if (mode == "rounds")
    for (int i = 0; i < 3; ++i) round();
  return 0;
}
