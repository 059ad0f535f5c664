// SPDX-License-Identifier: Apache-2.0
// The device, version and memory functions of libcudart.so.13 that CUDA 12 lacks or has with another meaning.
#include <algorithm>

#include "sim/cuda/abi13.h"
#include "sim/cuda/attributes.h"
#include "sim/cuda/device_properties.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

/// cudaMemLocationTypeDevice and cudaMemAllocationTypePinned
constexpr int kOnDevice = 1, kPinned = 1;

/// The fields up to the sizes of textures.
void copy_first_fields(const DeviceProperties& all, v13::DeviceProperties& of) {
  const auto copy = [](const auto& from, auto& to) { std::copy(std::begin(from), std::end(from), std::begin(to)); };
  copy(all.name, of.name);
  copy(all.uuid, of.uuid);
  copy(all.luid, of.luid);
  copy(all.max_threads_dim, of.max_threads_dim);
  copy(all.max_grid_size, of.max_grid_size);
  of.luid_device_node_mask = all.luid_device_node_mask;
  of.total_global_memory = all.total_global_memory;
  of.shared_per_block = all.shared_per_block;
  of.registers_per_block = all.registers_per_block;
  of.warp_size = all.warp_size;
  of.memory_pitch = all.memory_pitch;
  of.max_threads_per_block = all.max_threads_per_block;
  of.total_constant_memory = all.total_constant_memory;
  of.major = all.major;
  of.minor = all.minor;
  of.texture_alignment = all.texture_alignment;
  of.texture_pitch_alignment = all.texture_pitch_alignment;
  of.multiprocessors = all.multiprocessors;
  of.integrated = all.integrated;
  of.can_map_host_memory = all.can_map_host_memory;
  constexpr int kLinear = 2;  // of the sizes, CUDA 13 left out maxTexture1DLinear
  std::copy_n(all.textures_and_surfaces, kLinear, of.textures_and_surfaces);
  std::copy(all.textures_and_surfaces + kLinear + 1, std::end(all.textures_and_surfaces),
            of.textures_and_surfaces + kLinear);
}

v13::DeviceProperties properties_of(const Device& device) {
  const DeviceProperties all = device_properties(device);
  v13::DeviceProperties of{};
  copy_first_fields(all, of);
  of.surface_alignment = all.surface_alignment;
  of.concurrent_kernels = all.concurrent_kernels;
  of.ecc = all.ecc;
  of.pci_bus = all.pci_bus;
  of.pci_device = all.pci_device;
  of.pci_domain = all.pci_domain;
  of.tcc_driver = all.tcc_driver;
  of.async_engines = all.async_engines;
  of.unified_addressing = all.unified_addressing;
  of.memory_bus_bits = all.memory_bus_bits;
  of.l2_bytes = all.l2_bytes;
  of.persisting_l2_bytes = all.persisting_l2_bytes;
  of.max_threads_per_multiprocessor = all.max_threads_per_multiprocessor;
  of.stream_priorities = all.stream_priorities;
  of.global_l1_cache = all.global_l1_cache;
  of.local_l1_cache = all.local_l1_cache;
  of.shared_per_multiprocessor = all.shared_per_multiprocessor;
  of.registers_per_multiprocessor = all.registers_per_multiprocessor;
  of.managed_memory = all.managed_memory;
  of.multi_gpu_board = all.multi_gpu_board;
  of.multi_gpu_group = all.multi_gpu_group;
  of.host_native_atomics = all.host_native_atomics;
  of.pageable_access = all.pageable_access;
  of.concurrent_managed = all.concurrent_managed;
  of.compute_preemption = all.compute_preemption;
  of.host_pointer_registered = all.host_pointer_registered;
  of.cooperative_launch = all.cooperative_launch;
  of.shared_per_block_optin = all.shared_per_block_optin;
  of.pageable_uses_host_tables = all.pageable_uses_host_tables;
  of.direct_managed_from_host = all.direct_managed_from_host;
  of.max_blocks_per_multiprocessor = all.max_blocks_per_multiprocessor;
  of.access_policy_window = all.access_policy_window;
  of.reserved_shared_per_block = all.reserved_shared_per_block;
  of.host_register = of.host_register_read_only = of.memory_pools = 1;
  of.host_numa_id = -1;
  return of;
}

}  // namespace

struct MemoryPool;
extern "C" {
Result cudaPointerGetAttributes(PointerAttributes*, const void*);
Result cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int direction, Stream);
Result cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device);
Result cudaDeviceGetMemPool(MemoryPool** pool, int device);
Result cudaDeviceSetMemPool(int device, MemoryPool* pool);
}

SASSIM_CUDA Result SASSIM_13(cudaDriverGetVersion)(int* version) {
  constexpr int kVersion = 13000;
  if (!version) return remember(kInvalidValue);
  *version = kVersion;
  return kSuccess;
}
SASSIM_CUDA Result SASSIM_13(cudaRuntimeGetVersion)(int* version) { return SASSIM_13(cudaDriverGetVersion)(version); }

SASSIM_CUDA Result SASSIM_13(cudaGetDeviceProperties)(v13::DeviceProperties* properties, int device) {
  const auto get = [&](Session& session) {
    if (!properties) return kInvalidValue;
    if (!session.has_device(device)) return kInvalidDevice;
    *properties = properties_of(session.device(device));
    return kSuccess;
  };
  return call("cudaGetDeviceProperties", get, AfterFault::works);
}
SASSIM_CUDA Result SASSIM_13(cudaStreamGetDevice)(Stream stream, int* device) {
  return call("cudaStreamGetDevice", [&](Session& session) {
    if (!session.find(stream)) return kInvalidResourceHandle;
    if (!device) return kInvalidValue;
    *device = static_cast<int>(session.device().ordinal);
    return kSuccess;
  });
}
SASSIM_13_PTSZ(cudaStreamGetDevice);
SASSIM_CUDA Result SASSIM_13(cudaKernelSetAttributeForDevice)(const void* kernel, int attribute, int value,
                                                              int device) {
  return call("cudaKernelSetAttributeForDevice", [&](Session& session) {
    return session.has_device(device) ? set_function_attribute(session, kernel, attribute, value) : kInvalidDevice;
  });
}
SASSIM_CUDA Result SASSIM_13(cudaPointerGetAttributes)(v13::PointerAttributes* attributes, const void* pointer) {
  const Result result = cudaPointerGetAttributes(attributes ? &attributes->common : nullptr, pointer);
  if (result == kSuccess) std::fill(std::begin(attributes->reserved), std::end(attributes->reserved), 0);
  return result;
}

/// Copies of a batch may run in any order. Their attributes say when the source may change and where memory is best.
SASSIM_CUDA Result SASSIM_13(cudaMemcpyBatchAsync)(void* const* to, const void* const* from, const std::size_t* bytes,
                                                   std::size_t count, const void* attributes,
                                                   const std::size_t* attribute_starts, std::size_t attribute_count,
                                                   Stream stream) {
  constexpr int kByAddress = 4;  // cudaMemcpyDefault
  if (!to || !from || !bytes || count == 0 || !attributes || !attribute_starts || attribute_count == 0 || !stream)
    return remember(kInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const Result result = cudaMemcpyAsync(to[i], from[i], bytes[i], kByAddress, stream); result != kSuccess)
      return result;
  return kSuccess;
}
SASSIM_13_PTSZ(cudaMemcpyBatchAsync);
SASSIM_CUDA Result SASSIM_13(cudaMemPrefetchBatchAsync)(void**, std::size_t*, std::size_t, v12::Location*, std::size_t*,
                                                        std::size_t, unsigned long long, Stream) {
  return call("cudaMemPrefetchBatchAsync", [](Session&) { return kSuccess; });
}
SASSIM_13_PTSZ(cudaMemPrefetchBatchAsync);
/// What memory holds after it has been discarded is undefined; here it stays.
SASSIM_CUDA Result SASSIM_13(cudaMemDiscardBatchAsync)(void**, std::size_t*, std::size_t, unsigned long long, Stream) {
  return call("cudaMemDiscardBatchAsync", [](Session&) { return kSuccess; });
}
SASSIM_13_PTSZ(cudaMemDiscardBatchAsync);
SASSIM_CUDA Result SASSIM_13(cudaMemDiscardAndPrefetchBatchAsync)(void**, std::size_t*, std::size_t, v12::Location*,
                                                                  std::size_t*, std::size_t, unsigned long long,
                                                                  Stream) {
  return call("cudaMemDiscardAndPrefetchBatchAsync", [](Session&) { return kSuccess; });
}
SASSIM_13_PTSZ(cudaMemDiscardAndPrefetchBatchAsync);

SASSIM_CUDA Result SASSIM_13(cudaMemGetDefaultMemPool)(MemoryPool** pool, const v12::Location* place, int kind) {
  if (!place || kind != kPinned) return remember(kInvalidValue);
  if (place->type != kOnDevice) return unsupported("cudaMemGetDefaultMemPool");  // of the host's memory
  return cudaDeviceGetDefaultMemPool(pool, place->id);
}
SASSIM_CUDA Result SASSIM_13(cudaMemGetMemPool)(MemoryPool** pool, const v12::Location* place, int kind) {
  if (!place || kind != kPinned) return remember(kInvalidValue);
  if (place->type != kOnDevice) return unsupported("cudaMemGetMemPool");  // of the host's memory
  return cudaDeviceGetMemPool(pool, place->id);
}
SASSIM_CUDA Result SASSIM_13(cudaMemSetMemPool)(const v12::Location* place, int kind, MemoryPool* pool) {
  if (!place || kind != kPinned) return remember(kInvalidValue);
  if (place->type != kOnDevice) return unsupported("cudaMemSetMemPool");  // of the host's memory
  return cudaDeviceSetMemPool(place->id, pool);
}

SASSIM_13_LACKS(cudaMemcpy3DBatchAsync)
SASSIM_13_LACKS(cudaMemcpy3DBatchAsync_ptsz)
SASSIM_13_LACKS(cudaDeviceGetHostAtomicCapabilities)
SASSIM_13_LACKS(cudaDeviceGetP2PAtomicCapabilities)
SASSIM_13_LACKS(cudaLogsCurrent)
SASSIM_13_LACKS(cudaLogsDumpToFile)
SASSIM_13_LACKS(cudaLogsDumpToMemory)
SASSIM_13_LACKS(cudaLogsRegisterCallback)
SASSIM_13_LACKS(cudaLogsUnregisterCallback)
SASSIM_13_LACKS(__cudaGetProcAddress)

}  // namespace sassim::cuda
