// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that instantiate graphs, and launch and update executable graphs.
#include <optional>

#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"
#include "sim/cuda/graph_branches.h"
#include "sim/cuda/graph_memory.h"
#include "sim/cuda/node_work.h"

namespace sassim::cuda {
namespace {

enum UpdateResult : int { kUpdateSuccess = 0, kTopologyChanged = 2 };

}  // namespace

SASSIM_CUDA Result cudaGraphInstantiateWithFlags(GraphExec** handle, Graph* graph, unsigned long long flags) {
  constexpr unsigned long long kFreesOnLaunch = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch
  return call(__func__, [&](Session& session) {
    if (!handle || !session.graphs().holds(graph)) return kInvalidValue;
    std::unique_ptr<GraphExec> exec = instantiate(*graph);
    *handle = exec ? session.graphs().execs.add(std::move(exec)) : nullptr;
    if (*handle && (flags & kFreesOnLaunch) != 0) GraphMemories::of(session).free_on_launch.insert(*handle);
    return *handle ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphInstantiate(GraphExec** exec, Graph* graph, GraphNode** error_node, char* log,
                                        std::size_t log_bytes) {
  if (error_node) *error_node = nullptr;
  if (log && log_bytes != 0) *log = '\0';
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
SASSIM_CUDA Result cudaGraphExecDestroy(GraphExec* exec) {
  return call(__func__, [&](Session& session) {
    GraphMemories::of(session).free_on_launch.erase(exec);
    return session.graphs().execs.erase(exec) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA Result cudaGraphUpload(GraphExec* exec, Stream stream) {
  return call(__func__, [&](Session& session) {
    return session.graphs().holds(exec) && session.find(stream) ? kSuccess : kInvalidValue;
  });
}
SASSIM_CUDA_PTSZ(cudaGraphUpload);

SASSIM_CUDA Result cudaGraphLaunch(GraphExec* exec, Stream stream) {
  std::vector<GraphExec::Step> steps;
  std::optional<GraphBranches> branches;
  Result result = call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (!session.graphs().holds(exec)) return kInvalidValue;
    if (state->captured.capture) return submit(session, stream, child_work(session, *exec));
    if (const Result memory = check_graph_memory(session, *exec); memory != kSuccess) return memory;
    session.timeline().submit();
    const Result submitted = submit(session, stream, {});
    if (submitted != kSuccess) return submitted;
    for (const Condition& condition : exec->conditions)
      if (condition.at_launch) session.graphs().conditions[condition.handle] = *condition.at_launch;
    steps = exec->steps;
    branches.emplace(session, stream, steps);
    return kSuccess;
  });
  for (std::size_t i = 0; i < steps.size() && result == kSuccess; ++i) {
    const GraphExec::Step& step = steps[i];
    const bool works = step.enabled && step.contents.work, on_host = step.contents.type == kHostNode;
    if (works && on_host) result = step.contents.work(stream);  // without the lock: it may wait for another thread
    if (result != kSuccess) break;
    result = call(__func__, [&](Session& session) {
      session.turn_to(stream);
      const Stream own = branches->begin(i);
      if (const Result done = works && !on_host ? step.contents.work(own) : kSuccess; done != kSuccess) return done;
      branches->end(i);
      return kSuccess;
    });
  }
  if (result != kSuccess || !branches) return result;
  return call(__func__, [&](Session& session) {
    session.turn_to(stream);
    branches->join();
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaGraphLaunch);

SASSIM_CUDA Result cudaGraphExecUpdate(GraphExec* exec, Graph* graph, GraphNode** error_node, int* outcome) {
  return call(__func__, [&](Session& session) {
    if (!session.graphs().holds(exec) || !session.graphs().holds(graph)) return kInvalidValue;
    if (error_node) *error_node = nullptr;
    const bool done = exec->update(*graph);
    if (outcome) *outcome = done ? kUpdateSuccess : kTopologyChanged;
    return done ? kSuccess : kGraphExecUpdateFailure;
  });
}
SASSIM_CUDA Result cudaGraphExecKernelNodeSetParams(GraphExec* exec, GraphNode* node, const KernelNodeParams* params) {
  return set_step(__func__, exec, node, kKernelNode,
                  [&](Session& session, NodeContents& contents) { return kernel_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphExecMemcpyNodeSetParams(GraphExec* exec, GraphNode* node, const Copy3D* params) {
  return set_step(__func__, exec, node, kCopyNode,
                  [&](Session& session, NodeContents& contents) { return copy_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphExecMemcpyNodeSetParams1D(GraphExec* exec, GraphNode* node, void* to, const void* from,
                                                      std::size_t bytes, CopyKind kind) {
  return set_step(__func__, exec, node, kCopyNode, [&](Session& session, NodeContents& contents) {
    contents = copy_work(session, to, from, {.width = bytes}, kind);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphExecMemsetNodeSetParams(GraphExec* exec, GraphNode* node, const FillNodeParams* params) {
  return set_step(__func__, exec, node, kFillNode,
                  [&](Session& session, NodeContents& contents) { return fill_node(session, params, contents); });
}
SASSIM_CUDA Result cudaGraphExecHostNodeSetParams(GraphExec* exec, GraphNode* node, const HostNodeParams* params) {
  return set_step(__func__, exec, node, kHostNode,
                  [&](Session&, NodeContents& contents) { return host_node(params, contents); });
}
SASSIM_CUDA Result cudaGraphNodeSetEnabled(GraphExec* exec, GraphNode* node, unsigned enabled) {
  return with_step(__func__, exec, node, [&](Session&, GraphExec::Step& step) {
    if (step.contents.type > kFillNode) return kInvalidValue;  // only kernels, copies and fills can be replaced
    step.enabled = enabled != 0;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGraphNodeGetEnabled(GraphExec* exec, GraphNode* node, unsigned* enabled) {
  return with_step(__func__, exec, node, [&](Session&, GraphExec::Step& step) {
    if (!enabled) return kInvalidValue;
    *enabled = step.enabled ? 1 : 0;
    return kSuccess;
  });
}

}  // namespace sassim::cuda
