// SPDX-License-Identifier: Apache-2.0
// nvrtc: a program compiles a kernel while it runs, to PTX and to machine code, and starts both by the driver
// interface.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

#define CHECK(call)                                                           \
  do {                                                                        \
    if (const int status = static_cast<int>(call); status != 0) {             \
      std::printf("%s:%d: " #call " gives %d\n", __FILE__, __LINE__, status); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

constexpr const char* kSource = R"(
template <class T>
__global__ void scale(T* values, T factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = values[i] * factor + FACTOR;
}
)";
constexpr int kCount = 1000;

/// The image, and the mangled name of its kernel.
std::vector<char> compiled(const std::string& target, bool to_ptx, std::string& name) {
  nvrtcProgram program;
  CHECK(nvrtcCreateProgram(&program, kSource, "scale.cu", 0, nullptr, nullptr));
  CHECK(nvrtcAddNameExpression(program, "scale<float>"));
  const std::string architecture = "--gpu-architecture=" + target;
  const char* options[] = {architecture.c_str(), "-DFACTOR=7"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
    std::size_t size = 0;
    CHECK(nvrtcGetProgramLogSize(program, &size));
    std::vector<char> log(size);
    CHECK(nvrtcGetProgramLog(program, log.data()));
    std::printf("%s\n", log.data());
    std::exit(1);
  }
  const char* lowered = nullptr;
  CHECK(nvrtcGetLoweredName(program, "scale<float>", &lowered));
  name = lowered;
  std::size_t size = 0;
  CHECK(to_ptx ? nvrtcGetPTXSize(program, &size) : nvrtcGetCUBINSize(program, &size));
  std::vector<char> image(size);
  CHECK(to_ptx ? nvrtcGetPTX(program, image.data()) : nvrtcGetCUBIN(program, image.data()));
  CHECK(nvrtcDestroyProgram(&program));
  return image;
}

void run(const char* what, const std::vector<char>& image, const std::string& name) {
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  CHECK(cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
  CHECK(cuModuleGetFunction(&function, module, name.c_str()));
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
  CHECK(cuMemAlloc(&memory, kCount * sizeof(float)));
  CHECK(cuMemcpyHtoD(memory, values.data(), kCount * sizeof(float)));
  float factor = 3;
  int count = kCount;
  void* arguments[] = {&memory, &factor, &count};
  CHECK(cuLaunchKernel(function, (kCount + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(values.data(), memory, kCount * sizeof(float)));
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += values[i] != 3 * i + 7;
  std::printf("%s: %s\n", what, wrong == 0 ? "right" : "WRONG");
  CHECK(cuMemFree(memory));
  CHECK(cuModuleUnload(module));
}

}  // namespace

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, 0, device));
  int major = 0, minor = 0;
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  const std::string number = std::to_string(major) + std::to_string(minor);
  std::string name;
  const std::vector<char> code = compiled("sm_" + number, false, name);
  run("machine code", code, name);
  const std::vector<char> text = compiled("compute_" + number, true, name);
  run("PTX", text, name);
  std::puts("done");
}
