// SPDX-License-Identifier: Apache-2.0
// Where the binary interface of CUDA 13's runtime differs from that of CUDA 12 (abi12.h). tests/stage/cuda13 compares
// it with the toolkit's headers.
#pragma once

#include "sim/cuda/abi12.h"

/// The symbol of a function that CUDA 13 has and CUDA 12 lacks, or has with another ABI. The library libcudart.so.13
/// (runtimes) gives it the name that programs know.
#define SASSIM_13(name) sassim13_##name
#define SASSIM_13_PTSZ(name)                       \
  extern "C" __attribute__((visibility("default"), \
                            alias("sassim13_" #name))) decltype(sassim13_##name) sassim13_##name##_ptsz
/// A function that is not there.
#define SASSIM_13_LACKS(name) \
  SASSIM_CUDA Result sassim13_##name() { return unsupported(#name); }

namespace sassim::cuda::v13 {

/// cudaDeviceProp: CUDA 12's without what cudaDeviceGetAttribute tells.
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  std::size_t total_constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host_memory;
  int textures_and_surfaces[39];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc_driver, async_engines, unified_addressing,
      memory_bus_bits, l2_bytes, persisting_l2_bytes, max_threads_per_multiprocessor, stream_priorities,
      global_l1_cache, local_l1_cache;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_group, host_native_atomics,
      pageable_access, concurrent_managed, compute_preemption, host_pointer_registered, cooperative_launch;
  std::size_t shared_per_block_optin;
  int pageable_uses_host_tables, direct_managed_from_host, max_blocks_per_multiprocessor, access_policy_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools, gpu_direct;
  unsigned gpu_direct_flush;
  int gpu_direct_order;
  unsigned pool_handle_types;
  int deferred_mapping, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps, host_numa_id;
  unsigned pci_device_id, pci_subsystem_id;
  int host_numa_multinode_ipc, reserved[56];
};

/// cudaPointerAttributes
struct PointerAttributes {
  cuda::PointerAttributes common;
  long reserved[8];
};

}  // namespace sassim::cuda::v13
