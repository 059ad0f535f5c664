// SPDX-License-Identifier: Apache-2.0
// The SM's end of the network: its two links, its credits, and the replies on their way to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/common/timed_inbox.h"
#include "arch/network/link.h"
#include "arch/network/memory_port.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class SmPort final : public MemoryPort {
 public:
  SmPort(SmId sm, const config::CrossbarConfig& config);

  // used by the SM
  bool can_send(Cycle now, std::uint32_t data_bytes) const override {
    return out_.free_at() <= now && credit_at(data_bytes) <= now;
  }
  /// If no credit is left, the time when the next one on its way arrives.
  Cycle ready_at(Cycle now, std::uint32_t data_bytes) const override {
    return std::max({now, out_.free_at(), credit_at(data_bytes)});
  }
  void send(MemRequest request, Cycle now) override;
  void fence(std::uint32_t near, std::uint32_t far) override { near_barriers_ += near, far_barriers_ += far; }
  const MemReply* front(Cycle now) const override;
  void pop() override;
  Cycle next_reply() const override;

  // used by the memory, between epochs only
  /// Requests since the last clear_sent(); `time` is when the last byte left.
  const std::vector<MemRequest>& sent() const { return sent_; }
  /// Barriers of fences since then, to slices of the SM's half of the chip and of the other.
  std::uint32_t near_barriers() const { return near_barriers_; }
  std::uint32_t far_barriers() const { return far_barriers_; }
  void clear_sent() {
    sent_.clear();
    near_barriers_ = far_barriers_ = 0;
  }
  /// `reply.time` is when its first byte reaches the link of the SM.
  void deliver(const MemReply& reply) {
    replies_.add(reply);
    delivered_ = true;
  }
  void return_credit(const Credit& credit) {
    returned_.add(credit);
    delivered_ = true;
  }
  /// Sorts what an exchange has delivered, when all is there; nothing may be due before `now`.
  void settle(Cycle now);

  /// Sets the counters to zero. No request may be in flight.
  void start_kernel();
  /// Throws std::logic_error unless every request was answered exactly once and every credit is here or on its way
  /// back.
  void check_conservation() const;
  bool idle() const { return outstanding_ == 0; }
  /// Adds to the graph that this port waits for `beyond`, if it does.
  void describe_waits(WaitGraph& graph, const char* beyond) const;
  SmId sm() const { return sm_; }
  void report(stats::CounterValues& values) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(out_, in_, credits_, write_credits_, sequence_, outstanding_, sent_, near_barriers_, far_barriers_,
            replies_, returned_, delivered_, front_);
    archive(counts_.requests, counts_.expected, counts_.answered, counts_.bytes_out, counts_.bytes_in);
  }

 private:
  void expose();
  Cycle credit_at(std::uint32_t data_bytes) const;

  SmId sm_;
  Packets packets_;
  Link<Cycle> out_, in_;
  std::uint32_t credits_;
  std::int64_t write_credits_;  ///< may become negative: the last request may use more credits than are left
  std::uint32_t sequence_ = 0;
  std::uint64_t outstanding_ = 0;  ///< requests whose reply has not been taken
  std::vector<MemRequest> sent_;
  std::uint32_t near_barriers_ = 0, far_barriers_ = 0;
  TimedInbox<MemReply, ReplyOrder> replies_;
  struct Earlier {
    bool operator()(const Credit& a, const Credit& b) const {
      return a.time != b.time ? a.time < b.time : a.write_sectors < b.write_sectors;
    }
  };
  TimedInbox<Credit, Earlier> returned_;
  bool delivered_ = false;
  MemReply front_;  ///< the next reply; its time is when it has passed the link
  std::uint32_t all_credits_;
  std::int64_t all_write_credits_;
  struct {
    std::uint64_t requests = 0, expected = 0, answered = 0, bytes_out = 0, bytes_in = 0;
  } counts_;
};

}  // namespace sassim::arch
