// SPDX-License-Identifier: Apache-2.0
// The memory's place at the network, as SmPort is an SM's: the L2 slices of one partition share one, and the walker of
// page tables has one. Within an epoch its owner sends here and takes the messages that have arrived; between epochs
// the network delivers what was sent. The time that messages take on a slice's links is SlicePort's.
#pragma once

#include <algorithm>
#include <vector>

#include "arch/common/timed_inbox.h"
#include "arch/network/messages.h"
#include "arch/network/paths.h"

namespace sassim::arch {

class NetworkPort {
 public:
  /// `at`: the owner's place on the chip, for slices that of any of them: all are in the same half. `paths` must
  /// outlive this object.
  NetworkPort(const Paths& paths, Endpoint at, std::size_t number) : paths_(paths), at_(at), number_(number) {}

  /// The reply goes to `request.from`, which is an SM if a slice passes its request on. Requests from a slice to its
  /// twin arrive in the order in which they were sent.
  void send(Endpoint to, MemRequest request, Cycle now) {
    if (last_.size() <= to.slice().value) last_.resize(to.slice().value + 1);
    Cycle& last = last_[to.slice().value];
    request.to = to;
    request.time = last = std::max(last, now + paths_.request(at_, to, request.kind));
    sent_.push_back(request);
  }
  void send(Endpoint to, MemReply reply, Cycle now) {
    reply.to = to;
    reply.time = now + paths_.reply(reply.from, to, reply);
    replies_.push_back(reply);
  }
  void return_credit(SmId to, std::uint32_t write_sectors, Cycle now) {
    credits_.push_back({now + paths_.credit(), to, write_sectors});
  }

  using Requests = TimedInbox<MemRequest, RequestOrder>;
  using Replies = TimedInbox<MemReply, ReplyOrder>;
  /// The messages that have arrived, by the time at which they take effect.
  Requests& requests() { return requests_in_; }
  Replies& replies() { return replies_in_; }
  const Requests& requests() const { return requests_in_; }
  const Replies& replies() const { return replies_in_; }

  // between epochs
  /// Which of the network's ports it is, from 0.
  std::size_t number() const { return number_; }
  /// Sorts the messages of an exchange when all have arrived; none may be due before `now`. True if there were any.
  bool settle(Cycle now) {
    if (!delivered_) return false;
    delivered_ = false;
    requests_in_.settle(now);
    replies_in_.settle(now);
    return true;
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(requests_in_, replies_in_, delivered_, last_, sent_, replies_, credits_);
  }

 private:
  friend class Network;
  std::size_t unsent() const { return sent_.size() + replies_.size() + credits_.size(); }
  void deliver(const MemRequest& request) {
    requests_in_.add(request);
    delivered_ = true;
  }
  void deliver(const MemReply& reply) {
    replies_in_.add(reply);
    delivered_ = true;
  }

  const Paths& paths_;
  Endpoint at_;
  std::size_t number_;
  Requests requests_in_;
  Replies replies_in_;
  bool delivered_ = false;
  std::vector<Cycle> last_;  ///< by slice of the other half: when the last request arrives there
  std::vector<MemRequest> sent_;
  std::vector<MemReply> replies_;
  std::vector<Credit> credits_;
};

}  // namespace sassim::arch
