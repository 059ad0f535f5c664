// SPDX-License-Identifier: Apache-2.0
// The interface of an SM's port to the memory. The L1 data cache, the instruction cache and the constant caches send
// through it.
#pragma once

#include "arch/network/messages.h"

namespace sassim::arch {

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// True if a request with this payload can leave at `now`, given the width of the port and the credits.
  virtual bool can_send(Cycle now, std::uint32_t data_bytes) const = 0;
  /// When can_send() may become true; kNever if that is not known before the next epoch.
  virtual Cycle ready_at(Cycle now, std::uint32_t data_bytes) const = 0;
  /// Sends a request and fills in its sender (`from`, `sm`, `sequence`). Requires can_send().
  virtual void send(MemRequest request, Cycle now) = 0;
  /// A fence sent a barrier to so many slices of the SM's half of the chip, and of the other. They are only counted.
  virtual void fence(std::uint32_t /*near*/, std::uint32_t /*far*/) {}
  /// The next reply that is due at or before `now`, or nullptr; pop() removes it. Replies come in order of time.
  virtual const MemReply* front(Cycle now) const = 0;
  virtual void pop() = 0;
  /// Time of the next reply, if it is known; else kNever.
  virtual Cycle next_reply() const = 0;
};

}  // namespace sassim::arch
