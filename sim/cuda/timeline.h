// SPDX-License-Identifier: Apache-2.0
// The simulated time of the host, streams and events. Work executes at the call, one piece after another. Its
// simulated time follows from the streams and is never before the host submitted it. While a program has only default
// streams, or without a KernelDevice, work gets its times at once, and the device runs one piece at a time. Otherwise
// work gets its times when a caller needs one of them, together with all work that could run before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "sim/cuda/abi.h"
#include "sim/cuda/work.h"

namespace sassim::cuda {

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
  Picoseconds ready;         ///< when its work before `last` has finished
  WorkRef last = {};         ///< its last work, if the time of that may not be known
  CapturePoint captured = {};
};

struct EventState {
  bool timing = true;
  bool recorded = false;
  Picoseconds time;
  Stream stream = nullptr;  ///< in which it was recorded
  WorkRef work = {};        ///< whose end is the event's time; nullptr: `time` holds it
  CapturePoint captured = {};
};

/// The time that a call takes on the host; the next call is made that much later.
struct HostCosts {
  Picoseconds launch;         ///< for a kernel or a graph
  Picoseconds record;         ///< for an event
  Picoseconds crossing = {};  ///< on the device, from the end of work to work of another stream that waits for it
};

/// Copies and fills: each takes a latency and its bytes at a bandwidth in bytes per second. 0: this kind takes no time.
struct CopyCosts {
  Picoseconds latency;  ///< of copies between host and device
  double to_device = 0, to_host = 0;
  Picoseconds in_device_latency = {};  ///< of copies and fills within the device
  double in_device = 0;
  double in_cache = 0;  ///< of copies within the device of at most `cache_bytes`; 0: as the others
  std::uint64_t cache_bytes = 0;
  double fill = 0;

  Picoseconds copy(Engine engine, std::uint64_t bytes) const {
    if (engine == Engine::in_device)
      return time(in_device_latency, in_cache != 0 && bytes <= cache_bytes ? in_cache : in_device, bytes);
    return time(latency, engine == Engine::to_device ? to_device : engine == Engine::to_host ? to_host : 0, bytes);
  }
  Picoseconds filling(std::uint64_t bytes) const { return time(in_device_latency, fill, bytes); }

 private:
  static Picoseconds time(Picoseconds latency, double rate, std::uint64_t bytes) {
    if (rate == 0) return {};
    return latency + Picoseconds{static_cast<std::uint64_t>(static_cast<double>(bytes) * 1e12 / rate)};
  }
};

class Timeline {
 public:
  explicit Timeline(HostCosts costs = {}, CopyCosts copies = {}) : costs_(costs), copies_(copies) {}

  /// Kernels run on this device, side by side.
  void use(KernelDevice* device) { device_ = device; }
  /// All devices of a process have one host, whose time goes on with the calls for any of them.
  void use_host_of(const Timeline& other) { host_ = other.host_; }
  /// True if kernels of several streams run side by side.
  bool overlaps() const { return device_ != nullptr; }
  /// True if work waits for its times.
  bool defers() const { return device_ != nullptr && made_ != 0; }

  Stream create_stream(bool blocking, int priority);
  Event create_event(bool timing);
  bool destroy(Stream);
  bool destroy(Event);

  /// The state of a handle; nullptr if there is no such stream or event.
  StreamState* find(Stream);
  EventState* find(Event);
  /// Whether the event was there before reset().
  bool was_reset(Event event) const { return reset_events_.contains(event); }
  /// All streams and events are gone. Requires that all work has its times. Time goes on.
  void reset();

  bool is_default(Stream) const;
  template <class Visit>
  void for_each_stream(Visit visit) {
    for (const auto& [handle, state] : streams_) visit(handle, *state);
  }

  /// The host submits a kernel or graph, which takes time: work that is added afterwards starts no earlier.
  void submit() { *host_ += costs_.launch; }
  /// Adds work of `duration` to a stream: it starts when the stream and the device are free. Returns the end time.
  Picoseconds run(Stream, Picoseconds duration);
  /// Adds a kernel that the KernelDevice runs. Requires defers().
  void run_kernel(Stream, std::uint64_t kernel);
  /// Adds a copy between host and device, or within the device.
  void copy(Stream, Engine, std::uint64_t bytes);
  /// Adds work of an engine other than that of kernels.
  void occupy(Stream, Engine, Picoseconds duration);
  const CopyCosts& copy_costs() const { return copies_; }
  /// Adds a fill of device memory.
  void fill(Stream, std::uint64_t bytes);
  /// Whether the last work was ready while the device ran work of another stream.
  bool waited_for_device() const { return waited_for_device_; }
  void record(EventState&, Stream);
  /// Records an event without a call of the host.
  void mark(EventState&, Stream);
  void wait(Stream, const EventState&);
  /// The same for an event of another device, which has this time.
  void wait_for(Stream, Picoseconds time);
  /// When the work of a stream so far, or of all streams, has ended, and when an event was recorded. Finds times of
  /// work that has none. Work of the default stream ends after that of the blocking streams.
  Picoseconds end_of(Stream);
  Picoseconds end();
  Picoseconds time_of(EventState&);
  /// All work gets its times.
  void settle() { settle(nullptr); }
  /// The host waits until this time.
  void wait_on_host(Picoseconds until);

 private:
  struct Later {
    bool operator()(const WorkRef& a, const WorkRef& b) const {
      return a->ready != b->ready ? a->ready > b->ready : a->number > b->number;
    }
  };
  void start_after(WorkItem& item, const WorkRef& before);
  void start_after_other_stream(WorkItem& item, const WorkRef& before);
  WorkRef add(Stream, WorkItem item, bool joins);
  void settle(const WorkItem* target);
  void perform(const WorkRef& item);
  void finish(WorkItem& item, Picoseconds end);
  void retire_done();

  HostCosts costs_;
  CopyCosts copies_;
  KernelDevice* device_ = nullptr;
  std::uint64_t items_ = 0;
  std::map<std::uint64_t, WorkRef> unsettled_;  ///< by number: added since the last call of settle()
  std::priority_queue<WorkRef, std::vector<WorkRef>, Later> ready_;
  std::unordered_map<std::uint64_t, WorkRef> kernels_;  ///< that run, by the KernelDevice's number
  std::vector<WorkRef> left_;  ///< last work of blocking streams that the program has destroyed
  Picoseconds latest_;         ///< end of the last work that has a time
  Picoseconds alone_until_;    ///< end of the last kernel that ran alone: the KernelDevice's start no earlier
  std::array<Picoseconds, kEngines> engine_free_{};
  StreamState legacy_;
  Picoseconds device_free_;
  std::shared_ptr<Picoseconds> host_ = std::make_shared<Picoseconds>();
  bool waited_for_device_ = false;
  std::uint64_t made_ = 0;  ///< number of streams made so far
  std::unordered_map<Stream, std::unique_ptr<StreamState>> streams_;
  std::unordered_map<Event, std::unique_ptr<EventState>> events_;
  // Kept, so that no new object gets their handles.
  std::unordered_map<Stream, std::unique_ptr<StreamState>> reset_streams_;
  std::unordered_map<Event, std::unique_ptr<EventState>> reset_events_;
};

}  // namespace sassim::cuda
