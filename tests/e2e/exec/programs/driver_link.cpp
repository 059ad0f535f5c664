// SPDX-License-Identifier: Apache-2.0
// Links PTX and machine code while it runs (cuLink...), and runs kernels of what comes out.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "driver_check.h"

namespace {

std::string folder;

std::string content(const std::string& name) {
  std::ifstream in(image(folder.c_str(), name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CUresult add(CUlinkState state, CUjitInputType type, const std::string& name) {
  std::string bytes = content(name);
  return cuLinkAddData(state, type, bytes.data(), bytes.size() + (type == CU_JIT_INPUT_PTX ? 1 : 0), name.c_str(), 0,
                       nullptr, nullptr);
}

/// What the kernel makes of `x`.
int run(CUlinkState state, const char* name, int x) {
  void* cubin = nullptr;
  size_t bytes = 0;
  DO(cuLinkComplete(state, &cubin, &bytes));
  EXPECT(bytes > 64 && !std::memcmp(cubin, "\177ELF", 4));
  CUmodule module;
  CUfunction function;
  CUdeviceptr to;
  DO(cuModuleLoadData(&module, cubin));
  DO(cuLinkDestroy(state));
  DO(cuModuleGetFunction(&function, module, name));
  DO(cuMemAlloc(&to, 4));
  void* arguments[] = {&to, &x};
  DO(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int result = 0;
  DO(cuMemcpyDtoH(&result, to, 4));
  return result;
}

void wrong_calls() {
  char log[200] = "old";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlinkState state;
  DO(cuLinkCreate(2, options, values, &state));
  EXPECT(log[0] == '\0');
  DO(add(state, CU_JIT_INPUT_FATBINARY, "link_use.fatbin"));
  void* cubin = nullptr;
  EXPECT_CODE(CUDA_ERROR_INVALID_IMAGE, cuLinkComplete(state, &cubin, nullptr));
  EXPECT(std::strstr(log, "_Z6helperi"));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 0, "", 0, nullptr, nullptr));
  EXPECT_CODE(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(state, CU_JIT_INPUT_CUBIN, "/nowhere", 0, nullptr, nullptr));
  DO(cuLinkDestroy(state));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(state));
}

}  // namespace

int main(int, char** argv) {
  folder = argv[0];
  DO(cuInit(0));
  CUcontext context;
  DO(cuCtxCreate(&context, 0, 0));
  CUlinkState state;
  DO(cuLinkCreate(0, nullptr, nullptr, &state));
  DO(add(state, CU_JIT_INPUT_PTX, "link_use.ptx"));
  DO(add(state, CU_JIT_INPUT_FATBINARY, "link_base.fatbin"));
  EXPECT(run(state, "linked", 5) == 55);
  DO(cuLinkCreate(0, nullptr, nullptr, &state));
  DO(add(state, CU_JIT_INPUT_FATBINARY, "link_use.fatbin"));
  DO(cuLinkAddFile(state, CU_JIT_INPUT_PTX, image(argv[0], "link_base.ptx").c_str(), 0, nullptr, nullptr));
  EXPECT(run(state, "linked", 6) == 58);
  DO(cuLinkCreate(0, nullptr, nullptr, &state));
  DO(add(state, CU_JIT_INPUT_PTX, "link_base.ptx"));
  EXPECT(run(state, "alone", 20) == 20);
  wrong_calls();
  std::puts("link ok");
}
