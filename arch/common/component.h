// SPDX-License-Identifier: Apache-2.0
// The interfaces that the epoch engine drives: components that advance independently, and the exchange of messages
// between epochs.
#pragma once

#include <cstddef>

#include "sim/base/types.h"

namespace sassim::arch {

/// A part of the GPU that shares nothing with other parts within an epoch: an SM or a memory partition.
class Component {
 public:
  virtual ~Component() = default;
  /// Simulates everything before `until`, in order of time. All messages that are due before `until` have been
  /// delivered; messages that it sends take effect at `until` or later. The result must not depend on how time is split
  /// into calls.
  virtual void advance(Cycle until) = 0;
  /// A lower bound for the time of the next action, delivered messages included; kNever if there is none.
  virtual Cycle next_event() const = 0;
  /// True if the launch cannot end before something happens here.
  virtual bool holds_launch() const { return false; }
};

/// The part of the receivers to which one of several threads delivers; alone, a thread delivers to all.
struct Share {
  std::size_t index = 0, count = 1;
  bool has(std::size_t receiver) const { return count == 1 || receiver % count == index; }
};

/// Called by one thread between epochs, in the order of registration.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// All components have simulated everything before `now`: delivers messages to their receivers.
  virtual void exchange(Cycle now) = 0;
  /// How many messages exchange() would deliver, if threads may share this work; else 0.
  virtual std::size_t to_share() const { return 0; }
  /// Instead of exchange(), in this order: deliver() for all shares at the same time, then settle(), then shared()
  /// once.
  virtual void deliver(Share /*share*/, Cycle /*now*/) {}
  virtual void settle(Share /*share*/, Cycle /*now*/) {}
  virtual void shared() {}
  /// A lower bound for the time of the next thing that it decides by itself, which an exchange after that time does;
  /// kNever if there is none. No epoch starts later.
  virtual Cycle next_event() const { return kNever; }
};

}  // namespace sassim::arch
