// SPDX-License-Identifier: Apache-2.0
// A memory system that answers everything after one latency.
#pragma once

#include <algorithm>
#include <deque>

#include "arch/network/memory_port.h"

namespace sassim::arch::test {

class FixedPort final : public MemoryPort {
 public:
  explicit FixedPort(std::uint64_t latency) : latency_(latency) {}

  bool can_send(Cycle now, std::uint32_t) const override { return now >= free; }
  Cycle ready_at(Cycle now, std::uint32_t) const override { return std::max(now, free); }
  void send(MemRequest request, Cycle now) override {
    ++sent_;
    if (request.needs_reply)
      replies_.push_back({now + latency_, request.address, request.tag, request.from, request.kind, request.sectors});
    if (request.needs_reply) replies_.back().client = request.client;
  }
  const MemReply* front(Cycle now) const override {
    return replies_.empty() || replies_.front().time > now ? nullptr : &replies_.front();
  }
  void pop() override { replies_.pop_front(); }
  Cycle next_reply() const override { return replies_.empty() ? kNever : replies_.front().time; }
  std::uint64_t sent() const { return sent_; }

  Cycle free;  ///< nothing is sent before

 private:
  std::uint64_t latency_, sent_ = 0;
  std::deque<MemReply> replies_;
};

}  // namespace sassim::arch::test
