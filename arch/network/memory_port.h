// SPDX-License-Identifier: Apache-2.0
// An SM's door to the memory system: the L1 data cache, the instruction and constant caches all send through it.
#pragma once

#include "arch/network/messages.h"

namespace sassim::arch {

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// True when a request with this payload can leave at `now` (bandwidth of the port, credits).
  virtual bool can_send(Cycle now, std::uint32_t data_bytes) const = 0;
  /// When can_send may turn true again; kNever if that is not known yet: ask again in the next epoch.
  virtual Cycle ready_at(Cycle now, std::uint32_t data_bytes) const = 0;
  /// Sends; who sends it (`from`, `sm`, `sequence`) is filled in here. Only after can_send said yes.
  virtual void send(MemRequest request, Cycle now) = 0;
  /// The next reply due at or before `now`, or nullptr; pop() drops it. Replies come in order of time.
  virtual const MemReply* front(Cycle now) const = 0;
  virtual void pop() = 0;
  /// Time of the next reply that is already known, else kNever.
  virtual Cycle next_reply() const = 0;
};

}  // namespace sassim::arch
