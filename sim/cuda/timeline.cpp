// SPDX-License-Identifier: Apache-2.0
// Computes when work of CUDA streams runs: order, events, copy engines.
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

bool Timeline::destroy(Stream stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return false;
  if (found->second->blocking && found->second->last) left_.push_back(found->second->last);
  streams_.erase(found);
  return true;
}
bool Timeline::destroy(Event event) { return events_.erase(event) != 0; }

void Timeline::reset() {
  wait_on_host(end());
  for (auto& [handle, state] : streams_) *state = {};
  for (auto& [handle, state] : events_) *state = {};
  reset_streams_.merge(streams_);
  reset_events_.merge(events_);
  left_.clear();
}

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
  Picoseconds start = std::max(state.ready, *host_);
  if (is_default(stream)) {  // the legacy default stream and the blocking streams wait for each other
    for (const auto& [handle, other] : streams_)
      if (other->blocking) start = std::max(start, other->ready);
  } else if (state.blocking) {
    start = std::max(start, legacy_.ready);
  }
  waited_for_device_ = duration.value != 0 && start < device_free_;
  if (waited_for_device_) start = device_free_;
  state.ready = start + duration;
  if (duration.value != 0) device_free_ = alone_until_ = state.ready;
  return state.ready;
}

void Timeline::record(EventState& event, Stream stream) {
  *host_ += costs_.record;
  mark(event, stream);
}

void Timeline::mark(EventState& event, Stream stream) {
  event.recorded = true;
  event.stream = stream;
  if (defers())
    event.work = add(stream, {}, true);
  else
    event.time = run(stream, Picoseconds{0});
}

void Timeline::wait(Stream stream, const EventState& event) {
  if (!event.recorded) return;
  StreamState& state = *find(stream);
  if (!event.work) {
    state.ready = std::max(state.ready, event.time);
    return;
  }
  const WorkRef item = add(stream, {}, false);
  if (event.stream == stream)
    start_after(*item, event.work);
  else
    start_after_other_stream(*item, event.work);
}

void Timeline::wait_for(Stream stream, Picoseconds time) {
  StreamState& state = *find(stream);
  state.ready = std::max(state.ready, time + costs_.crossing);
}

void Timeline::run_kernel(Stream stream, std::uint64_t kernel) {
  const WorkRef item = add(stream, {.engine = Engine::kernels, .kernel = kernel}, true);
  item->ready = std::max(item->ready, alone_until_);
}

void Timeline::copy(Stream stream, Engine engine, std::uint64_t bytes) {
  occupy(stream, engine, copies_.copy(engine, bytes));
}

void Timeline::fill(Stream stream, std::uint64_t bytes) { occupy(stream, Engine::in_device, copies_.filling(bytes)); }

void Timeline::occupy(Stream stream, Engine engine, Picoseconds duration) {
  if (duration.value == 0) return;
  if (defers()) {
    add(stream, {.engine = engine, .duration = duration}, true);
    return;
  }
  run(stream, Picoseconds{0});  // sets when the stream may begin
  StreamState& state = *find(stream);
  Picoseconds& free = engine_free_[static_cast<std::size_t>(engine)];
  free = state.ready = std::max(state.ready, free) + duration;
}

/// `item` waits for `before`, which may have ended.
void Timeline::start_after(WorkItem& item, const WorkRef& before) {
  if (!before) return;
  if (before->done) {
    item.ready = std::max(item.ready, before->end);
    return;
  }
  ++item.awaited;
  before->next.push_back(unsettled_.at(item.number));
}

void Timeline::start_after_other_stream(WorkItem& item, const WorkRef& before) {
  if (!before) return;
  if (before->done) {
    item.ready = std::max(item.ready, before->end + costs_.crossing);
    return;
  }
  const auto crossing = std::make_shared<WorkItem>(WorkItem{.number = ++items_, .duration = costs_.crossing});
  unsettled_.emplace(crossing->number, crossing);
  start_after(*crossing, before);
  start_after(item, crossing);
}

/// Adds work to a stream. `joins`: the legacy default stream and the blocking streams wait for each other.
WorkRef Timeline::add(Stream stream, WorkItem item, bool joins) {
  StreamState& state = *find(stream);
  const WorkRef added = std::make_shared<WorkItem>(std::move(item));
  added->number = ++items_;
  added->priority = state.priority;
  added->writes = device_->writes();
  added->ready = std::max(state.ready, *host_);
  unsettled_.emplace(added->number, added);
  start_after(*added, state.last);
  if (joins && is_default(stream)) {
    for (const auto& [handle, other] : streams_)
      if (other->blocking) {
        added->ready = std::max(added->ready, other->ready);
        start_after_other_stream(*added, other->last);
      }
    for (const WorkRef& last : left_) start_after_other_stream(*added, last);
  } else if (joins && state.blocking) {
    added->ready = std::max(added->ready, legacy_.ready);
    start_after_other_stream(*added, legacy_.last);
  }
  state.last = added;
  return added;
}

/// Work gets its times in the order of time. When a piece starts, all ends before are known.
void Timeline::settle(const WorkItem* target) {
  if (target != nullptr && target->done) return;
  for (auto& [number, item] : unsettled_)
    if (item->awaited == 0) ready_.push(item);
  unsettled_.clear();
  while (target == nullptr || !target->done) {
    if (ready_.empty() && kernels_.empty()) break;
    if (!kernels_.empty()) {
      const auto until = ready_.empty() ? std::nullopt : std::optional(ready_.top()->ready);
      if (const std::optional<KernelDevice::Ended> ended = device_->advance(until)) {
        const WorkRef item = std::move(kernels_.extract(ended->kernel).mapped());
        finish(*item, ended->at);
        continue;
      }
    }
    const WorkRef item = ready_.top();
    ready_.pop();
    perform(item);
  }
  retire_done();
  if (device_ != nullptr) device_->rest();
}

void Timeline::perform(const WorkRef& item) {
  device_->apply_writes(item->writes);
  if (item->engine == Engine::kernels) {
    kernels_.emplace(item->kernel, item);
    device_->start(item->kernel, item->priority, item->ready);
    return;
  }
  Picoseconds& free = engine_free_[static_cast<std::size_t>(item->engine)];
  const bool busy = item->engine != Engine::none && item->duration.value != 0;
  const Picoseconds end = (busy ? std::max(item->ready, free) : item->ready) + item->duration;
  if (busy) free = end;
  finish(*item, end);
}

void Timeline::finish(WorkItem& item, Picoseconds end) {
  item.done = true;
  item.end = end;
  latest_ = std::max(latest_, end);
  if (item.engine == Engine::kernels) device_free_ = std::max(device_free_, end);
  for (const WorkRef& next : item.next) {
    next->ready = std::max(next->ready, end);
    if (--next->awaited == 0) ready_.push(next);
  }
  item.next.clear();
}

/// Work that has its times need not be kept.
void Timeline::retire_done() {
  const auto fold = [](StreamState& state) {
    if (!state.last || !state.last->done) return;
    state.ready = std::max(state.ready, state.last->end);
    state.last.reset();
  };
  fold(legacy_);
  for (const auto& [handle, state] : streams_) fold(*state);
  std::erase_if(left_, [](const WorkRef& item) { return item->done; });
}

Picoseconds Timeline::end_of(Stream stream) {
  const auto end = [&](StreamState& state) {
    if (const WorkRef last = state.last) settle(last.get());
    return state.ready;
  };
  Picoseconds latest = end(*find(stream));
  if (!defers() || !is_default(stream)) return latest;
  for (const auto& [handle, other] : streams_)
    if (other->blocking) latest = std::max(latest, end(*other));
  for (const std::vector<WorkRef> destroyed = left_; const WorkRef& last : destroyed) {
    settle(last.get());
    latest = std::max(latest, last->end);
  }
  return latest;
}

void Timeline::wait_on_host(Picoseconds until) {
  *host_ = std::max(*host_, until);
  if (defers()) device_->host_waits(*host_, unsettled_.empty() && ready_.empty() && kernels_.empty());
}

Picoseconds Timeline::time_of(EventState& event) {
  if (!event.work) return event.time;
  settle(event.work.get());
  return event.work->end;
}

Picoseconds Timeline::end() {
  if (defers()) settle();
  Picoseconds last = std::max(legacy_.ready, latest_);
  for (const auto& [handle, state] : streams_) last = std::max(last, state->ready);
  return last;
}

}  // namespace sassim::cuda
