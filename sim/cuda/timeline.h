// SPDX-License-Identifier: Apache-2.0
// Simulated time of the runtime: the host, streams and events. Work runs at the call, one piece after another; what a
// stream orders is when it is said to have run, which is never before the host has submitted it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/base/strong.h"
#include "sim/cuda/abi.h"

namespace sassim::cuda {

using Picoseconds = Quantity<struct PicosecondsTag>;

struct Capture;
struct GraphNode;

/// Where a stream stands that is being captured into a graph (graph.h): what its next piece of work comes after.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> after;
};

struct StreamState {
  bool blocking = true;  ///< ordered with the legacy default stream
  int priority = 0;
  Picoseconds ready;  ///< when all work given to it so far is done
  CapturePoint captured = {};
};

struct EventState {
  bool timing = true;
  bool recorded = false;
  Picoseconds time;
  CapturePoint captured = {};
};

/// What calls cost the host: the next one is made that much later.
struct HostCosts {
  Picoseconds launch;  ///< of a kernel or a graph
  Picoseconds record;  ///< of an event
};

class Timeline {
 public:
  explicit Timeline(HostCosts costs = {}) : costs_(costs) {}

  Stream create_stream(bool blocking, int priority);
  Event create_event(bool timing);
  bool destroy(Stream);
  bool destroy(Event);

  /// The state behind a handle; nullptr when there is no such stream or event.
  StreamState* find(Stream);
  EventState* find(Event);

  bool is_default(Stream) const;
  template <class Visit>
  void for_each_stream(Visit visit) {
    for (const auto& [handle, state] : streams_) visit(handle, *state);
  }

  /// The host submits a kernel or a graph: what is booked from now on starts no earlier than this takes.
  void submit() { host_ += costs_.launch; }
  /// Books `duration` of the device on a stream: it starts when the stream and the device are free. Returns its end.
  Picoseconds run(Stream, Picoseconds duration);
  void record(EventState&, Stream);
  void wait(Stream, const EventState&);
  /// The end of everything given so far.
  Picoseconds end() const;
  /// The host goes on only then.
  void wait_on_host(Picoseconds until) { host_ = std::max(host_, until); }

 private:
  HostCosts costs_;
  StreamState legacy_;
  Picoseconds device_free_, host_;
  std::unordered_map<Stream, std::unique_ptr<StreamState>> streams_;
  std::unordered_map<Event, std::unique_ptr<EventState>> events_;
};

}  // namespace sassim::cuda
