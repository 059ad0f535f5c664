// SPDX-License-Identifier: Apache-2.0
// A program in which no function's address is taken, so that a call of a function pointer has no table to go through:
// what happens at a null pointer.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

__global__ void call(volatile int* calls, void (*function)(volatile int*)) {
  calls[0] = calls[0] + 1;
  __threadfence_system();
  function(calls);
}

int main(int count, char** arguments) {
  const unsigned long long address = count > 1 ? std::strtoull(arguments[1], nullptr, 0) : 0;
  int* calls = nullptr;
  cudaHostAlloc(&calls, 4, cudaHostAllocMapped);
  *calls = 0;
  call<<<1, 1>>>(calls, reinterpret_cast<void (*)(volatile int*)>(address));
  cudaError_t code = cudaErrorNotReady;
  for (int tries = 0; tries < 30 && code == cudaErrorNotReady; ++tries) {
    usleep(100000);
    code = cudaStreamQuery(nullptr);
  }
  std::printf("%s; the kernel began %s\n", cudaGetErrorName(code),
              *static_cast<volatile int*>(calls) > 1 ? "again" : "once");
  std::fflush(stdout);
  _exit(0);
}
