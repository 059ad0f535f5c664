// SPDX-License-Identifier: Apache-2.0
// The driver's functions for graphs. A graph is the runtime's, with the same structs; copies have the driver's.
#include "sim/cuda/export.h"
#include "sim/cuda/node_work.h"
#include "sim/driver/call.h"
#include "sim/driver/copies.h"
#include "sim/driver/launches.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {

using Nodes = GraphNode* const*;

extern "C" {
Result cudaGraphCreate(Graph**, unsigned);
Result cudaGraphClone(Graph**, Graph*);
Result cudaGraphDestroy(Graph*);
Result cudaGraphAddEmptyNode(GraphNode**, Graph*, Nodes, std::size_t);
Result cudaGraphAddMemsetNode(GraphNode**, Graph*, Nodes, std::size_t, const FillNodeParams*);
Result cudaGraphAddHostNode(GraphNode**, Graph*, Nodes, std::size_t, const HostNodeParams*);
Result cudaGraphAddChildGraphNode(GraphNode**, Graph*, Nodes, std::size_t, Graph*);
Result cudaGraphAddDependencies(Graph*, Nodes, Nodes, std::size_t);
Result cudaGraphRemoveDependencies(Graph*, Nodes, Nodes, std::size_t);
Result cudaGraphGetNodes(Graph*, GraphNode**, std::size_t*);
Result cudaGraphGetRootNodes(Graph*, GraphNode**, std::size_t*);
Result cudaGraphGetEdges(Graph*, GraphNode**, GraphNode**, std::size_t*);
Result cudaGraphNodeGetType(GraphNode*, int*);
Result cudaGraphNodeGetDependencies(GraphNode*, GraphNode**, std::size_t*);
Result cudaGraphNodeGetDependentNodes(GraphNode*, GraphNode**, std::size_t*);
Result cudaGraphNodeFindInClone(GraphNode**, GraphNode*, Graph*);
Result cudaGraphDestroyNode(GraphNode*);
Result cudaGraphKernelNodeGetParams(GraphNode*, KernelNodeParams*);
Result cudaGraphInstantiateWithFlags(GraphExec**, Graph*, unsigned long long);
Result cudaGraphExecDestroy(GraphExec*);
Result cudaGraphUpload(GraphExec*, Stream);
Result cudaGraphLaunch(GraphExec*, Stream);
Result cudaGraphExecUpdate(GraphExec*, Graph*, GraphNode**, int*);
Result cudaGraphExecMemsetNodeSetParams(GraphExec*, GraphNode*, const FillNodeParams*);
Result cudaGraphExecHostNodeSetParams(GraphExec*, GraphNode*, const HostNodeParams*);
Result cudaGraphNodeSetEnabled(GraphExec*, GraphNode*, unsigned);
Result cudaGraphNodeGetEnabled(GraphExec*, GraphNode*, unsigned*);
}

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNodeParamsV2 {
  KernelNodeParams plain;
  Function* kernel;
  Context* context;
};
/// CUgraphExecUpdateResultInfo
struct UpdateInfo {
  int outcome;
  GraphNode *node, *from;
};
/// CUDA_GRAPH_INSTANTIATE_PARAMS
struct InstantiateParams {
  std::uint64_t flags;
  Stream upload;
  GraphNode* error;
  int outcome;
};

Result kernel_contents(Session& session, const KernelNodeParams* params, NodeContents& contents) {
  if (!params) return kInvalidValue;
  const auto* function = static_cast<const Function*>(params->function);
  if (const Result result = check_function(function); result != kSuccess) return result;
  Arguments arguments;
  if (const Result result = arguments.take(session.kernel(function), params->arguments, params->extra);
      result != kSuccess)
    return result;
  KernelNodeParams plain = *params;
  plain.arguments = arguments.get();
  plain.extra = nullptr;
  return kernel_node(session, &plain, contents);
}
KernelNodeParams plain_of(const KernelNodeParamsV2& params) {
  KernelNodeParams plain = params.plain;
  if (!plain.function) plain.function = params.kernel;
  return plain;
}

template <class Make>
Result add_node(const char* name, GraphNode** node, Graph* graph, Nodes after, std::size_t count, Make make) {
  return in_context(name, [&](Session& session) {
    if (!node || !session.graphs().holds(graph) || (count != 0 && !after)) return kInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (!graph->holds(after[i])) return kInvalidValue;
    NodeContents contents;
    const Result result = make(session, contents);
    if (result == kSuccess) *node = graph->add(std::move(contents), {after, after + count});
    return result;
  });
}

/// Replaces the contents of a node, or of a step of an executable graph.
template <class Make>
Result set_node(const char* name, GraphNode* node, NodeType type, Make make) {
  return in_context(name, [&](Session& session) {
    if (!session.graphs().holds(node) || node->contents.type != type) return kInvalidValue;
    return make(session, node->contents);
  });
}
template <class Make>
Result set_step(const char* name, GraphExec* exec, GraphNode* node, NodeType type, Make make) {
  return in_context(name, [&](Session& session) {
    GraphExec::Step* step = session.graphs().holds(exec) ? exec->find(node) : nullptr;
    if (!step || step->contents.type != type) return kInvalidValue;
    return make(session, step->contents);
  });
}

/// For functions that give data of edges, which no edge has.
template <class Call>
Result without_edge_data(void* data, std::size_t* count, Call call) {
  constexpr std::size_t kEdgeBytes = 8;  // CUgraphEdgeData
  const Result result = call();
  if (result == kSuccess && data && count) std::fill_n(static_cast<char*>(data), *count * kEdgeBytes, '\0');
  return result;
}

}  // namespace

SASSIM_CUDA Result cuGraphCreate(Graph** graph, unsigned flags) {
  if (flags != 0) return kInvalidValue;
  return as_init([&] { return cudaGraphCreate(graph, flags); });
}
SASSIM_CUDA Result cuGraphClone(Graph** clone, Graph* graph) {
  return as_init([&] { return cudaGraphClone(clone, graph); });
}
SASSIM_CUDA Result cuGraphDestroy(Graph* graph) {
  return as_init([&] { return cudaGraphDestroy(graph); });
}
SASSIM_CUDA Result cuGraphDestroyNode(GraphNode* node) {
  return as_init([&] { return cudaGraphDestroyNode(node); });
}

SASSIM_CUDA Result cuGraphAddEmptyNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count) {
  return as_init([&] { return cudaGraphAddEmptyNode(node, graph, after, count); });
}
SASSIM_CUDA Result cuGraphAddKernelNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                        const KernelNodeParams* params) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return kernel_contents(session, params, contents); });
}
SASSIM_CUDA Result cuGraphAddKernelNode_v2(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                           const KernelNodeParamsV2* params) {
  if (!params) return kInvalidValue;
  const KernelNodeParams plain = plain_of(*params);
  return cuGraphAddKernelNode(node, graph, after, count, &plain);
}
SASSIM_CUDA Result cuGraphAddMemcpyNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                        const DriverCopy3D* params, Context*) {
  return add_node(__func__, node, graph, after, count,
                  [&](Session& session, NodeContents& contents) { return copy_3d(session, params, contents); });
}
SASSIM_CUDA Result cuGraphAddMemsetNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                        const FillNodeParams* params, Context*) {
  return as_init([&] { return cudaGraphAddMemsetNode(node, graph, after, count, params); });
}
SASSIM_CUDA Result cuGraphAddHostNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                      const HostNodeParams* params) {
  return as_init([&] { return cudaGraphAddHostNode(node, graph, after, count, params); });
}
SASSIM_CUDA Result cuGraphAddChildGraphNode(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                                            Graph* child) {
  return as_init([&] { return cudaGraphAddChildGraphNode(node, graph, after, count, child); });
}
SASSIM_CUDA Result cuGraphAddDependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return as_init([&] { return cudaGraphAddDependencies(graph, from, to, count); });
}
SASSIM_CUDA Result cuGraphAddDependencies_v2(Graph* graph, Nodes from, Nodes to, const void* data, std::size_t count) {
  if (data) return driver_lacks("cuGraphAddDependencies_v2 with data of edges");
  return cuGraphAddDependencies(graph, from, to, count);
}
SASSIM_CUDA Result cuGraphRemoveDependencies(Graph* graph, Nodes from, Nodes to, std::size_t count) {
  return as_init([&] { return cudaGraphRemoveDependencies(graph, from, to, count); });
}
SASSIM_CUDA Result cuGraphRemoveDependencies_v2(Graph* graph, Nodes from, Nodes to, const void*, std::size_t count) {
  return cuGraphRemoveDependencies(graph, from, to, count);
}

SASSIM_CUDA Result cuGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return as_init([&] { return cudaGraphGetNodes(graph, nodes, count); });
}
SASSIM_CUDA Result cuGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return as_init([&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}
SASSIM_CUDA Result cuGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return as_init([&] { return cudaGraphGetEdges(graph, from, to, count); });
}
SASSIM_CUDA Result cuGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, void* data, std::size_t* count) {
  return without_edge_data(data, count, [&] { return cuGraphGetEdges(graph, from, to, count); });
}
SASSIM_CUDA Result cuGraphNodeGetType(GraphNode* node, int* type) {
  return as_init([&] { return cudaGraphNodeGetType(node, type); });
}
SASSIM_CUDA Result cuGraphNodeGetDependencies(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  return as_init([&] { return cudaGraphNodeGetDependencies(node, nodes, count); });
}
SASSIM_CUDA Result cuGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** nodes, void* data, std::size_t* count) {
  return without_edge_data(data, count, [&] { return cuGraphNodeGetDependencies(node, nodes, count); });
}
SASSIM_CUDA Result cuGraphNodeGetDependentNodes(GraphNode* node, GraphNode** nodes, std::size_t* count) {
  return as_init([&] { return cudaGraphNodeGetDependentNodes(node, nodes, count); });
}
SASSIM_CUDA Result cuGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** nodes, void* data, std::size_t* count) {
  return without_edge_data(data, count, [&] { return cuGraphNodeGetDependentNodes(node, nodes, count); });
}
SASSIM_CUDA Result cuGraphNodeFindInClone(GraphNode** found, GraphNode* original, Graph* clone) {
  return as_init([&] { return cudaGraphNodeFindInClone(found, original, clone); });
}
SASSIM_CUDA Result cuGraphKernelNodeGetParams(GraphNode* node, KernelNodeParams* params) {
  return as_init([&] { return cudaGraphKernelNodeGetParams(node, params); });
}
SASSIM_CUDA Result cuGraphKernelNodeGetParams_v2(GraphNode* node, KernelNodeParamsV2* params) {
  if (!params) return kInvalidValue;
  params->kernel = nullptr, params->context = nullptr;
  return cuGraphKernelNodeGetParams(node, &params->plain);
}
SASSIM_CUDA Result cuGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParams* params) {
  return set_node(__func__, node, kKernelNode,
                  [&](Session& session, NodeContents& contents) { return kernel_contents(session, params, contents); });
}
SASSIM_CUDA Result cuGraphKernelNodeSetParams_v2(GraphNode* node, const KernelNodeParamsV2* params) {
  if (!params) return kInvalidValue;
  const KernelNodeParams plain = plain_of(*params);
  return cuGraphKernelNodeSetParams(node, &plain);
}
SASSIM_CUDA Result cuGraphMemcpyNodeSetParams(GraphNode* node, const DriverCopy3D* params) {
  return set_node(__func__, node, kCopyNode,
                  [&](Session& session, NodeContents& contents) { return copy_3d(session, params, contents); });
}
SASSIM_CUDA Result cuGraphMemsetNodeSetParams(GraphNode* node, const FillNodeParams* params) {
  return set_node(__func__, node, kFillNode,
                  [&](Session& session, NodeContents& contents) { return fill_node(session, params, contents); });
}
SASSIM_CUDA Result cuGraphHostNodeSetParams(GraphNode* node, const HostNodeParams* params) {
  return set_node(__func__, node, kHostNode,
                  [&](Session&, NodeContents& contents) { return host_node(params, contents); });
}

SASSIM_CUDA Result cuGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long flags) {
  return as_init([&] { return cudaGraphInstantiateWithFlags(exec, graph, flags); });
}
SASSIM_CUDA Result cuGraphInstantiate_v2(GraphExec** exec, Graph* graph, GraphNode** error, char* log,
                                         std::size_t bytes) {
  if (error) *error = nullptr;
  if (log && bytes != 0) *log = '\0';
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}
SASSIM_CU_ALSO(cuGraphInstantiate_v2, cuGraphInstantiate);
SASSIM_CUDA Result cuGraphInstantiateWithParams(GraphExec** exec, Graph* graph, InstantiateParams* params) {
  if (!params) return kInvalidValue;
  params->error = nullptr;
  const Result result = cuGraphInstantiateWithFlags(exec, graph, params->flags);
  params->outcome = result == kSuccess ? 0 : 1;  // CUDA_GRAPH_INSTANTIATE_SUCCESS, _ERROR
  return result;
}
SASSIM_CU_PTSZ(cuGraphInstantiateWithParams);
SASSIM_CUDA Result cuGraphExecDestroy(GraphExec* exec) {
  return as_init([&] { return cudaGraphExecDestroy(exec); });
}
SASSIM_CUDA Result cuGraphUpload(GraphExec* exec, Stream stream) {
  return as_driver(Needs::context, [&] { return cudaGraphUpload(exec, stream); });
}
SASSIM_CU_PTSZ(cuGraphUpload);
SASSIM_CUDA Result cuGraphLaunch(GraphExec* exec, Stream stream) {
  return as_driver(Needs::context, [&] { return cudaGraphLaunch(exec, stream); });
}
SASSIM_CU_PTSZ(cuGraphLaunch);
SASSIM_CUDA Result cuGraphExecUpdate(GraphExec* exec, Graph* graph, GraphNode** error, int* outcome) {
  return as_init([&] { return cudaGraphExecUpdate(exec, graph, error, outcome); });
}
SASSIM_CUDA Result cuGraphExecUpdate_v2(GraphExec* exec, Graph* graph, UpdateInfo* info) {
  if (!info) return kInvalidValue;
  info->from = nullptr;
  return cuGraphExecUpdate(exec, graph, &info->node, &info->outcome);
}
SASSIM_CUDA Result cuGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node, const KernelNodeParams* params) {
  return set_step(__func__, exec, node, kKernelNode,
                  [&](Session& session, NodeContents& contents) { return kernel_contents(session, params, contents); });
}
SASSIM_CUDA Result cuGraphExecKernelNodeSetParams_v2(GraphExec* exec, GraphNode* node,
                                                     const KernelNodeParamsV2* params) {
  if (!params) return kInvalidValue;
  const KernelNodeParams plain = plain_of(*params);
  return cuGraphExecKernelNodeSetParams(exec, node, &plain);
}
SASSIM_CUDA Result cuGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node, const DriverCopy3D* params,
                                                  Context*) {
  return set_step(__func__, exec, node, kCopyNode,
                  [&](Session& session, NodeContents& contents) { return copy_3d(session, params, contents); });
}
SASSIM_CUDA Result cuGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node, const FillNodeParams* params,
                                                  Context*) {
  return as_init([&] { return cudaGraphExecMemsetNodeSetParams(exec, node, params); });
}
SASSIM_CUDA Result cuGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node, const HostNodeParams* params) {
  return as_init([&] { return cudaGraphExecHostNodeSetParams(exec, node, params); });
}
SASSIM_CUDA Result cuGraphExecGetFlags(GraphExec* exec, std::uint64_t* flags) {
  return drive(__func__, Needs::init, [&](Session& session) {
    if (!flags || !session.graphs().holds(exec)) return kInvalidValue;
    *flags = 0;
    return kSuccess;
  });
}
SASSIM_CUDA Result cuGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled) {
  return as_init([&] { return cudaGraphNodeSetEnabled(exec, node, enabled); });
}
SASSIM_CUDA Result cuGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled) {
  return as_init([&] { return cudaGraphNodeGetEnabled(exec, node, enabled); });
}

}  // namespace sassim::cuda
