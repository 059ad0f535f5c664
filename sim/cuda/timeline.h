// SPDX-License-Identifier: Apache-2.0
// The simulated time of the host, streams and events. Work executes at the call, one piece after another; streams
// decide at which simulated time it ran, which is never before the host submitted it.
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

/// The position of a stream that is being captured into a graph (graph.h): the work that its next work depends on.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> after;
};

struct StreamState {
  bool blocking = true;  ///< synchronises with the legacy default stream
  int priority = 0;
  std::uint64_t number = 0;  ///< 0: the default stream; others are numbered from 1
  Picoseconds ready;         ///< when all its work so far has finished
  CapturePoint captured = {};
};

struct EventState {
  bool timing = true;
  bool recorded = false;
  Picoseconds time;
  CapturePoint captured = {};
};

/// The time that a call takes on the host; the next call is made that much later.
struct HostCosts {
  Picoseconds launch;  ///< for a kernel or a graph
  Picoseconds record;  ///< for an event
};

class Timeline {
 public:
  explicit Timeline(HostCosts costs = {}) : costs_(costs) {}

  Stream create_stream(bool blocking, int priority);
  Event create_event(bool timing);
  bool destroy(Stream);
  bool destroy(Event);

  /// The state of a handle; nullptr if there is no such stream or event.
  StreamState* find(Stream);
  EventState* find(Event);

  bool is_default(Stream) const;
  template <class Visit>
  void for_each_stream(Visit visit) {
    for (const auto& [handle, state] : streams_) visit(handle, *state);
  }

  /// The host submits a kernel or graph, which takes time: work that is added afterwards starts no earlier.
  void submit() { host_ += costs_.launch; }
  /// Adds work of `duration` to a stream: it starts when the stream and the device are free. Returns the end time.
  Picoseconds run(Stream, Picoseconds duration);
  /// Whether the last work was ready while the device ran work of another stream.
  bool waited_for_device() const { return waited_for_device_; }
  void record(EventState&, Stream);
  void wait(Stream, const EventState&);
  /// The end of all work so far.
  Picoseconds end() const;
  /// The host waits until this time.
  void wait_on_host(Picoseconds until) { host_ = std::max(host_, until); }

 private:
  HostCosts costs_;
  StreamState legacy_;
  Picoseconds device_free_, host_;
  bool waited_for_device_ = false;
  std::uint64_t made_ = 0;  ///< number of streams made so far
  std::unordered_map<Stream, std::unique_ptr<StreamState>> streams_;
  std::unordered_map<Event, std::unique_ptr<EventState>> events_;
};

}  // namespace sassim::cuda
