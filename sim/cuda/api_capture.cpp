// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that capture the work of streams into graphs.
#include <algorithm>
#include <utility>

#include "sim/cuda/export.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

enum CaptureStatus : int { kNotCapturing = 0, kCapturing = 1, kBrokenCapture = 2 };

CaptureStatus status_of(const StreamState& state) {
  const Capture* capture = state.captured.capture.get();
  return !capture ? kNotCapturing : capture->broken ? kBrokenCapture : kCapturing;
}

}  // namespace

SASSIM_CUDA Result cudaStreamBeginCapture(Stream stream, int mode) {
  return call(__func__, [&](Session& session) {
    return mode < kGlobalCapture || mode > kRelaxedCapture
               ? kInvalidValue
               : begin_capture(session, stream, static_cast<CaptureMode>(mode));
  });
}
SASSIM_CUDA_PTSZ(cudaStreamBeginCapture);
SASSIM_CUDA Result cudaStreamEndCapture(Stream stream, Graph** graph) {
  return call(__func__, [&](Session& session) {
    if (!graph) return kInvalidValue;
    *graph = nullptr;
    return end_capture(session, stream, *graph);
  });
}
SASSIM_CUDA_PTSZ(cudaStreamEndCapture);
SASSIM_CUDA Result cudaStreamGetCaptureInfo(Stream stream, int* status, unsigned long long* id) {
  return call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (!status) return kInvalidValue;
    *status = status_of(*state);
    if (id && state->captured.capture) *id = state->captured.capture->id;
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamGetCaptureInfo);
/// `after`: what the stream's next work waits for; it is valid until the next call for the stream.
SASSIM_CUDA Result cudaStreamGetCaptureInfo_v2(Stream stream, int* status, unsigned long long* id, Graph** graph,
                                               GraphNode* const** after, std::size_t* count) {
  return call(__func__, [&](Session& session) {
    const StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (!status) return kInvalidValue;
    *status = status_of(*state);
    const CapturePoint& point = state->captured;
    if (*status != kCapturing) return kSuccess;
    if (id) *id = point.capture->id;
    if (graph) *graph = point.capture->graph;
    if (after) *after = point.after.data();
    if (count) *count = point.after.size();
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamGetCaptureInfo_v2);
SASSIM_CUDA Result cudaStreamIsCapturing(Stream stream, int* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr);
}
SASSIM_CUDA_PTSZ(cudaStreamIsCapturing);
SASSIM_CUDA Result cudaStreamUpdateCaptureDependencies(Stream stream, GraphNode** nodes, std::size_t count,
                                                       unsigned flags) {
  constexpr unsigned kReplace = 1;  // cudaStreamSetCaptureDependencies
  return call(__func__, [&](Session& session) {
    StreamState* state = session.find(stream);
    if (!state) return kInvalidResourceHandle;
    if (status_of(*state) != kCapturing) return kIllegalState;
    if (flags > kReplace || (!nodes && count != 0)) return kInvalidValue;
    CapturePoint& point = state->captured;
    for (std::size_t i = 0; i < count; ++i)
      if (!point.capture->graph->holds(nodes[i])) return kInvalidValue;
    if (flags == kReplace) point.after.clear();
    for (std::size_t i = 0; i < count; ++i)
      if (std::find(point.after.begin(), point.after.end(), nodes[i]) == point.after.end())
        point.after.push_back(nodes[i]);
    return kSuccess;
  });
}
SASSIM_CUDA_PTSZ(cudaStreamUpdateCaptureDependencies);
SASSIM_CUDA Result cudaThreadExchangeStreamCaptureMode(int* mode) {
  if (!mode || *mode < kGlobalCapture || *mode > kRelaxedCapture) return remember(kInvalidValue);
  const CaptureMode before = std::exchange(capture_mode_of_thread(), static_cast<CaptureMode>(*mode));
  *mode = before;
  return kSuccess;
}

}  // namespace sassim::cuda
