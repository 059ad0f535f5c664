// SPDX-License-Identifier: Apache-2.0
// Functions that the compiler's start-up code calls to register fat binaries, kernels and variables.
#include <array>
#include <type_traits>

#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// Registration happens before main(); it uses no context.
void registered(const char* function, const std::function<Result(Session&)>& work) {
  remember(guarded(function, work));
}

struct PendingLaunch {
  Dim grid, block;
  std::size_t shared;
  Stream stream;
};

/// The launches that a thread is configuring: more than one if an argument of a launch makes a launch. It has no
/// destructor, because a program may launch in the destructors of a thread's own variables.
struct PendingLaunches {
  std::array<PendingLaunch, 64> all;
  std::size_t count;
};
thread_local constinit PendingLaunches pending{};
static_assert(std::is_trivially_destructible_v<PendingLaunches>);
}  // namespace

SASSIM_CUDA void** __cudaRegisterFatBinary(const FatbinWrapper* wrapper) {
  RegisteredBinary* binary = nullptr;
  registered(__func__, [&](Session& session) {
    if (!wrapper || wrapper->magic != kFatbinWrapperMagic)
      throw ApiError{kInvalidKernelImage, "this is not a fat binary"};
    binary = session.add_binary(wrapper->data);
    return kSuccess;
  });
  return reinterpret_cast<void**>(binary);
}
SASSIM_CUDA void __cudaRegisterFatBinaryEnd(void**) {}
// When a program ends, its own destructors may launch kernels of a binary that is no longer registered.
SASSIM_CUDA void __cudaUnregisterFatBinary(void**) {}
SASSIM_CUDA char __cudaInitModule(void**) { return 1; }

SASSIM_CUDA void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, void*, void*,
                                        void*, void*, int*) {
  registered(__func__, [&](Session& session) {
    session.add_function(host, {.binary = reinterpret_cast<RegisteredBinary*>(binary), .name = name});
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t bytes, int,
                                   int) {
  registered(__func__, [&](Session& session) {
    session.add_variable(host, {reinterpret_cast<RegisteredBinary*>(binary), name, bytes, nullptr});
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int, std::size_t bytes,
                                          int, int) {
  registered(__func__, [&](Session& session) {
    session.add_variable(host, {reinterpret_cast<RegisteredBinary*>(binary), name, bytes, host});
    session.use_managed(host);
    return kSuccess;
  });
}
SASSIM_CUDA void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {
  unsupported("surface references");
}

/// A value other than 0 makes the caller leave out the launch.
SASSIM_CUDA unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared, Stream stream) {
  if (pending.count == pending.all.size()) return static_cast<unsigned>(remember(kInvalidConfiguration));
  pending.all[pending.count++] = {grid, block, shared, stream};
  return 0;
}
SASSIM_CUDA Result __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared, Stream* stream) {
  if (pending.count == 0) return remember(kMissingConfiguration);
  const PendingLaunch& launch = pending.all[--pending.count];
  *grid = launch.grid;
  *block = launch.block;
  *shared = launch.shared;
  *stream = launch.stream;
  return kSuccess;
}

}  // namespace sassim::cuda
