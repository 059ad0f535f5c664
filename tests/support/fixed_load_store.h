// SPDX-License-Identifier: Apache-2.0
// A load/store unit with one latency per kind of access and no limits: what tests of the SM's other parts stand on.
#pragma once

#include <algorithm>
#include <queue>
#include <vector>

#include "arch/sm/memory/load_store_unit.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch::test {

class FixedLoadStore final : public LoadStoreUnit {
 public:
  explicit FixedLoadStore(const config::Sm& config) : config_(config) {}

  bool can_accept(Cycle) const override { return true; }
  void accept(const LsuOp& op, Cycle now) override {
    const bool shared = op.space == isa::Space::shared;
    const bool constant = op.decoded->op == isa::OpClass::load_const;
    const bool vector = !shared && !constant && !op.uniform_address;
    const Cycle issue(now.value - config_.memory_io.pipeline - (vector ? config_.memory_io.vector_address : 0));
    std::uint32_t latency = shared     ? config_.shared.latency
                            : constant ? config_.constant.ldc_latency
                                       : config_.l1.hit_latency;
    if (op.uniform_address) latency -= config_.memory_io.vector_result;
    add({now, op.token, LsuEvent::Kind::sources_read});
    const bool store = op.decoded->op == isa::OpClass::store || op.decoded->op == isa::OpClass::store_shared ||
                       op.decoded->op == isa::OpClass::reduction;
    add({std::max(now + 1, issue + latency), op.token,
         store ? LsuEvent::Kind::acknowledged : LsuEvent::Kind::written_back});
  }
  void cycle(Cycle) override {}
  bool pop_event(Cycle now, LsuEvent& event) override {
    if (events_.empty() || events_.top().event.time > now) return false;
    event = events_.top().event;
    events_.pop();
    return true;
  }
  Cycle next_event() const override { return events_.empty() ? kNever : events_.top().event.time; }
  bool idle() const override { return events_.empty(); }
  void start_kernel(std::uint64_t, bool) override {}
  void report(stats::MetricSet&) const override {}

 private:
  struct Entry {
    LsuEvent event;
    std::uint64_t sequence;
    bool operator<(const Entry& o) const {
      return event.time != o.event.time ? event.time > o.event.time : sequence > o.sequence;
    }
  };
  void add(const LsuEvent& event) { events_.push({event, sequence_++}); }

  const config::Sm& config_;
  std::priority_queue<Entry> events_;
  std::uint64_t sequence_ = 0;
};

}  // namespace sassim::arch::test
