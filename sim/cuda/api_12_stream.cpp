// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart.so.12 for streams, for their capture into graphs, and for conditional nodes of graphs.
#include "sim/cuda/abi12.h"
#include "sim/cuda/add_node.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

namespace {

/// cudaGraphConditionalNodeType
enum ConditionalType : int { kIf = 0, kWhile = 1 };

/// What a conditional node does with the graphs that it has.
struct ConditionalNode {
  Session* session;
  std::uint64_t handle;
  int type;
  std::vector<Graph*> graphs;

  Work instantiated(GraphExec& in) const {
    std::vector<Work> bodies;
    for (const Graph* graph : graphs) {
      const auto exec = session->graphs().holds(graph) ? instantiate(*graph) : nullptr;
      if (!exec) return {};
      in.conditions.insert(in.conditions.end(), exec->conditions.begin(), exec->conditions.end());
      bodies.push_back(child_work(*session, *exec).work);
    }
    return [this_session = session, id = handle, repeats = type == kWhile, bodies](Stream stream) {
      const std::uint32_t& value = this_session->graphs().conditions[id];
      if (value == 0) return kSuccess;
      do {
        if (const Result result = bodies.front()(stream); result != kSuccess) return result;
      } while (repeats && value != 0);
      return kSuccess;
    };
  }
};

}  // namespace

Result add_conditional(GraphNode** node, Graph* graph, Nodes after, std::size_t count,
                       v12::ConditionalNodeParams& params) {
  return add_node("cudaGraphAddNode", node, graph, after, count, [&](Session& session, NodeContents& contents) {
    if (!session.graphs().conditions.contains(params.handle) || params.count == 0) return kInvalidValue;
    if (params.type > kWhile || params.count > 1)
      return unsupported("cudaGraphAddNode with a condition that chooses among graphs");
    auto made = std::make_shared<ConditionalNode>(ConditionalNode{&session, params.handle, params.type, {}});
    made->graphs.push_back(session.graphs().graphs.add(std::make_unique<Graph>()));
    params.graphs = made->graphs.data();
    contents.type = v12::kConditionalNode;
    contents.instantiate = [made](GraphExec& exec) { return made->instantiated(exec); };
    return kSuccess;
  });
}

SASSIM_CUDA Result SASSIM_12(cudaGraphConditionalHandleCreate)(unsigned long long* handle, Graph* graph,
                                                               unsigned at_launch, unsigned flags) {
  constexpr unsigned kSetAtLaunch = 1;  // cudaGraphCondAssignDefault
  return call("cudaGraphConditionalHandleCreate", [&](Session& session) {
    if (!handle || !session.graphs().holds(graph) || flags > kSetAtLaunch) return kInvalidValue;
    static unsigned long long made = 0;
    *handle = ++made;
    session.graphs().conditions[*handle] = 0;
    graph->conditions.push_back({*handle, flags == kSetAtLaunch ? std::optional(at_launch) : std::nullopt});
    return kSuccess;
  });
}

extern "C" Result cudaStreamGetCaptureInfo_v2(Stream, int* status, unsigned long long* id, Graph**,
                                              GraphNode* const** after, std::size_t* count);

/// No two streams of a process have the same number.
SASSIM_CUDA Result SASSIM_12(cudaStreamGetId)(Stream stream, unsigned long long* id) {
  return call("cudaStreamGetId", [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state || !id) return state ? kInvalidValue : kInvalidResourceHandle;
    *id = state->number;
    return kSuccess;
  });
}
SASSIM_12_PTSZ(cudaStreamGetId);

/// Edges without data are given as no edges.
SASSIM_CUDA Result SASSIM_12(cudaStreamGetCaptureInfo_v3)(Stream stream, int* status, unsigned long long* id,
                                                          Graph** graph, GraphNode* const** after,
                                                          const v12::EdgeData** edges, std::size_t* count) {
  if (edges) *edges = nullptr;
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
SASSIM_12_PTSZ(cudaStreamGetCaptureInfo_v3);

SASSIM_CUDA Result SASSIM_12(cudaStreamBeginCaptureToGraph)(Stream stream, Graph* graph, GraphNode* const* after,
                                                            const v12::EdgeData* edges, std::size_t count, int mode) {
  if (edges) return unsupported("cudaStreamBeginCaptureToGraph with data of edges");
  return call("cudaStreamBeginCaptureToGraph", [&](Session& session) {
    if (!session.graphs().holds(graph) || (count != 0 && !after) || mode < kGlobalCapture || mode > kRelaxedCapture)
      return kInvalidValue;
    std::vector<GraphNode*> first(after, after + count);
    for (const GraphNode* node : first)
      if (!graph->holds(node)) return kInvalidValue;
    return begin_capture(session, stream, static_cast<CaptureMode>(mode), graph, std::move(first));
  });
}
SASSIM_12_PTSZ(cudaStreamBeginCaptureToGraph);
SASSIM_CUDA Result SASSIM_12(cudaStreamUpdateCaptureDependencies_v2)() {
  return unsupported("cudaStreamUpdateCaptureDependencies_v2");
}
SASSIM_12_PTSZ(cudaStreamUpdateCaptureDependencies_v2);

}  // namespace sassim::cuda
