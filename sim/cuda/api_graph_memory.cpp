// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for nodes of graphs that allocate and free memory.
#include <algorithm>

#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"
#include "sim/cuda/graph_memory.h"

namespace sassim::cuda {
namespace {

Result with_attribute(const char* name, int device, int attribute, const void* value,
                      const std::function<Result(std::uint64_t&)>& work) {
  return call(name, [&](Session& session) {
    if (!session.has_device(device)) return kInvalidDevice;
    if (!value || attribute < GraphMemories::kUsed || attribute > GraphMemories::kReservedHigh) return kInvalidValue;
    return work(GraphMemories::of(session).attribute(attribute));
  });
}

}  // namespace

SASSIM_CUDA Result cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                            AllocationNodeParams* params) {
  return add_node(__func__, node, graph, after, count, [&](Session& session, NodeContents& contents) {
    if (!params || params->bytes == 0 || !on_a_device(session, params->pool)) return kInvalidValue;
    if (params->pool.handles != 0) return unsupported("cudaGraphAddMemAllocNode for sharing with other processes");
    return allocation_node(session, *params, contents);
  });
}
SASSIM_CUDA Result cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                           void* pointer) {
  return add_node(__func__, node, graph, after, count, [&](Session& session, NodeContents& contents) {
    if (!pointer || !session.memory_with(pointer).find(reinterpret_cast<std::uintptr_t>(pointer))) return kInvalidValue;
    contents = free_node(session, pointer);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphMemAllocNodeGetParams(GraphNode* node, AllocationNodeParams* params) {
  return with_node(__func__, node, [&](Session&) {
    const auto* work = node->contents.work.target<AllocationWork>();
    if (!params || !work) return kInvalidValue;
    *params = work->params;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphMemFreeNodeGetParams(GraphNode* node, void* pointer) {
  return with_node(__func__, node, [&](Session&) {
    const auto* work = node->contents.work.target<FreeWork>();
    if (!pointer || !work) return kInvalidValue;
    *static_cast<void**>(pointer) = work->pointer;
    return kSuccess;
  });
}

SASSIM_CUDA Result cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return with_attribute(__func__, device, attribute, value, [&](const std::uint64_t& bytes) {
    *static_cast<std::uint64_t*>(value) = bytes;
    return kSuccess;
  });
}
/// High marks can be set back, to zero.
SASSIM_CUDA Result cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return with_attribute(__func__, device, attribute, value, [&](std::uint64_t& bytes) {
    const bool high = attribute == GraphMemories::kUsedHigh || attribute == GraphMemories::kReservedHigh;
    if (!high || *static_cast<std::uint64_t*>(value) != 0) return kInvalidValue;
    bytes = 0;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaDeviceGraphMemTrim(int device) {
  return call(__func__, [&](Session& session) {
    if (!session.has_device(device)) return kInvalidDevice;
    GraphMemories& memories = GraphMemories::of(session);
    memories.attribute(GraphMemories::kReserved) = memories.attribute(GraphMemories::kUsed);
    return kSuccess;
  });
}

}  // namespace sassim::cuda
