// SPDX-License-Identifier: Apache-2.0
// An object that launches a kernel when it is destroyed. The program and its libraries have one each, with a kernel of
// their own.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

/// Whether the test asks for this place: ENDS_AT lists those where a kernel is launched.
static inline bool asked_for(const char* place) {
  const char* all = std::getenv("ENDS_AT");
  const std::size_t length = std::strlen(place);
  for (const char* at = all; at && (at = std::strstr(at, place)); at += length)
    if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

static __global__ void work(int* x) { atomicAdd(x, 1); }

/// In a stream of its own, and without waiting for it.
static inline cudaStream_t launch() {
  int* x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(int));
  cudaStreamCreate(&stream);
  work<<<2, 64, 0, stream>>>(x);
  const cudaError_t result = cudaGetLastError();
  if (result != cudaSuccess) std::printf("a launch failed: %s\n", cudaGetErrorName(result));
  return stream;
}

static inline void launch_at(const char* place) {
  if (asked_for(place)) launch();
}

namespace {
struct LaunchesAtItsEnd {
  /// `uses_cuda`: its constructor is the first user of the runtime.
  explicit LaunchesAtItsEnd(const char* place, bool uses_cuda = false) : place_(place) {
    if (uses_cuda && asked_for(place)) cudaFree(nullptr);
  }
  ~LaunchesAtItsEnd() { launch_at(place_); }
  const char* place_;
};
}  // namespace
