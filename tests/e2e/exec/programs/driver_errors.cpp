// SPDX-License-Identifier: Apache-2.0
// What calls of the driver's interface return when they are wrong, as its documentation says.
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "driver_check.h"

namespace {

CUmodule module_of(const char* program) {
  CUmodule module;
  DO(cuModuleLoad(&module, image(program, "driver_kernels.fatbin").c_str()));
  return module;
}

void before_init() {
  int count;
  CUdeviceptr pointer;
  EXPECT_CODE(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
  EXPECT_CODE(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&pointer, 4));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuInit(1));
}

void without_context() {
  CUdeviceptr pointer;
  CUstream stream;
  CUmodule module;
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&pointer, 4));
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&stream, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoad(&module, "none"));
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(nullptr));
  CUcontext none = reinterpret_cast<CUcontext>(16);
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(none));
  EXPECT_CODE(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(none));
}

void devices() {
  CUdevice device;
  int value;
  EXPECT_CODE(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  EXPECT_CODE(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(nullptr, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 7));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, CUdevice_attribute(1000), 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  const char* text;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUresult(12345), &text));
}

void modules(const char* program) {
  CUmodule module;
  CUfunction function;
  CUdeviceptr pointer;
  EXPECT_CODE(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such/file"));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, nullptr));
  EXPECT_CODE(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "neither a cubin nor anything else"));
  std::ifstream file(image(program, "driver_kernels.sm_90.cubin"), std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_CODE(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, bytes.data()));
  // Damaged in every place: an error or not, but no crash.
  for (std::size_t at = 4; at < 64; ++at) {
    std::vector<char> damaged = bytes;
    damaged[48] = 70;  // its architecture
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    if (cuModuleLoadData(&module, damaged.data()) == CUDA_SUCCESS) DO(cuModuleUnload(module));
  }
  module = module_of(program);
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "no_such_kernel"));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, nullptr));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(nullptr, module, "scale"));
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&pointer, nullptr, module, "no_such_variable"));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, nullptr, "scale"));
  DO(cuModuleGetFunction(&function, module, "empty"));
  DO(cuModuleUnload(module));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, void** arguments) {
  return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, nullptr, arguments, nullptr);
}

void launches(const char* program) {
  CUmodule module = module_of(program);
  CUfunction scale, bounded, empty;
  DO(cuModuleGetFunction(&scale, module, "scale"));
  DO(cuModuleGetFunction(&bounded, module, "bounded"));
  DO(cuModuleGetFunction(&empty, module, "empty"));
  CUdeviceptr pointer;
  DO(cuMemAlloc(&pointer, 4096));
  int count = 0;
  void* arguments[] = {&pointer, &pointer, &count};
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, launch(nullptr, 1, 32, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, launch(scale, 0, 32, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, launch(scale, 1, 0, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, launch(scale, 1, 1025, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, launch(scale, 1, 32, 1 << 20, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, launch(scale, 1, 32, 0, nullptr));
  EXPECT_CODE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(bounded, 1, 256, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE,
              cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, reinterpret_cast<CUstream>(16), nullptr, nullptr));
  DO(launch(empty, 1, 1, 0, nullptr));
  int value;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, CUfunction_attribute(99), scale));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE,
              cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
  EXPECT(value == 128);
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, scale, 0, 0));
  DO(cuModuleUnload(module));
}

void memory() {
  CUdeviceptr pointer;
  char bytes[16];
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&pointer, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 16));
  EXPECT_CODE(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, size_t(1) << 45));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemFree(12345));
  DO(cuMemFree(0));
  DO(cuMemAlloc(&pointer, 8));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(pointer, bytes, 16));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, pointer + 4, 8));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(pointer + 1, 0, 1));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(pointer, 0, 9));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, nullptr, 10, 10, 4));
  size_t pitch;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &pitch, 10, 10, 3));
  unsigned type;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE,
              cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(bytes)));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(bytes));
  EXPECT_CODE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(bytes));
}

void streams_and_events() {
  CUstream stream;
  CUevent event;
  float milliseconds;
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 2));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(nullptr, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(reinterpret_cast<CUstream>(16)));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 64));
  DO(cuEventCreate(&event, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, event, event));
  DO(cuEventDestroy(event));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, nullptr));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(event));
}

/// What belongs to one context cannot be used in another, and is gone with it.
void contexts(const char* program) {
  CUcontext other, popped;
  CUstream stream;
  CUevent event;
  CUfunction function;
  CUdeviceptr pointer;
  DO(cuCtxCreate(&other, 0, 0));
  DO(cuStreamCreate(&stream, 0));
  DO(cuEventCreate(&event, 0));
  DO(cuMemAlloc(&pointer, 16));
  DO(cuModuleGetFunction(&function, module_of(program), "empty"));
  DO(cuCtxPopCurrent(&popped));
  EXPECT(popped == other);
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, nullptr));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, launch(function, 1, 1, 0, nullptr));
  DO(cuCtxPushCurrent(other));
  DO(launch(function, 1, 1, 0, nullptr));
  DO(cuCtxDestroy(other));
  EXPECT_CODE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxPushCurrent(other));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, launch(function, 1, 1, 0, nullptr));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer));
}

void entry_points() {
  void* function = nullptr;
  DO(cuGetProcAddress("cuMemAlloc", &function, 11080, CU_GET_PROC_ADDRESS_DEFAULT));
  EXPECT(function == reinterpret_cast<void*>(&cuMemAlloc_v2));
  DO(cuGetProcAddress("cuMemcpy", &function, 11080, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
  EXPECT(function == reinterpret_cast<void*>(&cuMemcpy));
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchCall", &function, 11080, 0));
  EXPECT(!function);
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuLibraryLoadData", &function, 11080, 0));
  const void* table;
  CUuuid unknown{};
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &unknown));
  // What is not there has a name.
  EXPECT_CODE(CUDA_ERROR_NOT_SUPPORTED, cuIpcGetMemHandle(nullptr, 0));
}

/// Tables of functions without names: libraries get what they need, a runtime that checks the driver gets nothing.
void tables(const char* program) {
  const void* table = nullptr;
  const CUuuid of_contexts{'\x21', '\x31', '\x8c', '\x60', '\x97', '\x14', '\x32', '\x48',
                           '\x8c', '\xa6', '\x41', '\xff', '\x73', '\x24', '\xc8', '\xf2'};
  DO(cuGetExportTable(&table, &of_contexts));
  const auto number = reinterpret_cast<CUresult (*)(CUcontext, cuuint64_t*)>(static_cast<const void* const*>(table)[4]);
  CUcontext context, other;
  cuuint64_t first = 0, second = 0;
  DO(cuCtxGetCurrent(&context));
  DO(number(context, &first));
  DO(cuCtxCreate(&other, 0, 0));
  DO(number(nullptr, &second));
  EXPECT(first != 0 && second != 0 && first != second);
  DO(cuCtxDestroy(other));
  const CUuuid of_modules{'\x6e', '\x16', '\x3f', '\xbe', '\xb9', '\x58', '\x44', '\x4d',
                          '\x83', '\x5c', '\xe1', '\x82', '\xaf', '\xf1', '\x99', '\x1e'};
  DO(cuGetExportTable(&table, &of_modules));
  using Visit = void (*)(void*, CUfunction);
  const auto each =
      reinterpret_cast<int (*)(CUcontext, CUmodule, Visit, void*)>(static_cast<const void* const*>(table)[7]);
  int functions = 0;
  const auto count = [](void* counter, CUfunction) { ++*static_cast<int*>(counter); };
  EXPECT(each(context, module_of(program), count, &functions) != 0);
  EXPECT(functions == 6);
  const CUuuid of_runtimes{'\x6b', '\xd5', '\xfb', '\x6c'};
  EXPECT_CODE(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &of_runtimes));
}

/// After a kernel's error, each call returns it.
void fault(const char* program) {
  CUfunction stray;
  DO(cuModuleGetFunction(&stray, module_of(program), "stray"));
  CUdeviceptr pointer;
  DO(cuMemAlloc(&pointer, 4));
  void* arguments[] = {&pointer};
  DO(launch(stray, 1, 1, 0, arguments));
  EXPECT_CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_CODE(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&pointer, 4));
  int count = 0;
  DO(cuDeviceGetCount(&count));
  EXPECT(count == 1);
}

}  // namespace

int main(int, char** argv) {
  before_init();
  DO(cuInit(0));
  without_context();
  devices();
  CUcontext context;
  DO(cuDevicePrimaryCtxRetain(&context, 0));
  DO(cuCtxPushCurrent(context));
  modules(argv[0]);
  launches(argv[0]);
  memory();
  streams_and_events();
  contexts(argv[0]);
  entry_points();
  tables(argv[0]);
  fault(argv[0]);
  std::puts("errors ok");
}
