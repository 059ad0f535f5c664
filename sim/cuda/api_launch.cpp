// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that launch kernels, and those for attributes of kernels and their occupancy.
#include "sim/cuda/attributes.h"
#include "sim/cuda/export.h"
#include "sim/cuda/kernel_call.h"
#include "sim/cuda/occupancy_query.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

Result launch(Session& session, const LaunchRequest& request) {
  NodeContents launch;
  const Result result = prepare(session, request, launch);
  return result == kSuccess ? submit(session, request.stream, launch) : result;
}

OccupancyQuery query(Session& session, const void* handle) {
  const emu::Kernel& kernel = described_kernel(session, handle);
  return {session, *session.find_function(handle), kernel};
}

}  // namespace

SASSIM_CUDA Result cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments, std::size_t shared,
                                    Stream stream) {
  return call(__func__, [&](Session& session) {
    return launch(session, {function, grid, block, arguments, shared, stream});
  });
}
SASSIM_CUDA_PTSZ(cudaLaunchKernel);
SASSIM_CUDA Result cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                               std::size_t shared, Stream stream) {
  return call(__func__, [&](Session& session) {
    return launch(session, {function, grid, block, arguments, shared, stream, true});
  });
}
SASSIM_CUDA_PTSZ(cudaLaunchCooperativeKernel);
SASSIM_CUDA Result cudaLaunchKernelExC(const LaunchConfigEx* config, const void* function, void** arguments) {
  if (!config) return remember(kInvalidValue);
  return call(__func__, [&](Session& session) {
    LaunchRequest request{function, config->grid, config->block, arguments, config->dynamic_shared, config->stream};
    const Result result = read_attributes(config->attributes, config->attribute_count, request);
    return result == kSuccess ? launch(session, request) : result;
  });
}
SASSIM_CUDA_PTSZ(cudaLaunchKernelExC);

SASSIM_CUDA Result cudaFuncGetAttributes(FunctionAttributes* attributes, const void* handle) {
  return call(__func__, [&](Session& session) {
    if (!attributes) return kInvalidValue;
    const emu::Kernel& kernel = described_kernel(session, handle);
    const RegisteredFunction& function = *session.find_function(handle);
    *attributes = {};
    attributes->shared_bytes = kernel.static_shared;
    attributes->local_bytes = kernel.local_bytes;
    attributes->registers = static_cast<int>(kernel.registers);
    attributes->max_threads_per_block = OccupancyQuery(session, function, kernel).most_threads();
    attributes->ptx_version = attributes->binary_version = kernel.sm;
    attributes->max_dynamic_shared_bytes = static_cast<int>(dynamic_shared_limit(function, kernel));
    attributes->preferred_shared_carveout = function.preferred_carveout;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaFuncSetAttribute(const void* handle, int attribute, int value) {
  return call(__func__, [&](Session& session) { return set_function_attribute(session, handle, attribute, value); });
}
SASSIM_CUDA Result cudaFuncSetCacheConfig(const void* handle, int) {
  return call(__func__,
              [&](Session& session) { return session.find_function(handle) ? kSuccess : kInvalidDeviceFunction; });
}
SASSIM_CUDA Result cudaFuncSetSharedMemConfig(const void* handle, int) {
  return call(__func__,
              [&](Session& session) { return session.find_function(handle) ? kSuccess : kInvalidDeviceFunction; });
}

SASSIM_CUDA Result cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* handle, int threads,
                                                                 std::size_t shared) {
  return call(__func__, [&](Session& session) {
    if (!blocks || threads <= 0) return kInvalidValue;
    *blocks = query(session, handle).blocks(threads, shared);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle, int threads,
                                                                          std::size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, shared);
}
SASSIM_CUDA Result cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* handle, int blocks,
                                                             int threads) {
  return call(__func__, [&](Session& session) {
    if (!bytes || blocks <= 0 || threads <= 0) return kInvalidValue;
    const auto available = query(session, handle).dynamic_shared_for(blocks, threads);
    if (!available) return kInvalidValue;
    *bytes = *available;
    return kSuccess;
  });
}

}  // namespace sassim::cuda
