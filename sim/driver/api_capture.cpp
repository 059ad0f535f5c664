// SPDX-License-Identifier: Apache-2.0
// The driver's functions that capture the work of streams into graphs, as the runtime's do.
#include "sim/cuda/export.h"
#include "sim/driver/call.h"

namespace sassim::cuda {

extern "C" {
Result cudaStreamBeginCapture(Stream, int);
Result cudaStreamEndCapture(Stream, Graph**);
Result cudaStreamGetCaptureInfo(Stream, int*, unsigned long long*);
Result cudaStreamGetCaptureInfo_v2(Stream, int*, unsigned long long*, Graph**, GraphNode* const**, std::size_t*);
Result cudaStreamUpdateCaptureDependencies(Stream, GraphNode**, std::size_t, unsigned);
Result cudaThreadExchangeStreamCaptureMode(int*);
}

namespace {

Result in_stream(Stream stream, const std::function<Result()>& runtime) {
  const Result result = in_context(__func__, [&](Session& session) { return check_stream(session, stream); });
  return result == kSuccess ? as_driver(Needs::context, runtime) : result;
}

}  // namespace

SASSIM_CUDA Result cuStreamBeginCapture_v2(Stream stream, int mode) {
  return in_stream(stream, [&] { return cudaStreamBeginCapture(stream, mode); });
}
SASSIM_CU_PTSZ(cuStreamBeginCapture_v2);
SASSIM_CUDA Result cuStreamBeginCapture(Stream stream) { return cuStreamBeginCapture_v2(stream, kGlobalCapture); }
SASSIM_CU_PTSZ(cuStreamBeginCapture);
SASSIM_CUDA Result cuStreamEndCapture(Stream stream, Graph** graph) {
  return in_stream(stream, [&] { return cudaStreamEndCapture(stream, graph); });
}
SASSIM_CU_PTSZ(cuStreamEndCapture);
SASSIM_CUDA Result cuStreamGetCaptureInfo(Stream stream, int* status, unsigned long long* id) {
  return in_stream(stream, [&] { return cudaStreamGetCaptureInfo(stream, status, id); });
}
SASSIM_CU_PTSZ(cuStreamGetCaptureInfo);
SASSIM_CUDA Result cuStreamGetCaptureInfo_v2(Stream stream, int* status, unsigned long long* id, Graph** graph,
                                             GraphNode* const** after, std::size_t* count) {
  return in_stream(stream, [&] { return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, count); });
}
SASSIM_CU_PTSZ(cuStreamGetCaptureInfo_v2);
SASSIM_CUDA Result cuStreamGetCaptureInfo_v3(Stream stream, int* status, unsigned long long* id, Graph** graph,
                                             GraphNode* const** after, const void** edges, std::size_t* count) {
  if (edges) *edges = nullptr;  // no edge has data
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, after, count);
}
SASSIM_CU_PTSZ(cuStreamGetCaptureInfo_v3);
SASSIM_CUDA Result cuStreamIsCapturing(Stream stream, int* status) {
  return cuStreamGetCaptureInfo(stream, status, nullptr);
}
SASSIM_CU_PTSZ(cuStreamIsCapturing);
SASSIM_CUDA Result cuStreamUpdateCaptureDependencies(Stream stream, GraphNode** nodes, std::size_t count,
                                                     unsigned flags) {
  return in_stream(stream, [&] { return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags); });
}
SASSIM_CU_PTSZ(cuStreamUpdateCaptureDependencies);
SASSIM_CUDA Result cuThreadExchangeStreamCaptureMode(int* mode) {
  return as_driver(Needs::init, [&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}

}  // namespace sassim::cuda
