// SPDX-License-Identifier: Apache-2.0
#include "arch/common/sm_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace sassim::arch {

SmPort::SmPort(SmId sm, const config::CrossbarConfig& config)
    : sm_(sm),
      packets_{config.flit, config.header},
      out_(config.request_bytes_per_cycle),
      in_(config.reply_bytes_per_cycle),
      credits_(config.credits),
      all_credits_(config.credits) {}

bool SmPort::can_send(Cycle now, std::uint32_t) const {
  return out_.free_at() <= now.value && (credits_ > 0 || (!returned_.empty() && returned_.front() <= now));
}

Cycle SmPort::ready_at(Cycle now) const {
  const Cycle wire = std::max(now, Cycle{out_.free_at()});
  if (credits_ > 0) return wire;
  return returned_.empty() ? kNever : std::max(wire, returned_.front());
}

void SmPort::send(MemRequest request, Cycle now) {
  while (!returned_.empty() && returned_.front() <= now) {
    ++credits_;
    returned_.pop();
  }
  assert(credits_ > 0 && out_.free_at() <= now.value);
  --credits_;
  const std::uint32_t bytes = packets_.bytes(request.data_bytes);
  request.time = Cycle{out_.take(now.value, bytes)};
  request.sm = sm_;
  request.sequence = sequence_++;
  sent_.push_back(request);
  ++requests_;
  bytes_out_ += bytes;
  if (request.needs_reply) ++outstanding_, ++expected_;
}

void SmPort::start_kernel() { requests_ = expected_ = answered_ = bytes_out_ = bytes_in_ = 0; }

void SmPort::check_conservation() const {
  if (answered_ != expected_ || outstanding_ != 0)
    throw std::logic_error(
        fmt::format("SM {}: {} requests wanted a reply, {} were answered", sm_.value, expected_, answered_));
  if (credits_ + returned_.size() != all_credits_)
    throw std::logic_error(fmt::format("SM {}: {} of {} credits are left after the last reply", sm_.value,
                                       credits_ + returned_.size(), all_credits_));
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
  Link wire = in_;
  front_.time = Cycle{wire.take(front_.time.value, packets_.bytes(front_.data_bytes))};
}

const MemReply* SmPort::front(Cycle now) const { return !replies_.empty() && front_.time <= now ? &front_ : nullptr; }

void SmPort::pop() {
  const std::uint32_t bytes = packets_.bytes(front_.data_bytes);
  in_.take(replies_.front().time.value, bytes);
  bytes_in_ += bytes;
  ++answered_;
  assert(outstanding_ > 0);
  --outstanding_;
  replies_.pop();
  expose();
}

Cycle SmPort::next_reply() const { return replies_.empty() ? kNever : front_.time; }

std::string SmPort::waiting() const {
  if (idle()) return {};
  return fmt::format("SM {}: waits for {} replies from memory{}\n", sm_.value, outstanding_,
                     credits_ + returned_.size() == 0 ? ", has no credit left to send more" : "");
}

void SmPort::report(stats::MetricSet& metrics) const {
  metrics.sum("sassim__xbar_requests.sum", "request", "requests that SMs sent into the crossbar", requests_);
  metrics.sum("sassim__xbar_replies.sum", "reply", "replies that SMs took from the crossbar", answered_);
  metrics.sum("sassim__xbar_bytes_sm2l2.sum", "byte", "bytes from SMs to L2, headers and padding included", bytes_out_);
  metrics.sum("sassim__xbar_bytes_l22sm.sum", "byte", "bytes from L2 to SMs, headers and padding included", bytes_in_);
}

}  // namespace sassim::arch
