// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart.so.12 for graphs: nodes of any type by one function, data of edges, changed meanings of names.
#include <algorithm>

#include "sim/cuda/abi12.h"
#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/graph_memory.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

using v12::EdgeData, v12::NodeParams;

/// Edges with data are programmatic dependent launches: the later kernel starts before the earlier one has ended.
bool plain(const EdgeData* edges, std::size_t count) {
  return edges == nullptr || std::all_of(edges, edges + count, [](const EdgeData& edge) {
           return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
         });
}
void clear(EdgeData* edges, const std::size_t* count) {
  if (edges && count) std::fill_n(edges, *count, EdgeData{});
}

}  // namespace

extern "C" {
Result cudaGraphInstantiateWithFlags(GraphExec**, Graph*, unsigned long long flags);
Result cudaGraphExecUpdate(GraphExec*, Graph*, GraphNode** error_node, int* outcome);
Result cudaGraphAddEmptyNode(GraphNode**, Graph*, Nodes, std::size_t);
Result cudaGraphAddKernelNode(GraphNode**, Graph*, Nodes, std::size_t, const KernelNodeParams*);
Result cudaGraphAddMemcpyNode(GraphNode**, Graph*, Nodes, std::size_t, const Copy3D*);
Result cudaGraphAddMemsetNode(GraphNode**, Graph*, Nodes, std::size_t, const FillNodeParams*);
Result cudaGraphAddHostNode(GraphNode**, Graph*, Nodes, std::size_t, const HostNodeParams*);
Result cudaGraphAddChildGraphNode(GraphNode**, Graph*, Nodes, std::size_t, Graph*);
Result cudaGraphAddDependencies(Graph*, Nodes, Nodes, std::size_t);
Result cudaGraphGetEdges(Graph*, GraphNode**, GraphNode**, std::size_t*);
Result cudaGraphNodeGetDependencies(GraphNode*, GraphNode**, std::size_t*);
Result cudaGraphKernelNodeSetParams(GraphNode*, const KernelNodeParams*);
Result cudaGraphExecKernelNodeSetParams(GraphExec*, GraphNode*, const KernelNodeParams*);
Result cudaGraphExecMemcpyNodeSetParams(GraphExec*, GraphNode*, const Copy3D*);
Result cudaGraphExecMemsetNodeSetParams(GraphExec*, GraphNode*, const FillNodeParams*);
Result cudaGraphExecHostNodeSetParams(GraphExec*, GraphNode*, const HostNodeParams*);
Result cudaGraphAddEventWaitNode(GraphNode**, Graph*, Nodes, std::size_t, Event);
Result cudaGraphAddEventRecordNode(GraphNode**, Graph*, Nodes, std::size_t, Event);
Result cudaGraphExecEventWaitNodeSetEvent(GraphExec*, GraphNode*, Event);
Result cudaGraphExecEventRecordNodeSetEvent(GraphExec*, GraphNode*, Event);
Result cudaGraphAddMemAllocNode(GraphNode**, Graph*, Nodes, std::size_t, AllocationNodeParams*);
Result cudaGraphAddMemFreeNode(GraphNode**, Graph*, Nodes, std::size_t, void*);
}

SASSIM_CUDA Result SASSIM_12(cudaGraphInstantiate)(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
SASSIM_CUDA Result SASSIM_12(cudaGraphInstantiateWithParams)(GraphExec** exec, Graph* graph,
                                                             v12::InstantiateParams* params) {
  constexpr int kDone = 0, kInvalidStructure = 2;
  if (!params) return remember(kInvalidValue);
  const Result result = cudaGraphInstantiateWithFlags(exec, graph, params->flags);
  params->error_node = nullptr;
  params->outcome = result == kSuccess ? kDone : kInvalidStructure;
  return result;
}
SASSIM_12_PTSZ(cudaGraphInstantiateWithParams);
SASSIM_CUDA Result SASSIM_12(cudaGraphExecGetFlags)() { return unsupported("cudaGraphExecGetFlags"); }

SASSIM_CUDA Result SASSIM_12(cudaGraphExecUpdate)(GraphExec* exec, Graph* graph, v12::UpdateInfo* info) {
  v12::UpdateInfo found{};
  const Result result = cudaGraphExecUpdate(exec, graph, &found.node, &found.outcome);
  if (info && result != kInvalidValue) *info = found;
  return result;
}

SASSIM_CUDA Result SASSIM_12(cudaGraphAddNode)(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                               NodeParams* params) {
  if (!params) return remember(kInvalidValue);
  switch (params->type) {
    case kKernelNode:
      return cudaGraphAddKernelNode(node, graph, after, count, &params->of.kernel);
    case kCopyNode:
      return cudaGraphAddMemcpyNode(node, graph, after, count, &params->of.copy.copy);
    case kFillNode:
      return cudaGraphAddMemsetNode(node, graph, after, count, &params->of.fill);
    case kHostNode:
      return cudaGraphAddHostNode(node, graph, after, count, &params->of.host);
    case kGraphNode:
      return cudaGraphAddChildGraphNode(node, graph, after, count, params->of.graph);
    case kEmptyNode:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case kWaitNode:
      return cudaGraphAddEventWaitNode(node, graph, after, count, params->of.event);
    case kRecordNode:
      return cudaGraphAddEventRecordNode(node, graph, after, count, params->of.event);
    case kAllocationNode:
      return cudaGraphAddMemAllocNode(node, graph, after, count, &params->of.allocation);
    case kFreeNode:
      return cudaGraphAddMemFreeNode(node, graph, after, count, params->of.freed);
    case v12::kConditionalNode:
      return add_conditional(node, graph, after, count, params->of.conditional);
    default:
      return unsupported("cudaGraphAddNode with a node for semaphores");
  }
}
SASSIM_CUDA Result SASSIM_12(cudaGraphAddNode_v2)(GraphNode** node, Graph* graph, Nodes after, const EdgeData* edges,
                                                  std::size_t count, NodeParams* params) {
  if (!plain(edges, count)) return unsupported("cudaGraphAddNode_v2 with programmatic dependences");
  return SASSIM_12(cudaGraphAddNode)(node, graph, after, count, params);
}
SASSIM_CUDA Result SASSIM_12(cudaGraphNodeSetParams)(GraphNode* node, NodeParams* params) {
  if (!params) return remember(kInvalidValue);
  if (params->type != kKernelNode) return unsupported("cudaGraphNodeSetParams of a node that is no kernel");
  return cudaGraphKernelNodeSetParams(node, &params->of.kernel);
}
SASSIM_CUDA Result SASSIM_12(cudaGraphExecNodeSetParams)(GraphExec* exec, GraphNode* node, NodeParams* params) {
  if (!params) return remember(kInvalidValue);
  switch (params->type) {
    case kKernelNode:
      return cudaGraphExecKernelNodeSetParams(exec, node, &params->of.kernel);
    case kCopyNode:
      return cudaGraphExecMemcpyNodeSetParams(exec, node, &params->of.copy.copy);
    case kFillNode:
      return cudaGraphExecMemsetNodeSetParams(exec, node, &params->of.fill);
    case kHostNode:
      return cudaGraphExecHostNodeSetParams(exec, node, &params->of.host);
    case kWaitNode:
      return cudaGraphExecEventWaitNodeSetEvent(exec, node, params->of.event);
    case kRecordNode:
      return cudaGraphExecEventRecordNodeSetEvent(exec, node, params->of.event);
    default:
      return unsupported("cudaGraphExecNodeSetParams of a node that is no kernel, copy, fill, event or host function");
  }
}
SASSIM_CUDA Result SASSIM_12(cudaGraphAddDependencies_v2)(Graph* graph, Nodes from, Nodes to, const EdgeData* edges,
                                                          std::size_t count) {
  if (!plain(edges, count)) return unsupported("cudaGraphAddDependencies_v2 with programmatic dependences");
  return cudaGraphAddDependencies(graph, from, to, count);
}
SASSIM_CUDA Result SASSIM_12(cudaGraphRemoveDependencies_v2)() { return unsupported("cudaGraphRemoveDependencies_v2"); }
SASSIM_CUDA Result SASSIM_12(cudaGraphGetEdges_v2)(Graph* graph, GraphNode** from, GraphNode** to, EdgeData* edges,
                                                   std::size_t* count) {
  const Result result = cudaGraphGetEdges(graph, from, to, count);
  if (result == kSuccess && from) clear(edges, count);
  return result;
}
SASSIM_CUDA Result SASSIM_12(cudaGraphNodeGetDependencies_v2)(GraphNode* node, GraphNode** nodes, EdgeData* edges,
                                                              std::size_t* count) {
  const Result result = cudaGraphNodeGetDependencies(node, nodes, count);
  if (result == kSuccess && nodes) clear(edges, count);
  return result;
}
SASSIM_CUDA Result SASSIM_12(cudaGraphNodeGetDependentNodes_v2)() {
  return unsupported("cudaGraphNodeGetDependentNodes_v2");
}

}  // namespace sassim::cuda
