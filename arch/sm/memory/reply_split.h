// SPDX-License-Identifier: Apache-2.0
// Splits the replies of a memory port between its two users: instructions and constants go to the instruction cache,
// all others to the load/store unit.
#pragma once

#include <deque>

#include "arch/network/memory_port.h"
#include "arch/sm/sync/used_slices.h"

namespace sassim::arch {

/// The load/store unit's view of the port: it sends any request and receives only its own replies. It notes the slices
/// for fences.
class DataPort final : public MemoryPort {
 public:
  DataPort(MemoryPort& port, UsedSlices& used_slices) : port_(port), used_slices_(used_slices) {}

  bool can_send(Cycle now, std::uint32_t data_bytes) const override { return port_.can_send(now, data_bytes); }
  Cycle ready_at(Cycle now, std::uint32_t data_bytes) const override { return port_.ready_at(now, data_bytes); }
  void send(MemRequest request, Cycle now) override {
    if (of_l1(request.kind)) request.home = used_slices_.add(request.address);
    port_.send(request, now);
  }
  const MemReply* front(Cycle now) const override {
    return replies_.empty() || replies_.front().time > now ? nullptr : &replies_.front();
  }
  void pop() override { replies_.pop_front(); }
  Cycle next_reply() const override { return replies_.empty() ? port_.next_reply() : replies_.front().time; }

  /// Takes all replies that are due at `now` from the port; calls `code(reply)` for those with instructions and
  /// constants.
  template <class Code>
  void split(Cycle now, Code code) {
    while (const MemReply* reply = port_.front(now)) {
      if (reply->kind == RequestKind::instruction || reply->kind == RequestKind::constant)
        code(*reply);
      else
        replies_.push_back(*reply);
      port_.pop();
    }
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(replies_);
  }

 private:
  MemoryPort& port_;
  UsedSlices& used_slices_;
  std::deque<MemReply> replies_;
};

}  // namespace sassim::arch
