// SPDX-License-Identifier: Apache-2.0
// A memory pipeline on the bench: ports that answer after a fixed time, and instructions made by hand.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "arch/sm/units/units.h"

namespace sassim::arch::test {

class FixedPort final : public MemoryPort {
 public:
  explicit FixedPort(std::uint64_t reply_after) : latency(reply_after) {}

  bool can_send(Cycle now, std::uint32_t) const override { return !closed && now >= free; }
  Cycle ready_at(Cycle now, std::uint32_t) const override { return closed ? now + 1 : std::max(now, free); }
  void send(MemRequest request, Cycle now) override {
    free = now + 1;
    sent.push_back(request);
    if (!request.needs_reply) return;
    MemReply reply{now + (request.kind == RequestKind::translation ? walk : latency),
                   request.address,
                   request.tag,
                   request.from,
                   request.kind,
                   request.sectors};
    reply.client = request.client;
    const auto later = [](Cycle time, const MemReply& other) { return time < other.time; };
    replies.insert(std::upper_bound(replies.begin(), replies.end(), reply.time, later), reply);
  }
  const MemReply* front(Cycle now) const override {
    return !replies.empty() && replies.front().time <= now ? &replies.front() : nullptr;
  }
  void pop() override { replies.pop_front(); }
  Cycle next_reply() const override { return replies.empty() ? kNever : replies.front().time; }

  std::size_t count(RequestKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(sent.begin(), sent.end(), [&](const MemRequest& r) { return r.kind == kind; }));
  }

  std::uint64_t latency, walk = 1;
  bool closed = false;
  Cycle free;
  std::vector<MemRequest> sent;
  std::deque<MemReply> replies;
};

class FixedConstants final : public ConstantMissPort {
 public:
  explicit FixedConstants(std::uint64_t reply_after) : latency(reply_after) {}
  bool can_request(Cycle) const override { return true; }
  void request(std::uint64_t address, std::uint32_t tag, Cycle now) override {
    asked.push_back(address);
    replies.emplace_back(now + latency, tag);
  }
  bool pop_reply(Cycle now, std::uint32_t& tag) override {
    if (replies.empty() || replies.front().first > now) return false;
    tag = replies.front().second;
    replies.pop_front();
    return true;
  }
  Cycle next_reply() const override { return replies.empty() ? kNever : replies.front().first; }

  std::uint64_t latency;
  std::vector<std::uint64_t> asked;
  std::deque<std::pair<Cycle, std::uint32_t>> replies;
};

inline isa::Decoded decoded(isa::OpClass op, isa::Space space, std::uint8_t bytes = 4) {
  isa::Decoded d;
  d.op = op;
  d.latency = isa::Latency::variable;
  d.space = space;
  d.access_bytes = bytes;
  using enum isa::OpClass;
  d.writes_memory =
      op == store || op == store_shared || op == atomic || op == reduction || op == atomic_shared || op == async_copy;
  return d;
}

using AddressOf = std::function<std::uint64_t(int lane)>;

inline UnitOp make_op(const isa::Decoded& d, const AddressOf& address, LaneMask lanes = LaneMask::all()) {
  UnitOp op;
  op.decoded = &d;
  op.space = d.space;
  op.lanes = lanes;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (lanes.test(lane)) op.addresses[static_cast<std::size_t>(lane)] = address(lane);
  return op;
}

struct Times {
  std::optional<Cycle> sources_read, departed, written_back, acknowledged;
  Cycle accepted;
};

/// Accepts instructions as early as the pipeline allows, and runs it from event to event.
class Bench {
 public:
  explicit Bench(config::Sm config = {}, std::uint64_t memory_latency = 150)
      : sm(config),
        port(memory_latency),
        constants(sm.constant.l15_latency - sm.constant.ldc_latency),
        pipeline(sm, {SmId(3),
                      [this] {
                        return PortClient{port, 0};
                      },
                      constants, live}) {}

  /// Returns the instruction's token; `times[token]` fills as the events come.
  std::uint32_t issue(UnitOp op) {
    const bool adu = sm.memory_io.adu_queue.entries != 0 && op.space == isa::Space::constant;
    const UnitQueue queue = adu ? UnitQueue::adu : UnitQueue::memory;
    const auto ready_at = [&] { return std::max(pipeline.ready(queue, op, now), entry_free); };
    for (Cycle ready = ready_at(); ready > now; ready = ready_at()) step(ready);
    op.token = {0, static_cast<std::uint32_t>(times.size())};
    times.emplace_back();
    times.back().accepted = now;
    pipeline.accept(queue, op, now);
    if (queue == UnitQueue::memory) entry_free = now + pipeline.interval(op);
    return op.token.operation;
  }
  void start_kernel(std::uint64_t carveout, bool keep_caches, AccessObserver* observer = nullptr) {
    SmLaunch launch;
    launch.carveout = carveout;
    launch.keep_caches = keep_caches;
    launch.accesses = observer;
    pipeline.start_kernel(launch, nullptr);
  }
  /// Runs until nothing is left to do; gives up after a million cycles.
  void drain() {
    while (!pipeline.idle() && now.value < limit) step();
  }
  /// Accepts, drains, and returns the cycles from accept to the wanted event.
  std::uint64_t result_after(const UnitOp& op) {
    const std::uint32_t token = issue(op);
    drain();
    return times[token].written_back ? (*times[token].written_back - times[token].accepted).value : 0;
  }
  void step(Cycle until = kNever) {
    UnitEvent event;
    pipeline.cycle(now);
    while (pipeline.pop_event(now, event)) {
      std::optional<Cycle>& at =
          event.kind == UnitEvent::Kind::departed       ? times[event.token.operation].departed
          : event.kind == UnitEvent::Kind::sources_read ? times[event.token.operation].sources_read
          : event.kind == UnitEvent::Kind::written_back ? times[event.token.operation].written_back
                                                        : times[event.token.operation].acknowledged;
      if (at) ++answered_twice;
      at = event.time;
    }
    const Cycle next = std::min({until, pipeline.next_event(), port.next_reply()});
    now = next == kNever || next <= now ? now + 1 : (skip ? next : now + 1);
  }
  std::uint64_t metric(std::string_view name) const {
    stats::CounterValues values;
    pipeline.report(values);
    return static_cast<std::uint64_t>(values.metrics()[name]);
  }

  config::Sm sm;
  FixedPort port;
  FixedConstants constants;
  LiveAccesses live;
  Units pipeline;
  std::vector<Times> times;
  Cycle now;
  Cycle entry_free;  ///< when the entry of the memory stage is free
  std::uint64_t limit = 1'000'000;
  int answered_twice = 0;
  bool skip = true;
};

}  // namespace sassim::arch::test
