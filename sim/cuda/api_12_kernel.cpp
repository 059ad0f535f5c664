// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart.so.12 for kernels: their handles, attributes and parameters.
#include <cstring>

#include "sim/cuda/abi12.h"
#include "sim/cuda/export.h"
#include "sim/cuda/kernel_call.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

extern "C" {
Result cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments, std::size_t shared, Stream);
Result cudaFuncGetAttributes(FunctionAttributes*, const void* handle);
}

/// A kernel's handle is its host function: all functions that take one also take the other.
SASSIM_CUDA Result SASSIM_12(cudaGetKernel)(const void** kernel, const void* function) {
  return call("cudaGetKernel", [&](Session& session) {
    if (!kernel) return kInvalidValue;
    if (!session.find_function(function)) return kInvalidDeviceFunction;
    *kernel = function;
    return kSuccess;
  });
}
/// Compiled code calls it before its first launch and ignores the result: a function that is unknown is the launch's
/// error.
SASSIM_CUDA Result SASSIM_12(__cudaGetKernel)(const void** kernel, const void* function) {
  *kernel = function;
  return kSuccess;
}
SASSIM_CUDA Result SASSIM_12(__cudaLaunchKernel)(const void* kernel, Dim grid, Dim block, void** arguments,
                                                 std::size_t shared, Stream stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
SASSIM_12_PTSZ(__cudaLaunchKernel);

SASSIM_CUDA Result SASSIM_12(cudaFuncGetAttributes)(v12::FunctionAttributes* attributes, const void* handle) {
  FunctionAttributes common;
  const Result result = cudaFuncGetAttributes(attributes ? &common : nullptr, handle);
  if (result != kSuccess) return result;
  *attributes = {};
  std::memcpy(attributes->common, &common, sizeof attributes->common);
  return result;
}
SASSIM_CUDA Result SASSIM_12(cudaFuncGetName)(const char** name, const void* handle) {
  return call("cudaFuncGetName", [&](Session& session) {
    const RegisteredFunction* function = session.find_function(handle);
    if (!name || !function) return function ? kInvalidValue : kInvalidDeviceFunction;
    *name = function->name.c_str();
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_12(cudaFuncGetParamInfo)(const void* handle, std::size_t index, std::size_t* offset,
                                                   std::size_t* bytes) {
  return call("cudaFuncGetParamInfo", [&](Session& session) {
    const emu::Kernel& kernel = described_kernel(session, handle);
    if (!offset || index >= kernel.param_offsets.size()) return kInvalidValue;
    *offset = kernel.param_offsets[index];
    if (bytes) *bytes = kernel.param_sizes[index];
    return kSuccess;
  });
}

// Memory that host and device share by its host address (a GPU without a page table of its own).
SASSIM_CUDA Result SASSIM_12(__cudaRegisterHostVar)() { return unsupported("__cudaRegisterHostVar"); }
SASSIM_CUDA Result SASSIM_12(__cudaRegisterUnifiedTable)() { return unsupported("__cudaRegisterUnifiedTable"); }

}  // namespace sassim::cuda
