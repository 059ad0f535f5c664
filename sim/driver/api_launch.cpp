// SPDX-License-Identifier: Apache-2.0
// The driver's functions that launch kernels, and those for attributes of kernels and their occupancy.
#include <algorithm>

#include "sim/cuda/attributes.h"
#include "sim/cuda/export.h"
#include "sim/cuda/occupancy_query.h"
#include "sim/cuda/session.h"
#include "sim/driver/call.h"
#include "sim/driver/launches.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {
namespace {

Result launch(Session& session, LaunchRequest request, void** pointers, void** extra) {
  const auto* function = static_cast<const Function*>(request.function);
  if (const Result result = check_function(function); result != kSuccess) return result;
  if (const Result result = check_stream(session, request.stream); result != kSuccess) return result;
  Arguments arguments;
  if (const Result result = arguments.take(session.kernel(function), pointers, extra); result != kSuccess)
    return result;
  request.arguments = arguments.get();
  NodeContents work;
  const Result result = prepare(session, request, work);
  return result == kSuccess ? submit(session, request.stream, work) : result;
}

Result with_function(const char* name, const Function* function, const std::function<Result(Session&)>& work) {
  return in_context(name, [&](Session& session) {
    const Result result = check_function(function);
    return result == kSuccess ? work(session) : result;
  });
}

OccupancyQuery query(Session& session, const Function* function) {
  const emu::Kernel& kernel = described_kernel(session, function);
  return {session, *session.find_function(function), kernel};
}

}  // namespace

SASSIM_CUDA Result cuLaunchKernel(const Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, Stream stream,
                                  void** arguments, void** extra) {
  return in_context(__func__, [&](Session& session) {
    return launch(session,
                  {.function = function,
                   .grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .shared = shared,
                   .stream = stream},
                  arguments, extra);
  });
}
SASSIM_CU_PTSZ(cuLaunchKernel);
SASSIM_CUDA Result cuLaunchCooperativeKernel(const Function* function, unsigned grid_x, unsigned grid_y,
                                             unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                             unsigned shared, Stream stream, void** arguments) {
  return in_context(__func__, [&](Session& session) {
    return launch(session,
                  {.function = function,
                   .grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .shared = shared,
                   .stream = stream,
                   .cooperative = true},
                  arguments, nullptr);
  });
}
SASSIM_CU_PTSZ(cuLaunchCooperativeKernel);
SASSIM_CUDA Result cuLaunchKernelEx(const DriverLaunch* config, const Function* function, void** arguments,
                                    void** extra) {
  return in_context(__func__, [&](Session& session) {
    if (!config) return kInvalidValue;
    LaunchRequest request{.function = function,
                          .grid = config->grid,
                          .block = config->block,
                          .shared = config->shared,
                          .stream = config->stream};
    const Result result = read_attributes(config->attributes, config->attribute_count, request);
    return result == kSuccess ? launch(session, request, arguments, extra) : result;
  });
}
SASSIM_CU_PTSZ(cuLaunchKernelEx);

SASSIM_CUDA Result cuFuncGetAttribute(int* value, int attribute, const Function* function) {
  return with_function(__func__, function, [&](Session& session) {
    return value ? function_attribute(session, function, attribute, *value) : kInvalidValue;
  });
}
SASSIM_CUDA Result cuFuncSetAttribute(const Function* function, int attribute, int value) {
  return with_function(__func__, function,
                       [&](Session& session) { return set_function_attribute(session, function, attribute, value); });
}
SASSIM_CUDA Result cuFuncSetCacheConfig(const Function* function, int config) {
  return with_function(__func__, function,
                       [&](Session&) { return config >= 0 && config <= 3 ? kSuccess : kInvalidValue; });
}
SASSIM_CUDA Result cuFuncSetSharedMemConfig(const Function* function, int config) {
  return with_function(__func__, function,
                       [&](Session&) { return config >= 0 && config <= 2 ? kSuccess : kInvalidValue; });
}
SASSIM_CUDA Result cuFuncGetModule(Module** module, const Function* function) {
  return with_function(__func__, function, [&](Session&) {
    if (!module) return kInvalidValue;
    *module = function->module;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuFuncGetName(const char** name, const Function* function) {
  return with_function(__func__, function, [&](Session&) {
    if (!name) return kInvalidValue;
    *name = function->name.c_str();
    return kSuccess;
  });
}
SASSIM_CUDA Result cuFuncGetParamInfo(const Function* function, std::size_t index, std::size_t* offset,
                                      std::size_t* bytes) {
  return with_function(__func__, function, [&](Session& session) {
    const emu::Kernel& kernel = described_kernel(session, function);
    if (!offset || index >= kernel.param_offsets.size()) return kInvalidValue;
    *offset = kernel.param_offsets[index];
    if (bytes) *bytes = kernel.param_sizes[index];
    return kSuccess;
  });
}

SASSIM_CUDA Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const Function* function,
                                                                        int threads, std::size_t shared,
                                                                        unsigned flags) {
  return with_function(__func__, function, [&](Session& session) {
    if (!blocks || threads <= 0 || flags > 1) return kInvalidValue;
    *blocks = query(session, function).blocks(threads, shared);
    return kSuccess;
  });
}
SASSIM_CUDA Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const Function* function, int threads,
                                                               std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
SASSIM_CUDA Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, const Function* function,
                                                             std::size_t (*shared_of)(int), std::size_t shared,
                                                             int limit, unsigned flags) {
  return with_function(__func__, function, [&](Session& session) {
    if (!grid || !block || limit < 0 || flags > 1) return kInvalidValue;
    const OccupancyQuery::Shape best = query(session, function).best_shape(shared_of, shared, limit);
    *grid = best.grid;
    *block = best.block;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block, const Function* function,
                                                    std::size_t (*shared_of)(int), std::size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}
SASSIM_CUDA Result cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const Function* function, int blocks,
                                                           int threads) {
  return with_function(__func__, function, [&](Session& session) {
    if (!bytes || blocks <= 0 || threads <= 0) return kInvalidValue;
    const auto available = query(session, function).dynamic_shared_for(blocks, threads);
    if (!available) return kInvalidValue;
    *bytes = *available;
    return kSuccess;
  });
}

}  // namespace sassim::cuda
