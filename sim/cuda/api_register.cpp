// SPDX-License-Identifier: Apache-2.0
// Functions that the compiler's start-up code calls to register fat binaries, kernels and variables.
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {
struct PendingLaunch {
  Dim grid, block;
  std::size_t shared;
  Stream stream;
};
thread_local std::vector<PendingLaunch> pending;
}  // namespace

SASSIM_CUDA void** __cudaRegisterFatBinary(const FatbinWrapper* wrapper) {
  RegisteredBinary* binary = nullptr;
  call(__func__, [&](Session& session) {
    if (!wrapper || wrapper->magic != kFatbinWrapperMagic)
      throw ApiError{kInvalidKernelImage, "this is not a fat binary"};
    binary = session.add_binary(wrapper->data);
    return kSuccess;
  });
  return reinterpret_cast<void**>(binary);
}
SASSIM_CUDA void __cudaRegisterFatBinaryEnd(void**) {}
// At exit the session may already be destroyed; its destructor frees everything.
SASSIM_CUDA void __cudaUnregisterFatBinary(void**) {}
SASSIM_CUDA char __cudaInitModule(void**) { return 1; }

SASSIM_CUDA void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, void*, void*,
                                        void*, void*, int*) {
  call(__func__, [&](Session& session) {
    session.add_function(host, {.binary = reinterpret_cast<RegisteredBinary*>(binary), .name = name});
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t bytes, int,
                                   int) {
  call(__func__, [&](Session& session) {
    session.add_variable(host, {reinterpret_cast<RegisteredBinary*>(binary), name, bytes, nullptr});
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int, std::size_t bytes,
                                          int, int) {
  call(__func__, [&](Session& session) {
    session.add_variable(host, {reinterpret_cast<RegisteredBinary*>(binary), name, bytes, host});
    session.use_managed(host);
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {
  unsupported("surface references");
}

SASSIM_CUDA unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared, Stream stream) {
  pending.push_back({grid, block, shared, stream});
  return 0;
}
SASSIM_CUDA Result __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared, Stream* stream) {
  if (pending.empty()) return remember(kMissingConfiguration);
  *grid = pending.back().grid;
  *block = pending.back().block;
  *shared = pending.back().shared;
  *stream = pending.back().stream;
  pending.pop_back();
  return kSuccess;
}

}  // namespace sassim::cuda
