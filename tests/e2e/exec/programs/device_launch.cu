// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: arguments, grids, streams, events, depth, fills, and launches that are not possible. Checks
// itself. `device_launch wait`: a kernel that waits for those that it has launched.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "check.h"

struct Numbers {
  double first;
  short second;
};

__device__ int noted[64], notes, errors[4];

__global__ void note(int value) { noted[notes++] = value; }
__global__ void deeper(int value, int last) {
  note<<<1, 1>>>(value);
  if (value != last) deeper<<<1, 1>>>(value + 1, last);
  note<<<1, 1>>>(-value);
}
__global__ void shapes(int* out, char small, Numbers numbers) {
  extern __shared__ int shared[];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, block = blockIdx.y * gridDim.x + blockIdx.x;
  shared[thread] = thread;
  __syncthreads();
  const int count = blockDim.x * blockDim.y;
  out[block * count + thread] = shared[count - 1 - thread] + small * 1000 + int(numbers.first) + numbers.second;
}

__global__ void parent(int* out) {
  if (threadIdx.x != 0) return;
  cudaStream_t stream;
  cudaEvent_t event;
  errors[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  errors[1] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  shapes<<<dim3(2, 3), dim3(16, 4), 64 * sizeof(int), stream>>>(out, 3, Numbers{100000, 7});
  deeper<<<1, 1>>>(10, 12);
  note<<<1, 2000>>>(1);  // no block is as large
  errors[2] = cudaGetLastError();
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(stream, event, 0);
  errors[3] = cudaMemsetAsync(out + 6 * 64, 0, 64 * sizeof(int), stream);  // 11.8 and 12.4 ignore any other value
  note<<<1, 1, 0, stream>>>(99);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}
/// Each block has its turn, however many run at the same time.
__global__ void blocks() { note<<<1, 1>>>(blockIdx.x); }
__global__ void endless(int depth) {
  noted[0] = depth;
  endless<<<1, 1>>>(depth + 1);
  if (int error = cudaGetLastError()) errors[0] = error;
}
#if __CUDACC_VER_MAJOR__ < 12
__global__ void waits() {
  note<<<1, 1>>>(1);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
  cudaDeviceSynchronize();
#endif
}
#else
__global__ void waits() { note<<<1, 1, 0, cudaStreamTailLaunch>>>(1), note<<<1, 1, 0, cudaStreamFireAndForget>>>(2); }
#endif

static bool notes_are(std::initializer_list<int> expected) {
  int count = 0, found[64];
  OK(cudaMemcpyFromSymbol(&count, notes, sizeof count));
  OK(cudaMemcpyFromSymbol(found, noted, sizeof found));
  const int none = 0;
  OK(cudaMemcpyToSymbol(notes, &none, sizeof none));
  return count == int(expected.size()) && std::memcmp(found, expected.begin(), count * sizeof(int)) == 0;
}

int main(int argc, char**) {
  if (argc > 1) {
    waits<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    EXPECT(notes_are({2, 1}));  // what is launched for the end of the kernel comes last
    if (failures == 0) std::puts("order ok");
    return failures;
  }
  int *out, host[7 * 64], found[4];
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemset(out, 0x11, sizeof host));
  parent<<<2, 32>>>(out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 6 * 64; ++i) EXPECT(host[i] == 63 - i % 64 + 3000 + 100000 + 7);
  for (int i = 6 * 64; i < 7 * 64; ++i) EXPECT(host[i] == 0);
  OK(cudaMemcpyFromSymbol(found, errors, sizeof found));
  EXPECT(found[0] == cudaSuccess && found[1] == cudaSuccess && found[2] == cudaErrorInvalidConfiguration &&
         found[3] == cudaSuccess);
  EXPECT(notes_are({10, 11, 12, -12, -11, -10, 99, 10, 11, 12, -12, -11, -10, 99}));
  blocks<<<8, 1>>>();
  EXPECT(notes_are({0, 1, 2, 3, 4, 5, 6, 7}));
  endless<<<1, 1>>>(0);
  OK(cudaMemcpyFromSymbol(found, errors, sizeof found));
  int deepest = 0;
  OK(cudaMemcpyFromSymbol(&deepest, noted, sizeof deepest));
  EXPECT(found[0] == cudaErrorLaunchMaxDepthExceeded && deepest == 24);
  if (failures == 0) std::puts("children ok");
  return failures;
}
