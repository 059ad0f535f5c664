// SPDX-License-Identifier: Apache-2.0
// What ordinary programs use of the runtime. Prints "name ok" or "name FAIL line" per feature.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

static int failures = 0;
static const char* feature = "";
static bool good = true;

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::printf("%s FAIL line %d: %s\n", feature, __LINE__, #condition); \
      good = false;                                                    \
    }                                                                  \
  } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

__constant__ int factor = 2;
__device__ int table[4] = {1, 2, 3, 4};
__managed__ int managed_counter = 5;

__global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
__global__ void add_table(int* data) { data[threadIdx.x] += table[threadIdx.x & 3]; }
__global__ void count() { atomicAdd(&managed_counter, 1); }
__global__ void meet(unsigned* arrived, int* out) {
  atomicAdd(arrived, 1u);
  while (*reinterpret_cast<volatile unsigned*>(arrived) < gridDim.x) {
  }
  out[blockIdx.x] = 1;
}
__global__ void dynamic(int* out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}

__global__ void votes(int* out) {
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  out[threadIdx.x] = count + 1000 * __syncthreads_and(threadIdx.x < 64) + 2000 * __syncthreads_or(threadIdx.x == 99);
}

static void copies() {
  std::vector<int> host(256), back(256);
  for (int i = 0; i < 256; ++i) host[i] = i;
  int* device = nullptr;
  OK(cudaMalloc(&device, 1024));
  OK(cudaMemcpy(device, host.data(), 1024, cudaMemcpyHostToDevice));
  scale<<<2, 128>>>(device, 256);
  add_table<<<1, 256>>>(device);
  OK(cudaMemcpy(back.data(), device, 1024, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; ++i) EXPECT(back[i] == 2 * i + (i & 3) + 1);
  OK(cudaFree(device));
  EXPECT(cudaFree(&host) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaGetLastError());
}

static void rows() {
  void* device = nullptr;
  std::size_t pitch = 0;
  OK(cudaMallocPitch(&device, &pitch, 24, 5));
  EXPECT(pitch >= 24);
  int host[5][6], back[5][8] = {};
  for (int i = 0; i < 30; ++i) host[i / 6][i % 6] = i;
  OK(cudaMemset2D(device, pitch, 0xff, 24, 5));
  OK(cudaMemcpy2D(device, pitch, host, 24, 24, 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, 32, device, pitch, 24, 5, cudaMemcpyDeviceToHost));
  EXPECT(back[3][5] == 23 && back[4][0] == -1 && back[0][6] == 0);
  EXPECT(cudaMemcpy2D(back, 16, device, pitch, 24, 5, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
  cudaGetLastError();
}

static void symbols() {
  const int three = 3, values[2] = {50, 60};
  int back[4], *device = nullptr;
  std::size_t bytes = 0;
  OK(cudaMemcpyToSymbol(factor, &three, 4));
  OK(cudaMemcpyToSymbol(table, values, 8, 8));
  OK(cudaMemcpyFromSymbol(back, table, 16));
  EXPECT(back[0] == 1 && back[2] == 50 && back[3] == 60);
  OK(cudaGetSymbolSize(&bytes, table));
  EXPECT(bytes == 16);
  OK(cudaGetSymbolAddress(reinterpret_cast<void**>(&device), table));
  scale<<<1, 32>>>(device, 4);
  OK(cudaMemcpyFromSymbol(back, table, 16));
  EXPECT(back[1] == 6 && back[3] == 180);
}

static void host_memory() {
  int *pinned = nullptr, *managed = nullptr, *seen = nullptr;
  OK(cudaMallocHost(&pinned, 64));
  OK(cudaMallocManaged(&managed, 64));
  for (int i = 0; i < 16; ++i) pinned[i] = managed[i] = i;
  OK(cudaHostGetDevicePointer(&seen, pinned, 0));
  const int two = 2;
  OK(cudaMemcpyToSymbol(factor, &two, 4));
  scale<<<1, 16>>>(seen, 16);
  scale<<<1, 16>>>(managed, 16);
  count<<<2, 32>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[7] == 14 && managed[15] == 30 && managed_counter == 69);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
}

static void streams() {
  cudaStream_t a, b;
  cudaEvent_t begin, end, never;
  int* device = nullptr;
  OK(cudaMalloc(&device, 4096));
  OK(cudaMemset(device, 0, 4096));
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaEventCreate(&never));
  OK(cudaEventRecord(begin, a));
  for (int i = 0; i < 3; ++i) add_table<<<1, 1024, 0, a>>>(device);
  OK(cudaEventRecord(end, a));
  OK(cudaStreamWaitEvent(b, end, 0));
  scale<<<8, 128, 0, b>>>(device, 1024);
  OK(cudaEventSynchronize(end));
  OK(cudaStreamSynchronize(b));
  EXPECT(cudaStreamQuery(a) == cudaSuccess);
  float milliseconds = -1, none = 0;
  OK(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("elapsed %.9f ms\n", milliseconds);
  EXPECT(cudaEventElapsedTime(&none, begin, never) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
}

static void cooperative() {
  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  int per_sm = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, meet, 1024, 0));
  EXPECT(per_sm == device.maxThreadsPerMultiProcessor / 1024);
  unsigned* arrived = nullptr;
  int *out = nullptr, back[4] = {};
  OK(cudaMalloc(&arrived, 4));
  OK(cudaMemset(arrived, 0, 4));
  OK(cudaMalloc(&out, 16));
  void* arguments[] = {&arrived, &out};
  OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), dim3(4), dim3(1), arguments, 0, nullptr));
  OK(cudaMemcpy(back, out, 16, cudaMemcpyDeviceToHost));
  EXPECT(back[0] + back[1] + back[2] + back[3] == 4);
  const unsigned too_many = static_cast<unsigned>(per_sm * device.multiProcessorCount + 1);
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), dim3(too_many), dim3(1024), arguments, 0, nullptr) ==
         cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

static void launches() {
  int *out = nullptr, back[64];
  OK(cudaMalloc(&out, 256));
  dynamic<<<1, 64, 256>>>(out);
  OK(cudaMemcpy(back, out, 256, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 63 && back[63] == 0);
  dynamic<<<1, 2048, 256>>>(out);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  dynamic<<<1, 64, 60000>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  dynamic<<<1, 64, 60000>>>(out);
  OK(cudaGetLastError());
  votes<<<1, 64>>>(out);
  OK(cudaMemcpy(back, out, 256, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 1022 && back[63] == 1022);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, dynamic));
  EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0 && attributes.maxDynamicSharedSizeBytes == 60000);
  OK(cudaDeviceSynchronize());
}

static void threads() {
  int sums[2] = {0, 0};
  cudaError_t errors[2][2];
  const auto work = [&](int which) {
    int *device = nullptr, host[32];
    cudaMalloc(&device, 128);
    for (int round = 0; round < 5; ++round) {
      cudaMemset(device, which, 128);
      scale<<<1, 32>>>(device, 32);
      cudaMemcpy(host, device, 128, cudaMemcpyDeviceToHost);
      for (int value : host) sums[which] += value == which * 0x01010101 * 2;
    }
    if (which == 1) cudaMemcpy(nullptr, device, 128, cudaMemcpyDeviceToHost);
    errors[which][0] = cudaGetLastError();  // each thread has its own
    errors[which][1] = cudaGetLastError();
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT(sums[0] == 160 && sums[1] == 160);
  EXPECT(errors[0][0] == cudaSuccess && errors[1][0] == cudaErrorInvalidValue && errors[1][1] == cudaSuccess);
}

static void run(const char* name, void (*test)()) {
  feature = name;
  good = true;
  test();
  if (cudaDeviceSynchronize() != cudaSuccess) good = false;
  std::printf("%s %s\n", name, good ? "ok" : "FAIL");
  failures += !good;
}

int main() {
  run("copies", copies);
  run("rows", rows);
  run("symbols", symbols);
  run("host_memory", host_memory);
  run("streams", streams);
  run("cooperative", cooperative);
  run("launches", launches);
  run("threads", threads);
  return failures ? 1 : 0;
}
