// SPDX-License-Identifier: Apache-2.0
// Streams in libcudart.so.12.
#include "sim/cuda/abi12.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {

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
