// SPDX-License-Identifier: Apache-2.0
// The unit `constants` of the SM, which executes constant loads (LDC): the interface of a unit around their cache,
// VariableConstantCache.
#include "arch/common/wait_names.h"
#include "arch/sm/units/constants/variable_constant_cache.h"
#include "arch/sm/units/unit.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {
namespace {

class ConstantsUnit final : public SmUnit {
 public:
  explicit ConstantsUnit(const UnitParts& parts)
      : sm_(parts.sm), cache_(parts.config, parts.constants, parts.events, parts.sm) {}

  Cycle ready(const UnitOp&, Cycle now) const override {
    return cache_.overtakes() ? cache_.accept_ready(now) : cache_.can_accept() ? now : kNever;
  }
  void accept(const UnitOp& op, Cycle now) override { cache_.accept(op, now); }
  bool acts_later() const override { return true; }
  void cycle(Cycle now) override {
    if (cache_.next_event() <= now) cache_.cycle(now);
  }
  Cycle next_event() const override { return cache_.next_event(); }
  bool idle() const override { return cache_.idle(); }

  void start_kernel(const SmLaunch& launch) override {
    if (!launch.keep_caches) cache_.clear();
    cache_.clear_counters();
  }
  void report(stats::CounterValues& values) const override { cache_.report(values); }
  void describe_waits(WaitGraph& graph, WaitGraph::Node stage) const override {
    if (!idle()) graph.waits(stage, graph.node(code_caches_name(sm_)), "constants");
  }
  void save(StateWriter& to) const override { to(cache_); }
  void load(StateReader& from, const StaticCode&) override { from(cache_); }

 private:
  SmId sm_;
  VariableConstantCache cache_;
};

const RegisteredUnit<ConstantsUnit> constants_registered("constants", {.executes = {isa::OpClass::load_const},
                                                                       .resource = Resource::constant,
                                                                       .long_latency = false});

}  // namespace
}  // namespace sassim::arch
