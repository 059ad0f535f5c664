// SPDX-License-Identifier: Apache-2.0
// The clients of an SM's port to the memory: the instruction cache, and each unit that sends requests. A client has a
// port of its own. Its number goes with each of its requests, the reply returns the number, and only the client
// receives the reply.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "arch/network/memory_port.h"
#include "arch/sm/common/used_slices.h"
#include "sim/base/error.h"

namespace sassim::arch {

/// The port of one client, which lasts as long as the PortClients that made it.
struct PortClient {
  MemoryPort& port;
  std::uint8_t number;  ///< MemRequest::client
};

class PortClients {
 public:
  PortClients(MemoryPort& port, UsedSlices& used_slices) : port_(port), used_slices_(used_slices) {}
  PortClients(const PortClients&) = delete;
  PortClients& operator=(const PortClients&) = delete;

  /// Another client.
  PortClient add() {
    if (clients_.size() == kMost) throw InputError("an SM has more than {} clients of its port", kMost);
    const auto number = static_cast<std::uint8_t>(clients_.size());
    return {clients_.emplace_back(port_, used_slices_, number), number};
  }
  /// Passes the replies that are due at `now` to their clients. False if there are none.
  bool dequeue_replies(Cycle now) {
    const MemReply* reply = port_.front(now);
    if (reply == nullptr) return false;
    for (; reply != nullptr; reply = port_.front(now)) {
      clients_[reply->client].replies.push_back(*reply);
      port_.pop();
    }
    return true;
  }
  /// Time of the next reply to any client, if it is known; else kNever.
  Cycle next_reply() const {
    Cycle next = port_.next_reply();
    for (const Client& client : clients_)
      if (!client.replies.empty()) next = std::min(next, client.replies.front().time);
    return next;
  }

  template <class Archive>
  void state(Archive& archive) {
    for (Client& client : clients_) archive(client.replies);
  }

 private:
  static constexpr std::size_t kMost = 256;

  struct Client final : public MemoryPort {
    Client(MemoryPort& sm_port, UsedSlices& slices, std::uint8_t its_number)
        : port(sm_port), used_slices(slices), number(its_number) {}

    bool can_send(Cycle now, std::uint32_t data_bytes) const override { return port.can_send(now, data_bytes); }
    Cycle ready_at(Cycle now, std::uint32_t data_bytes) const override { return port.ready_at(now, data_bytes); }
    void send(MemRequest request, Cycle now) override {
      // Fences ask the slices that data have gone to.
      if (of_l1(request.kind)) request.home = used_slices.add(request.address);
      request.client = number;
      port.send(request, now);
    }
    const MemReply* front(Cycle now) const override {
      return replies.empty() || replies.front().time > now ? nullptr : &replies.front();
    }
    void pop() override { replies.pop_front(); }
    Cycle next_reply() const override { return replies.empty() ? port.next_reply() : replies.front().time; }

    MemoryPort& port;
    UsedSlices& used_slices;
    std::uint8_t number;
    std::deque<MemReply> replies;
  };

  MemoryPort& port_;
  UsedSlices& used_slices_;
  std::deque<Client> clients_;
};

}  // namespace sassim::arch
