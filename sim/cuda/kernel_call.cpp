// SPDX-License-Identifier: Apache-2.0
// Checks grid, block, shared memory and cluster of a kernel launch, as CUDA does, and makes the work that runs it.
#include "sim/cuda/kernel_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arch/network/topology.h"

namespace sassim::cuda {
namespace {

Dim3 dim3_of(Dim d) { return {d.x, d.y, d.z}; }

// The program's preference is a percentage of the largest carve-out.
std::uint32_t carveout_bytes(const Session& session, const RegisteredFunction& function) {
  if (function.preferred_carveout < 0) return kNoCarveout;
  const auto& sizes = session.gpu().sm.occupancy.carveouts;
  const std::uint64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  return static_cast<std::uint32_t>(std::ceil(static_cast<double>(largest) * function.preferred_carveout / 100));
}

std::shared_ptr<KernelCall> copy_call(const emu::Kernel& kernel, const LaunchRequest& request) {
  auto call = std::make_shared<KernelCall>();
  call->bytes.resize(kernel.param_bytes);
  for (std::size_t i = 0; i < kernel.param_offsets.size(); ++i) {
    void* const place = call->bytes.data() + kernel.param_offsets[i];
    std::memcpy(place, request.arguments[i], kernel.param_sizes[i]);
    call->pointers.push_back(place);
  }
  call->params = {.function = const_cast<void*>(request.function),
                  .grid = request.grid,
                  .block = request.block,
                  .dynamic_shared = static_cast<unsigned>(request.shared),
                  .arguments = call->pointers.data(),
                  .extra = nullptr};
  return call;
}

/// The cluster that the launch has by its attribute, by the code or by the function's attributes; no blocks: none.
Dim3 cluster_of(const LaunchRequest& request, const RegisteredFunction& function, const emu::Kernel& kernel) {
  if (kernel.cluster.count() != 0) return kernel.cluster;
  return dim3_of(request.cluster.x != 0 ? request.cluster : function.cluster);
}

/// An error for a cluster that the launch cannot have.
Result check_cluster(Session& session, const LaunchRequest& request, const RegisteredFunction& function,
                     const emu::Kernel& kernel, Dim3 cluster) {
  constexpr std::uint64_t kPortable = 8, kMost = 16;
  if (cluster.count() <= 1) return kSuccess;
  if (!kernel.architecture().clusters) return unsupported("a launch with clusters of several blocks");
  if (!session.launcher().only_executes())
    return unsupported("to time or record a launch with clusters of several blocks (--functional executes it)");
  const bool differs = request.cluster.x != 0 && dim3_of(request.cluster) != cluster;
  const bool divides =
      request.grid.x % cluster.x == 0 && request.grid.y % cluster.y == 0 && request.grid.z % cluster.z == 0;
  if (differs || !divides || cluster.count() > (function.non_portable_cluster ? kMost : kPortable))
    return kInvalidClusterSize;
  return kSuccess;
}

}  // namespace

bool legal_shape(Dim grid, Dim block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return threads >= 1 && threads <= 1024 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && grid.x >= 1 &&
         grid.y >= 1 && grid.z >= 1 && grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> texture_words(const Session& session,
                                                                   const RegisteredBinary* binary,
                                                                   const emu::Kernel& kernel) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
  for (const auto& [offset, name] : kernel.texture_slots)
    words.emplace_back(offset, static_cast<std::uint32_t>(session.texture_handle(binary, name)));
  return words;
}

std::size_t dynamic_shared_limit(const RegisteredFunction& function, const emu::Kernel& kernel) {
  if (function.max_dynamic_shared >= 0) return static_cast<std::size_t>(function.max_dynamic_shared);
  return kDefaultShared - std::min<std::size_t>(kDefaultShared, kernel.static_shared);
}

config::OccupancyResult occupancy_of(const Session& session, const emu::Kernel& kernel, std::uint32_t threads,
                                     std::size_t dynamic_shared) {
  return config::occupancy(session.gpu().sm.occupancy,
                           {threads, kernel.registers, kernel.static_shared + dynamic_shared});
}

Result prepare(Session& session, const LaunchRequest& request, NodeContents& launch) {
  if (!session.timeline().find(request.stream)) return kInvalidResourceHandle;
  const emu::Kernel& kernel = session.kernel(request.function);
  const RegisteredFunction& function = *session.find_function(request.function);
  if (!request.arguments && !kernel.param_offsets.empty()) return kInvalidValue;
  if (!legal_shape(request.grid, request.block)) return kInvalidConfiguration;
  if (request.shared > dynamic_shared_limit(function, kernel)) return kInvalidValue;
  const std::uint32_t threads = request.block.x * request.block.y * request.block.z;
  const config::OccupancyResult fit = occupancy_of(session, kernel, threads, request.shared);
  if (fit.blocks == 0 || (kernel.max_threads && threads > kernel.max_threads)) return kLaunchOutOfResources;
  const std::uint32_t resident = fit.blocks * session.gpu().sm.count;
  if (request.cooperative && dim3_of(request.grid).count() > resident) return kCooperativeLaunchTooLarge;

  const Dim3 cluster = cluster_of(request, function, kernel);
  if (const Result result = check_cluster(session, request, function, kernel, cluster); result != kSuccess)
    return result;
  const std::shared_ptr<KernelCall> call = copy_call(kernel, request);
  launch.type = kKernelNode;
  launch.call = call;
  launch.work = [&session, &kernel, loaded = session.loaded_module(*function.binary), call, resident, cluster,
                 words = texture_words(session, function.binary, kernel), binary = function.binary,
                 cooperative = request.cooperative, device = session.device().ordinal,
                 carveout = carveout_bytes(session, function)](Stream stream) {
    const std::shared_ptr<const emu::Module> module = loaded.lock();
    if (!module) return kInvalidResourceHandle;  // a graph's kernel, whose module was unloaded
    if (session.device().ordinal != device) return unsupported("a graph with kernels of several devices");
    emu::LaunchConfig config;
    config.grid = dim3_of(call->params.grid);
    config.block = dim3_of(call->params.block);
    config.dynamic_shared = call->params.dynamic_shared;
    config.params = call->bytes;
    config.textures = &session.textures();
    config.conditions = &session.graphs().conditions;
    config.texture_words = words;
    config.stack_bytes = static_cast<std::uint32_t>(session.device_limit(kStackLimit));
    config.heap_bytes = session.device_limit(kHeapLimit);
    config.cooperative = cooperative;
    if (kernel.architecture().clusters && session.launcher().only_executes()) config.cluster = cluster;
    config.resident_blocks = resident;
    config.sm_count = session.gpu().sm.count;
    config.virtual_config = session.gpu().sm.virtual_config;
    run_with_children(session, stream, kernel, {*module, binary, config, carveout, 0});
    return kSuccess;
  };
  return kSuccess;
}

}  // namespace sassim::cuda
