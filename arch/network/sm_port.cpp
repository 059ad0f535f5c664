// SPDX-License-Identifier: Apache-2.0
// Sends the requests of an SM when its link and credits allow it, and holds its replies until they are due.
#include "arch/network/sm_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "arch/common/wait_names.h"

namespace sassim::arch {

namespace {

/// What passes the port of an SM.
const struct SmPortCounters {
  stats::Count requests{"sassim__xbar_requests.sum", "request", "requests that SMs sent into the crossbar"};
  stats::Count replies{"sassim__xbar_replies.sum", "reply", "replies that SMs took from the crossbar"};
  stats::Count bytes_out{"sassim__xbar_bytes_sm2l2.sum", "byte", "bytes from SMs to L2, headers and padding included"};
  stats::Count bytes_in{"sassim__xbar_bytes_l22sm.sum", "byte", "bytes from L2 to SMs, headers and padding included"};
} kCrossbar;

}  // namespace

SmPort::SmPort(SmId sm, const config::CrossbarConfig& config)
    : sm_(sm),
      packets_(config),
      out_(config.request_bytes_per_cycle),
      in_(config.reply_bytes_per_cycle),
      credits_(config.credits),
      write_credits_(config.write_credits),
      all_credits_(config.credits),
      all_write_credits_(config.write_credits) {}

/// The cycle in which there are credits for a request with this payload, including credits that are on their way back;
/// kNever if more credits must be sent first.
Cycle SmPort::credit_at(std::uint32_t data_bytes) const {
  const bool writes = data_bytes > 0 && all_write_credits_ > 0;
  std::int64_t requests = credits_, sectors = write_credits_;
  Cycle time{};
  for (std::size_t i = 0; requests <= 0 || (writes && sectors <= 0); ++i) {
    if (i == returned_.size()) return kNever;
    time = returned_[i].time;
    requests += 1;
    sectors += returned_[i].write_sectors;
  }
  return time;
}

void SmPort::send(MemRequest request, Cycle now) {
  for (; !returned_.empty() && returned_.front().time <= now; returned_.pop()) {
    ++credits_;
    write_credits_ += returned_.front().write_sectors;
  }
  assert(credits_ > 0 && out_.free_at() <= now);
  --credits_;
  write_credits_ -= write_sectors(request);
  const std::uint32_t bytes = packets_.bytes(request);
  request.time = out_.occupy(now, bytes);
  request.from = Endpoint::of_sm(sm_);
  request.sm = sm_;
  request.sequence = sequence_++;
  sent_.push_back(request);
  ++counts_.requests;
  counts_.bytes_out += bytes;
  if (request.needs_reply) ++outstanding_, ++counts_.expected;
}

void SmPort::start_kernel() {
  counts_.requests = counts_.expected = counts_.answered = counts_.bytes_out = counts_.bytes_in = 0;
}

void SmPort::check_conservation() const {
  if (counts_.answered != counts_.expected || outstanding_ != 0)
    throw std::logic_error(fmt::format("SM {}: {} requests needed a reply, {} were answered", sm_.value,
                                       counts_.expected, counts_.answered));
  if (credits_ + returned_.size() != all_credits_)
    throw std::logic_error(fmt::format("SM {}: {} of {} credits are left after the last reply", sm_.value,
                                       credits_ + returned_.size(), all_credits_));
  std::int64_t sectors = write_credits_;
  for (std::size_t i = 0; i < returned_.size(); ++i) sectors += returned_[i].write_sectors;
  if (sectors != all_write_credits_)
    throw std::logic_error(fmt::format("SM {}: {} of {} write credits are left after the last reply", sm_.value,
                                       sectors, all_write_credits_));
}

void SmPort::settle(Cycle now) {
  if (!delivered_) return;
  delivered_ = false;
  returned_.settle(now);
  replies_.settle(now);
  expose();
}

void SmPort::expose() {
  if (replies_.empty()) return;
  front_ = replies_.front();
  Link<Cycle> wire = in_;
  front_.time = wire.occupy(front_.time, packets_.bytes(front_.data_bytes));
}

const MemReply* SmPort::front(Cycle now) const { return !replies_.empty() && front_.time <= now ? &front_ : nullptr; }

void SmPort::pop() {
  const std::uint32_t bytes = packets_.bytes(front_.data_bytes);
  in_.occupy(replies_.front().time, bytes);
  counts_.bytes_in += bytes;
  ++counts_.answered;
  assert(outstanding_ > 0);
  --outstanding_;
  replies_.pop();
  expose();
}

Cycle SmPort::next_reply() const { return replies_.empty() ? kNever : front_.time; }

void SmPort::describe_waits(WaitGraph& graph, const char* beyond) const {
  if (idle()) return;
  const WaitGraph::Node self = graph.node(port_name(sm_));
  graph.describe(self, fmt::format("{} replies outstanding{}{}", outstanding_,
                                   next_reply() == kNever
                                       ? ""
                                       : fmt::format(", the next at cycle {}", graph.since_start(next_reply().value)),
                                   credits_ + returned_.size() == 0 ? ", no credit is left to send more" : ""));
  graph.waits(self, graph.node(beyond), "replies");
}

void SmPort::report(stats::CounterValues& values) const {
  values.sum(kCrossbar.requests, counts_.requests);
  values.sum(kCrossbar.replies, counts_.answered);
  values.sum(kCrossbar.bytes_out, counts_.bytes_out);
  values.sum(kCrossbar.bytes_in, counts_.bytes_in);
}

}  // namespace sassim::arch
