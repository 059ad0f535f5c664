// SPDX-License-Identifier: Apache-2.0
// A program of the driver's interface alone: it loads a module, runs kernels and checks what they compute.
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "driver_check.h"

namespace {

constexpr int kCount = 1000;

void scale(CUmodule module) {
  CUfunction function;
  DO(cuModuleGetFunction(&function, module, "scale"));
  std::vector<float> in(kCount), out(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i;
  const size_t bytes = kCount * sizeof(float);
  CUdeviceptr from, to;
  DO(cuMemAlloc(&from, bytes));
  DO(cuMemAlloc(&to, bytes));
  DO(cuMemcpyHtoD(from, in.data(), bytes));
  int count = kCount;
  void* arguments[] = {&from, &to, &count};
  DO(cuLaunchKernel(function, (kCount + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  DO(cuCtxSynchronize());
  DO(cuMemcpyDtoH(out.data(), to, bytes));
  for (int i = 0; i < kCount; ++i) EXPECT(out[i] == 2.0f * i + 5);

  // Variables of the module.
  CUdeviceptr counter, factor;
  size_t size;
  DO(cuModuleGetGlobal(&counter, &size, module, "counter"));
  EXPECT(size == 4);
  DO(cuModuleGetGlobal(&factor, nullptr, module, "factor"));
  const int seven = 7;
  const float three = 3;
  DO(cuMemcpyHtoD(counter, &seven, sizeof seven));
  DO(cuMemcpyHtoD(factor, &three, sizeof three));
  DO(cuLaunchKernel(function, (kCount + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  DO(cuMemcpyDtoH(out.data(), to, bytes));
  for (int i = 0; i < kCount; ++i) EXPECT(out[i] == 3.0f * i + 7);
  DO(cuMemFree(from));
  DO(cuMemFree(to));
}

/// Arguments in one buffer.
void store(CUmodule module) {
  CUfunction function;
  DO(cuModuleGetFunction(&function, module, "store"));
  CUdeviceptr out;
  DO(cuMemAlloc(&out, 32 * sizeof(double)));
  struct {
    struct {
      int a;
      double b;
    } value;
    char tag;
    CUdeviceptr out;
  } arguments{{3, 0.5}, 4, out};
  size_t size = sizeof arguments;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  DO(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  double result[32];
  DO(cuMemcpyDtoH(result, out, sizeof result));
  for (int i = 0; i < 32; ++i) EXPECT(result[i] == 7.5 + i);
  size = 8;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  DO(cuMemFree(out));
}

void streams_and_events(CUmodule module) {
  CUfunction function;
  DO(cuModuleGetFunction(&function, module, "sum_shared"));
  CUstream stream;
  CUevent start, stop;
  DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DO(cuEventCreate(&start, CU_EVENT_DEFAULT));
  DO(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  constexpr int kBlocks = 4, kThreads = 64;
  int *in, sums[kBlocks];
  DO(cuMemAllocHost(reinterpret_cast<void**>(&in), kBlocks * kThreads * sizeof(int)));
  for (int i = 0; i < kBlocks * kThreads; ++i) in[i] = i;
  CUdeviceptr from, to;
  DO(cuMemAlloc(&from, kBlocks * kThreads * sizeof(int)));
  DO(cuMemAlloc(&to, sizeof sums));
  DO(cuMemcpyHtoDAsync(from, in, kBlocks * kThreads * sizeof(int), stream));
  DO(cuEventRecord(start, stream));
  void* arguments[] = {&from, &to};
  DO(cuLaunchKernel(function, kBlocks, 1, 1, kThreads, 1, 1, kThreads * sizeof(int), stream, arguments, nullptr));
  DO(cuEventRecord(stop, stream));
  DO(cuMemcpyDtoHAsync(sums, to, sizeof sums, stream));
  DO(cuStreamSynchronize(stream));
  float milliseconds = -1;
  DO(cuEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds > 0);
  for (int block = 0; block < kBlocks; ++block)
    EXPECT(sums[block] == kThreads * (2 * block * kThreads + kThreads - 1) / 2);
  DO(cuStreamQuery(stream));
  DO(cuEventQuery(stop));
  DO(cuEventDestroy(start));
  DO(cuEventDestroy(stop));
  DO(cuStreamDestroy(stream));
  DO(cuMemFreeHost(in));
  DO(cuMemFree(from));
  DO(cuMemFree(to));
}

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void work(CUmodule module) {
  scale(module);
  store(module);
  streams_and_events(module);
  DO(cuModuleUnload(module));
}

}  // namespace

int main(int, char** argv) {
  DO(cuInit(0));
  CUdevice device;
  DO(cuDeviceGet(&device, 0));
  int count = 0, version = 0, major = 0, minor = 0;
  char name[100];
  size_t memory = 0;
  DO(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  DO(cuDriverGetVersion(&version));
  EXPECT(version >= 11080);
  DO(cuDeviceGetName(name, sizeof name, device));
  DO(cuDeviceTotalMem(&memory, device));
  DO(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  DO(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  EXPECT(memory > 0 && std::strlen(name) > 0);

  CUcontext context, current;
  DO(cuCtxCreate(&context, 0, device));
  DO(cuCtxGetCurrent(&current));
  EXPECT(current == context);
  CUmodule module;
  const std::string cubin =
      image(argv[0], "driver_kernels.sm_" + std::to_string(major) + std::to_string(minor) + ".cubin");
  DO(cuModuleLoad(&module, cubin.c_str()));
  work(module);
  std::vector<char> bytes = contents(cubin);
  DO(cuModuleLoadData(&module, bytes.data()));
  bytes.assign(bytes.size(), 0);  // the module has a copy
  work(module);
  bytes = contents(image(argv[0], "driver_kernels.fatbin"));
  DO(cuModuleLoadFatBinary(&module, bytes.data()));
  work(module);
  DO(cuCtxDestroy(context));
  DO(cuCtxGetCurrent(&current));
  EXPECT(!current);

  DO(cuDevicePrimaryCtxRetain(&context, device));
  DO(cuCtxSetCurrent(context));
  DO(cuModuleLoadData(&module, bytes.data()));
  work(module);
  DO(cuDevicePrimaryCtxRelease(device));
  const char* text = nullptr;
  DO(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(std::strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
  DO(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(std::strcmp(text, "out of memory") == 0);
  std::printf("sm_%d%d ok\n", major, minor);
}
