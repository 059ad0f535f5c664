// SPDX-License-Identifier: Apache-2.0
// The functions of libcudart.so.13 for code that a program loads itself: the runtime's names for the driver's
// libraries. A kernel of a library is launched like one of the program.
#include <functional>

#include "sim/cuda/abi13.h"
#include "sim/cuda/export.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {
namespace {

Result with_library(const char* name, const Module* library, const std::function<Result(Session&)>& work) {
  return call(name, [&](Session& session) {
    return Modules::get().holds(library) && library->library ? work(session) : kInvalidResourceHandle;
  });
}
Result give_global(Session& session, Module& library, const char* name, void** pointer, std::size_t* bytes) {
  if (!name) return kInvalidValue;
  const emu::Variable& variable = Modules::get().variable(session, library, name);
  if (pointer) *pointer = reinterpret_cast<void*>(variable.address);
  if (bytes) *bytes = variable.bytes;
  return kSuccess;
}

}  // namespace

SASSIM_CUDA Result SASSIM_13(cudaLibraryLoadData)(Module** library, const void* code, const int*, void**, unsigned,
                                                  const int*, void**, unsigned) {
  return call("cudaLibraryLoadData", [&](Session& session) {
    if (!library || !code) return kInvalidValue;
    *library = Modules::get().load(session, code, nullptr);
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryLoadFromFile)(Module** library, const char* path, const int*, void**, unsigned,
                                                      const int*, void**, unsigned) {
  return call("cudaLibraryLoadFromFile", [&](Session& session) {
    if (!library || !path) return kInvalidValue;
    return Modules::get().load_file(session, path, nullptr, *library);
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryUnload)(Module* library) {
  return with_library("cudaLibraryUnload", library, [&](Session& session) {
    Modules::get().unload(session, library);
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryGetKernel)(Function** kernel, Module* library, const char* name) {
  return with_library("cudaLibraryGetKernel", library, [&](Session& session) {
    if (!kernel || !name) return kInvalidValue;
    *kernel = Modules::get().function(session, *library, name);
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryGetKernelCount)(unsigned* count, Module* library) {
  return with_library("cudaLibraryGetKernelCount", library, [&](Session&) {
    if (!count) return kInvalidValue;
    *count = static_cast<unsigned>(library->kernels.size());
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryEnumerateKernels)(Function** kernels, unsigned count, Module* library) {
  return with_library("cudaLibraryEnumerateKernels", library, [&](Session& session) {
    if (!kernels || count == 0) return kInvalidValue;
    for (unsigned i = 0; i < count && i < library->kernels.size(); ++i)
      kernels[i] = Modules::get().function(session, *library, library->kernels[i]);
    return kSuccess;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryGetGlobal)(void** pointer, std::size_t* bytes, Module* library,
                                                   const char* name) {
  return with_library("cudaLibraryGetGlobal", library,
                      [&](Session& session) { return give_global(session, *library, name, pointer, bytes); });
}
SASSIM_CUDA Result SASSIM_13(cudaLibraryGetManaged)(void** pointer, std::size_t* bytes, Module* library,
                                                    const char* name) {
  return with_library("cudaLibraryGetManaged", library,
                      [&](Session& session) { return give_global(session, *library, name, pointer, bytes); });
}
SASSIM_13_LACKS(cudaLibraryGetUnifiedFunction)

}  // namespace sassim::cuda
