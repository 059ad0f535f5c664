// SPDX-License-Identifier: Apache-2.0
// The door to the network of a part of the memory: the slices of a memory partition, or the walker. Within an epoch the
// part sends here and takes what has come; between epochs the network carries what was sent.
#pragma once

#include <vector>

#include "arch/common/timed_inbox.h"
#include "arch/network/messages.h"
#include "arch/network/paths.h"

namespace sassim::arch {

class NetworkPort {
 public:
  /// `at`: where on the chip the part is; of several slices, which are in one half, any. `paths` must outlive it.
  NetworkPort(const Paths& paths, Endpoint at) : paths_(paths), at_(at) {}

  /// `request.from` gets the answer, which may be an SM whose request is passed on.
  void send(Endpoint to, MemRequest request, Cycle now) {
    request.to = to;
    request.time = now + paths_.request(at_, to);
    sent_.push_back(request);
  }
  void send(Endpoint to, MemReply reply, Cycle now) {
    reply.to = to;
    reply.time = now + paths_.reply(reply.from, to, reply.data_bytes);
    replies_.push_back(reply);
  }
  void return_credit(SmId to, std::uint32_t write_sectors, Cycle now) {
    credits_.push_back({now + paths_.credit(), to, write_sectors});
  }

  using Requests = TimedInbox<MemRequest, RequestOrder>;
  using Replies = TimedInbox<MemReply, ReplyOrder>;
  /// What has come, by the time at which it takes effect.
  Requests& requests() { return requests_in_; }
  Replies& replies() { return replies_in_; }
  const Requests& requests() const { return requests_in_; }
  const Replies& replies() const { return replies_in_; }

  // between epochs
  /// Call once all messages of an exchange have come: none may be due before `now`. True if there were any.
  bool settle(Cycle now) {
    if (!delivered_) return false;
    delivered_ = false;
    requests_in_.settle(now);
    replies_in_.settle(now);
    return true;
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(requests_in_, replies_in_, delivered_, sent_, replies_, credits_);
  }

 private:
  friend class Network;
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
  Requests requests_in_;
  Replies replies_in_;
  bool delivered_ = false;
  std::vector<MemRequest> sent_;
  std::vector<MemReply> replies_;
  std::vector<Credit> credits_;
};

}  // namespace sassim::arch
