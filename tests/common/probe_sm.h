// SPDX-License-Identifier: Apache-2.0
// Stand-ins for an SM that measure the memory system without one: dependent loads, and streams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "arch/common/component.h"
#include "arch/network/memory_port.h"

namespace sassim::arch::testing {

/// One load after the other; each costs `sm_cycles` in the SM besides what the memory takes.
class ChaseSm final : public Component {
 public:
  using Next = std::function<bool(MemRequest&)>;  ///< fills in the next request; false at the end
  ChaseSm(MemoryPort& port, std::uint32_t sm_cycles, Next next)
      : port_(port), cost_(sm_cycles), next_(std::move(next)) {
    more_ = next_(request_);
  }

  void advance(Cycle until) override {
    for (Cycle now = next_event(); now < until; now = next_event()) {
      if (port_.front(now) != nullptr) {
        port_.pop();
        latencies_.push_back(now.value - sent_.value + cost_);
        due_ = now + cost_;
        waits_ = false;
        more_ = next_(request_);
      } else if (port_.can_send(now, request_.data_bytes)) {
        port_.send(request_, now);
        sent_ = now;
        waits_ = true;
      }
    }
  }
  Cycle next_event() const override {
    if (waits_) return port_.next_reply();
    return more_ ? port_.ready_at(due_, request_.data_bytes) : kNever;
  }
  const std::vector<std::uint64_t>& latencies() const { return latencies_; }

 private:
  MemoryPort& port_;
  std::uint32_t cost_;
  Next next_;
  MemRequest request_;
  bool more_ = false, waits_ = false;
  Cycle due_{0}, sent_{0};
  std::vector<std::uint64_t> latencies_;
};

/// Keeps `outstanding` requests in flight, each `think` cycles after the reply that made room for it.
class StreamSm final : public Component {
 public:
  using Next = std::function<bool(MemRequest&)>;
  StreamSm(MemoryPort& port, std::uint32_t outstanding, std::uint32_t think, Next next)
      : port_(port), think_(think), next_(std::move(next)), room_(outstanding, Cycle{0}) {
    more_ = next_(request_);
  }

  void advance(Cycle until) override {
    for (Cycle now = next_event(); now < until; now = next_event()) {
      while (const MemReply* reply = port_.front(now)) {
        total_latency_ += reply->time.value - sent_at_[reply->tag].value;
        latencies_.push_back(static_cast<std::uint32_t>(reply->time.value - sent_at_[reply->tag].value));
        room_.push_back(reply->time + think_);
        last_ = reply->time;
        ++done_;
        port_.pop();
      }
      if (!more_ || head_ == room_.size() || room_[head_] > now || !port_.can_send(now, request_.data_bytes)) continue;
      request_.tag = static_cast<std::uint32_t>(sent_at_.size());
      sent_at_.push_back(now);
      ++head_;
      port_.send(request_, now);
      more_ = next_(request_);
    }
  }
  Cycle next_event() const override {
    const Cycle reply = port_.next_reply();
    if (!more_ || head_ == room_.size()) return reply;
    return std::min(reply, port_.ready_at(room_[head_], request_.data_bytes));
  }
  Cycle last() const { return last_; }
  std::uint64_t done() const { return done_; }
  std::uint64_t total_latency() const { return total_latency_; }
  const std::vector<std::uint32_t>& latencies() const { return latencies_; }

 private:
  MemoryPort& port_;
  std::uint32_t think_;
  Next next_;
  MemRequest request_;
  bool more_ = false;
  std::vector<Cycle> room_;
  std::size_t head_ = 0;
  std::vector<Cycle> sent_at_;
  std::vector<std::uint32_t> latencies_;
  Cycle last_{0};
  std::uint64_t done_ = 0, total_latency_ = 0;
};

}  // namespace sassim::arch::testing
