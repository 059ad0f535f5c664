// SPDX-License-Identifier: Apache-2.0
// A stand-in for an SM that sends random requests and remembers everything that it saw, with its time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <unordered_map>

#include "arch/common/component.h"
#include "arch/network/memory_port.h"

namespace sassim::arch::testing {

struct RandomTraffic {
  std::uint64_t requests = 200;
  std::uint32_t largest_gap = 20;      ///< cycles between two requests
  std::uint64_t footprint = 1u << 20;  ///< bytes
  std::uint32_t outstanding = 64;
  std::uint32_t seed = 1;
  bool stores = true, atomics = true;
  bool all_kinds =
      false;  ///< instructions, constants and translations too, and what stores and atomics say of themselves
};

class RandomSm final : public Component {
 public:
  RandomSm(MemoryPort& port, const RandomTraffic& traffic) : port_(port), traffic_(traffic), random_(traffic.seed) {
    plan();
  }
  /// Goes on as `other` would, at another port.
  RandomSm(MemoryPort& port, const RandomSm& other) : RandomSm(port, other.traffic_) {
    random_ = other.random_;
    request_ = other.request_;
    due_ = other.due_;
    last_ = other.last_;
    sent_ = other.sent_;
    digest_ = other.digest_;
    waiting_ = other.waiting_;
  }

  /// So many requests more, from `now` on.
  void add(std::uint64_t requests, Cycle now) {
    traffic_.requests += requests;
    due_ = std::max(due_, now);
  }

  void advance(Cycle until) override {
    for (Cycle now = next_event(); now < until; now = next_event()) act(now);
  }

  Cycle next_event() const override {
    const Cycle reply = port_.next_reply();
    if (sent_ == traffic_.requests || waiting_.size() >= traffic_.outstanding) return reply;
    return std::min(reply, port_.ready_at(due_, request_.data_bytes));
  }

  bool holds_launch() const override { return !done(); }

  /// Of all replies, with their times.
  std::uint64_t digest() const { return digest_; }
  bool done() const { return sent_ == traffic_.requests && waiting_.empty(); }
  Cycle last() const { return last_; }

 private:
  void act(Cycle now) {
    while (const MemReply* reply = port_.front(now)) {
      take(*reply);
      port_.pop();
    }
    if (sent_ == traffic_.requests || waiting_.size() >= traffic_.outstanding || now < due_) return;
    if (!port_.can_send(now, request_.data_bytes)) return;
    request_.tag = static_cast<std::uint32_t>(sent_++);
    if (request_.needs_reply) waiting_.emplace(request_.tag, request_);
    port_.send(request_, now);
    due_ = now + 1;
    plan();
  }

  void take(const MemReply& reply) {
    auto found = waiting_.find(reply.tag);
    if (found == waiting_.end()) throw std::logic_error("a reply that nobody waits for");
    if (found->second.address != reply.address || found->second.sectors != reply.sectors)
      throw std::logic_error("a reply that does not answer its request");
    waiting_.erase(found);
    last_ = reply.time;
    const std::uint64_t from = reply.from.is_slice() ? reply.from.slice().value : ~std::uint64_t{0};
    for (std::uint64_t part :
         {reply.time.value, std::uint64_t{reply.tag}, reply.address, from, std::uint64_t{reply.sequence}})
      digest_ = (digest_ ^ part) * 0x9e3779b97f4a7c15ull + (digest_ >> 29);
  }

  void plan() {
    request_ = MemRequest{};
    due_ = due_ + random_() % (traffic_.largest_gap + 1);
    request_.address = random_() % (traffic_.footprint / 128) * 128;
    request_.sectors = static_cast<std::uint8_t>(1 + random_() % 15);
    const std::uint32_t what = random_() % 8;
    if (what == 0 && traffic_.stores) {
      request_.kind = RequestKind::store;
      request_.partial = static_cast<std::uint8_t>(random_() & request_.sectors);
      request_.data_bytes = static_cast<std::uint16_t>(32 * std::popcount(request_.sectors));
      request_.needs_reply = random_() % 2 == 0;
    } else if (what == 1 && traffic_.atomics) {
      request_.kind = random_() % 2 == 0 ? RequestKind::atomic : RequestKind::reduction;
      request_.atomic.operations = static_cast<std::uint8_t>(1 + random_() % 32);
      request_.atomic.serial = static_cast<std::uint8_t>(1 + random_() % request_.atomic.operations);
      request_.data_bytes = static_cast<std::uint16_t>(4 * request_.atomic.operations);
    }
    if (traffic_.all_kinds) plan_more(what);
  }

  /// Some lines are in use by all, so that loads merge and atomics meet.
  void plan_more(std::uint32_t what) {
    request_.pc = random_() % 64 * 16;
    if (what == 0) request_.bytes = {random_() * 0x100000001ull, random_() * 0x100000001ull};
    if (what == 1) {
      request_.atomic.floating = random_() % 2 == 0;
      request_.partial = static_cast<std::uint8_t>(random_() & request_.sectors);
    }
    if (what == 2) request_.kind = random_() % 2 == 0 ? RequestKind::instruction : RequestKind::constant;
    if (what == 3) {
      request_.kind = RequestKind::translation;
      request_.address = random_() % 4096 << 25;
    }
    if (what == 4 || (what < 2 && random_() % 4 != 0)) request_.address = 5 * 128 + random_() % 3 * 4096;
    if (what == 4) request_.sectors = 15;
  }

  MemoryPort& port_;
  RandomTraffic traffic_;
  std::mt19937 random_;
  MemRequest request_;
  Cycle due_{0}, last_{0};
  std::uint64_t sent_ = 0;
  std::uint64_t digest_ = 0;
  std::unordered_map<std::uint32_t, MemRequest> waiting_;
};

}  // namespace sassim::arch::testing
