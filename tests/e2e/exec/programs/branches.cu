// SPDX-License-Identifier: Apache-2.0
// Times of graphs, in us: one kernel of a quarter of the GPU; a fork of three such kernels between two more and a join;
// the same kernels in a row; three kernels that a child graph adds without dependences. Checks results.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define OK(call)                                                                       \
  do {                                                                                 \
    if (const cudaError_t error = (call); error != cudaSuccess) {                      \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)), std::exit(1); \
    }                                                                                  \
  } while (0)

constexpr int kShared = 200 << 10;
static int blocks, steps = 2000;
static int* data;

__global__ void count(int* to, const int* from, int steps, int slot, int sources) {
  int sum = 1;
  for (int i = 0; i < sources; ++i) sum += from[i];
  float x = static_cast<float>(slot);
  for (int i = 0; i < steps; ++i) x += 1.0f;
  if (threadIdx.x == 0 && blockIdx.x == 0) to[slot] = sum + (x < 0);
}

static cudaGraphNode_t node(cudaGraph_t graph, int slot, int sources, const cudaGraphNode_t* after,
                            size_t count_after) {
  const int* from = data;
  void* arguments[] = {&data, &from, &steps, &slot, &sources};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(count);
  params.gridDim = dim3(static_cast<unsigned>(blocks));
  params.blockDim = dim3(32);
  params.sharedMemBytes = kShared;
  params.kernelParams = arguments;
  cudaGraphNode_t result;
  OK(cudaGraphAddKernelNode(&result, graph, after, count_after, &params));
  return result;
}

static void time(const char* name, cudaGraph_t graph, cudaStream_t stream, int slot, int expected) {
  cudaGraphExec_t exec;
  cudaEvent_t begin, end;
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  for (int i = 0; i < 2; ++i) {
    OK(cudaMemsetAsync(data, 0, 64 * sizeof(int), stream));
    OK(cudaEventRecord(begin, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaEventRecord(end, stream));
    int value = 0;
    OK(cudaMemcpyAsync(&value, data + slot, sizeof value, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    if (value != expected) std::printf("%s: %d instead of %d\n", name, value, expected);
  }
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, begin, end));
  std::printf("{\"id\": \"%s\", \"value\": %.3f}\n", name, ms * 1000);
  OK(cudaGraphExecDestroy(exec));
}

int main() {
  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  blocks = device.multiProcessorCount / 4;
  OK(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  OK(cudaMalloc(&data, 64 * sizeof(int)));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));

  cudaGraph_t one, fork, row, loose, parent;
  OK(cudaGraphCreate(&one, 0));
  node(one, 0, 0, nullptr, 0);
  time("one", one, stream, 0, 1);

  OK(cudaGraphCreate(&fork, 0));
  const cudaGraphNode_t first = node(fork, 0, 0, nullptr, 0);
  cudaGraphNode_t middle[3];
  for (int i = 0; i < 3; ++i) middle[i] = node(fork, 1 + i, 1, &first, 1);
  const cudaGraphNode_t last = node(fork, 4, 4, middle, 3);
  node(fork, 5, 5, &last, 1);
  time("fork", fork, stream, 5, 16);
  time("fork.default", fork, nullptr, 5, 16);

  OK(cudaGraphCreate(&row, 0));
  cudaGraphNode_t before = node(row, 0, 0, nullptr, 0);
  for (int i = 1; i < 6; ++i) before = node(row, i, 0, &before, 1);
  time("row", row, stream, 5, 1);

  OK(cudaGraphCreate(&loose, 0));
  for (int i = 0; i < 3; ++i) node(loose, i, 0, nullptr, 0);
  OK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t child;
  OK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, loose));
  time("child", parent, stream, 2, 1);
  return 0;
}
