// SPDX-License-Identifier: Apache-2.0
// What the epoch engine drives: parts that advance on their own, and the hand-over of messages between epochs.
#pragma once

#include "sim/base/types.h"

namespace sassim::arch {

/// A part of the GPU that shares nothing with the others within an epoch: an SM, a memory partition.
class Component {
 public:
  virtual ~Component() = default;
  /// Does everything that happens before `until`, in order of time. All messages due before `until` are already here;
  /// whatever it sends takes effect at `until` or later. Must not depend on how time is cut into calls.
  virtual void advance(Cycle until) = 0;
  /// A lower bound on the time of its next action, messages already delivered included; kNever without any.
  virtual Cycle next_event() const = 0;
};

/// Called by one thread between epochs, in the order of registration.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Everything before `now` has happened everywhere: hands what was sent to its receivers.
  virtual void exchange(Cycle now) = 0;
};

}  // namespace sassim::arch
