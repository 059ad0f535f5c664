// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/timeline.h"

#include <algorithm>

namespace sassim::cuda {

Stream Timeline::create_stream(bool blocking, int priority) {
  auto state = std::make_unique<StreamState>(
      StreamState{.blocking = blocking, .priority = priority, .number = ++made_, .ready = {}});
  Stream handle = state.get();
  streams_.emplace(handle, std::move(state));
  return handle;
}

Event Timeline::create_event(bool timing) {
  auto state = std::make_unique<EventState>(EventState{.timing = timing, .recorded = false, .time = {}});
  Event handle = state.get();
  events_.emplace(handle, std::move(state));
  return handle;
}

bool Timeline::destroy(Stream stream) { return streams_.erase(stream) != 0; }
bool Timeline::destroy(Event event) { return events_.erase(event) != 0; }

// Default streams per thread share the state of the legacy default stream: their work runs in one order.
bool Timeline::is_default(Stream stream) const {
  return !stream || stream == kLegacyStream || stream == kPerThreadStream;
}

StreamState* Timeline::find(Stream stream) {
  if (is_default(stream)) return &legacy_;
  auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.get();
}

EventState* Timeline::find(Event event) {
  auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second.get();
}

Picoseconds Timeline::run(Stream stream, Picoseconds duration) {
  StreamState& state = *find(stream);
  Picoseconds start = std::max(state.ready, host_);
  if (is_default(stream)) {  // the legacy default stream and the blocking streams wait for each other
    for (const auto& [handle, other] : streams_)
      if (other->blocking) start = std::max(start, other->ready);
  } else if (state.blocking) {
    start = std::max(start, legacy_.ready);
  }
  waited_for_device_ = duration.value != 0 && start < device_free_;
  if (waited_for_device_) start = device_free_;
  state.ready = start + duration;
  if (duration.value != 0) device_free_ = state.ready;
  return state.ready;
}

void Timeline::record(EventState& event, Stream stream) {
  host_ += costs_.record;
  event.recorded = true;
  event.time = run(stream, Picoseconds{0});
}

void Timeline::wait(Stream stream, const EventState& event) {
  StreamState& state = *find(stream);
  if (event.recorded) state.ready = std::max(state.ready, event.time);
}

Picoseconds Timeline::end() const {
  Picoseconds last = legacy_.ready;
  for (const auto& [handle, state] : streams_) last = std::max(last, state->ready);
  return last;
}

}  // namespace sassim::cuda
