// SPDX-License-Identifier: Apache-2.0
// Where the binary interface of CUDA 12's runtime differs from that of CUDA 11 (abi.h). tests/stage/cuda12 compares it
// with the toolkit's headers.
#pragma once

#include <cstdint>

#include "sim/cuda/abi.h"
#include "sim/cuda/export.h"
#include "sim/cuda/graph_memory.h"

/// The symbol of a function that CUDA 12 has and CUDA 11 lacks, or has with another ABI. The library libcudart.so.12
/// (runtimes) gives it the name that programs know.
#define SASSIM_12(name) sassim12_##name
#define SASSIM_12_PTSZ(name)                       \
  extern "C" __attribute__((visibility("default"), \
                            alias("sassim12_" #name))) decltype(sassim12_##name) sassim12_##name##_ptsz

namespace sassim::cuda {

struct Graph;
struct GraphExec;
struct GraphNode;

namespace v12 {

/// cudaDeviceProp
struct DeviceProperties {
  cuda::DeviceProperties common;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools, gpu_direct;
  unsigned gpu_direct_flush;
  int gpu_direct_order;
  unsigned pool_handle_types;
  int deferred_mapping, ipc_events, cluster_launch, unified_functions, reserved[63];
};

/// cudaFuncAttributes. Its first new field lies in what is padding at the end of CUDA 11's struct.
struct alignas(cuda::FunctionAttributes) FunctionAttributes {
  std::byte common[offsetof(cuda::FunctionAttributes, preferred_shared_carveout) + sizeof(int)];
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, cluster_not_portable;
  int reserved[16];
};

/// cudaMemLocation
struct Location {
  int type, id;
};

/// cudaGraphEdgeData; all zeros: the later node waits for all of the earlier one.
struct EdgeData {
  std::uint8_t from_port, to_port, type, reserved[5];
};

/// cudaGraphExecUpdateResultInfo
struct UpdateInfo {
  int outcome;
  GraphNode *node, *from_node;
};

/// cudaGraphInstantiateParams
struct InstantiateParams {
  unsigned long long flags;
  Stream upload;
  GraphNode* error_node;
  int outcome;
};

/// cudaMemcpyNodeParams
struct CopyNodeParams {
  int flags, reserved[3];
  Copy3D copy;
};

/// cudaConditionalNodeParams
struct ConditionalNodeParams {
  unsigned long long handle;
  int type;
  unsigned count;
  Graph** graphs;  ///< of the node; the call sets it
};

/// cudaGraphNodeParams
struct NodeParams {
  int type, reserved[3];
  union {
    long long bytes[29];
    KernelNodeParams kernel;
    CopyNodeParams copy;
    FillNodeParams fill;
    HostNodeParams host;
    Graph* graph;
    Event event;
    AllocationNodeParams allocation;
    void* freed;
    ConditionalNodeParams conditional;
  } of;
  long long reserved_too;
};

/// cudaGraphNodeType
inline constexpr NodeType kConditionalNode{13};

}  // namespace v12

/// cudaGraphAddNode with a conditional node.
Result add_conditional(GraphNode**, Graph*, GraphNode* const* after, std::size_t count, v12::ConditionalNodeParams&);

}  // namespace sassim::cuda
