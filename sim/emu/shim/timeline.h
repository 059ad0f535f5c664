// SPDX-License-Identifier: Apache-2.0
// Simulated time of the runtime: streams and events. Work runs at the call, one piece after another; what a stream
// orders is when it is said to have run.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "sim/base/strong.h"
#include "sim/emu/shim/abi.h"

namespace sassim::shim {

using Picoseconds = Quantity<struct PicosecondsTag>;

struct StreamState {
  bool blocking = true;  ///< ordered with the legacy default stream
  int priority = 0;
  Picoseconds ready;  ///< when all work given to it so far is done
};

struct EventState {
  bool timing = true;
  bool recorded = false;
  Picoseconds time;
};

class Timeline {
 public:
  Stream create_stream(bool blocking, int priority);
  Event create_event(bool timing);
  bool destroy(Stream);
  bool destroy(Event);

  /// The state behind a handle; nullptr when there is no such stream or event.
  StreamState* find(Stream);
  EventState* find(Event);

  /// Books `duration` of the device on a stream: it starts when the stream and the device are free. Returns its end.
  Picoseconds run(Stream, Picoseconds duration);
  void record(EventState&, Stream);
  void wait(Stream, const EventState&);
  /// The end of everything given so far.
  Picoseconds end() const;

 private:
  bool is_default(Stream) const;

  StreamState legacy_;
  Picoseconds device_free_;
  std::unordered_map<Stream, std::unique_ptr<StreamState>> streams_;
  std::unordered_map<Event, std::unique_ptr<EventState>> events_;
};

}  // namespace sassim::shim
