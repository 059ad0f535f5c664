// SPDX-License-Identifier: Apache-2.0
// The runtime's launches, function attributes and occupancy queries.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/config/occupancy.h"
#include "sim/emu/shim/export.h"
#include "sim/emu/shim/session.h"

namespace sassim::shim {
namespace {

constexpr std::size_t kDefaultShared = 48 << 10;  // without opting in
constexpr int kAttributeMaxDynamicShared = 8;     // cudaFuncAttributeMaxDynamicSharedMemorySize
constexpr int kAttributeCarveout = 9;             // cudaFuncAttributePreferredSharedMemoryCarveout

std::size_t dynamic_shared_limit(const RegisteredFunction& function, const emu::Kernel& kernel) {
  if (function.max_dynamic_shared >= 0) return static_cast<std::size_t>(function.max_dynamic_shared);
  return kDefaultShared - std::min<std::size_t>(kDefaultShared, kernel.static_shared);
}

Dim3 dim3_of(Dim d) { return {d.x, d.y, d.z}; }

bool legal_shape(Dim grid, Dim block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return threads >= 1 && threads <= 1024 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && grid.x >= 1 &&
         grid.y >= 1 && grid.z >= 1 && grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535;
}

config::OccupancyResult occupancy_of(const Session& session, const emu::Kernel& kernel, std::uint32_t threads,
                                     std::size_t dynamic_shared) {
  return config::occupancy(session.gpu().sm.occupancy,
                           {threads, kernel.registers, kernel.static_shared + dynamic_shared});
}

// The driver's hint is a percentage of the largest carve-out.
std::uint32_t carveout_bytes(const Session& session, const RegisteredFunction& function) {
  if (function.preferred_carveout < 0) return 0xffffffff;
  const auto& sizes = session.gpu().sm.occupancy.carveouts;
  const std::uint64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return static_cast<std::uint32_t>(std::ceil(static_cast<double>(largest) * function.preferred_carveout / 100));
}

std::vector<std::uint8_t> pack_parameters(const emu::Kernel& kernel, void** arguments) {
  std::vector<std::uint8_t> bytes(kernel.param_bytes);
  for (std::size_t i = 0; i < kernel.param_offsets.size(); ++i)
    std::memcpy(bytes.data() + kernel.param_offsets[i], arguments[i], kernel.param_sizes[i]);
  return bytes;
}

struct LaunchRequest {
  const void* function;
  Dim grid, block;
  void** arguments;
  std::size_t shared;
  Stream stream;
  bool cooperative = false;
};

Result launch(Session& session, const LaunchRequest& request) {
  if (!session.timeline().find(request.stream)) return kInvalidResourceHandle;
  const emu::Kernel& kernel = session.kernel(request.function);
  const RegisteredFunction& function = *session.find_function(request.function);
  if (!legal_shape(request.grid, request.block)) return kInvalidConfiguration;
  if (request.shared > dynamic_shared_limit(function, kernel)) return kInvalidValue;
  const std::uint32_t threads = request.block.x * request.block.y * request.block.z;
  const config::OccupancyResult fit = occupancy_of(session, kernel, threads, request.shared);
  if (fit.blocks == 0 || (kernel.max_threads && threads > kernel.max_threads)) return kLaunchOutOfResources;
  if (request.cooperative && dim3_of(request.grid).count() > std::uint64_t{fit.blocks} * session.gpu().sm.count)
    return kCooperativeLaunchTooLarge;

  emu::LaunchConfig config;
  config.grid = dim3_of(request.grid);
  config.block = dim3_of(request.block);
  config.dynamic_shared = static_cast<std::uint32_t>(request.shared);
  config.params = pack_parameters(kernel, request.arguments);
  config.stack_bytes = session.stack_bytes();
  config.cooperative = request.cooperative;
  config.resident_blocks = fit.blocks * session.gpu().sm.count;
  config.sm_count = session.gpu().sm.count;
  const Picoseconds busy = session.launcher().launch(kernel, config, carveout_bytes(session, function));
  session.timeline().run(request.stream, busy);
  return kSuccess;
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
  if (config->attribute_count) return unsupported("cudaLaunchKernelExC with attributes (clusters)");
  return call(__func__, [&](Session& session) {
    return launch(session, {function, config->grid, config->block, arguments, config->dynamic_shared, config->stream});
  });
}
SASSIM_CUDA_PTSZ(cudaLaunchKernelExC);

SASSIM_CUDA Result cudaFuncGetAttributes(FunctionAttributes* attributes, const void* handle) {
  return call(__func__, [&](Session& session) {
    if (!attributes) return kInvalidValue;
    const emu::Kernel& kernel = session.kernel(handle);
    const RegisteredFunction& function = *session.find_function(handle);
    *attributes = {};
    attributes->shared_bytes = kernel.static_shared;
    attributes->local_bytes = kernel.local_bytes;
    attributes->registers = static_cast<int>(kernel.registers);
    const std::uint32_t by_registers =
        kernel.registers ? session.gpu().sm.occupancy.registers / (kernel.registers * 32) * 32 : 1024;
    attributes->max_threads_per_block =
        static_cast<int>(kernel.max_threads ? kernel.max_threads : std::min(1024u, by_registers));
    attributes->ptx_version = attributes->binary_version = kernel.sm;
    attributes->max_dynamic_shared_bytes = static_cast<int>(dynamic_shared_limit(function, kernel));
    attributes->preferred_shared_carveout = function.preferred_carveout;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaFuncSetAttribute(const void* handle, int attribute, int value) {
  return call(__func__, [&](Session& session) {
    const emu::Kernel& kernel = session.kernel(handle);
    RegisteredFunction& function = *session.find_function(handle);
    if (attribute == kAttributeMaxDynamicShared) {
      if (value < 0 ||
          kernel.static_shared + static_cast<std::uint64_t>(value) > session.gpu().sm.occupancy.shared_per_block)
        return kInvalidValue;
      function.max_dynamic_shared = value;
    } else if (attribute == kAttributeCarveout) {
      if (value < -1 || value > 100) return kInvalidValue;
      function.preferred_carveout = value;
    } else {
      return kInvalidValue;
    }
    return kSuccess;
  });
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
    *blocks = static_cast<int>(
        occupancy_of(session, session.kernel(handle), static_cast<std::uint32_t>(threads), shared).blocks);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle, int threads,
                                                                          std::size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, shared);
}
SASSIM_CUDA Result cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* handle, int blocks, int) {
  return call(__func__, [&](Session& session) {
    if (!bytes || blocks <= 0) return kInvalidValue;
    const config::Occupancy& limits = session.gpu().sm.occupancy;
    const emu::Kernel& kernel = session.kernel(handle);
    const std::uint64_t pool = limits.carveouts.empty()
                                   ? limits.shared_per_block
                                   : *std::max_element(limits.carveouts.begin(), limits.carveouts.end());
    const std::uint64_t share = pool / static_cast<std::uint64_t>(blocks) / limits.shared_unit * limits.shared_unit;
    const std::uint64_t taken = kernel.static_shared + limits.shared_reserved;
    *bytes = share > taken ? std::min<std::uint64_t>(share - taken, limits.shared_per_block - kernel.static_shared) : 0;
    return kSuccess;
  });
}

}  // namespace sassim::shim
