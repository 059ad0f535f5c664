// SPDX-License-Identifier: Apache-2.0
// The unit `barrier` of the SM, for a GPU where barriers of thread blocks go through the memory queue: a warp arrives
// when its BAR leaves the queue, behind the loads and stores that its processing block has issued before.
#include <algorithm>

#include "arch/sm/units/unit.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

class BarrierGate final : public SmUnit {
 public:
  explicit BarrierGate(const UnitParts& parts)
      : events_(parts.events),
        interval_(parts.config.pipes.ops[static_cast<std::size_t>(isa::OpClass::barrier)].interval) {}

  void accept(const UnitOp& op, Cycle now) override {
    const Cycle start = std::max(now, free_);
    free_ = start + interval_;
    events_.push(now, op.token, UnitEvent::Kind::sources_read);
    events_.push(start + 1, op.token, UnitEvent::Kind::written_back);
  }
  void start_kernel(const SmLaunch& /*launch*/) override { free_ = Cycle{}; }
  void save(StateWriter& to) const override { to(free_); }
  void load(StateReader& from, const StaticCode& /*code*/) override { from(free_); }
  /// BAR enters as S2R does, the other instruction of the ADU.
  static std::uint32_t entry(const config::Sm& sm) { return sm.memory_io.thread_index_interval; }

 private:
  EventQueue& events_;
  std::uint32_t interval_;  ///< from one arrival to the next
  Cycle free_;
};

const RegisteredUnit<BarrierGate> barrier_registered("barrier", {.executes = {isa::OpClass::barrier},
                                                                 .resource = Resource::shared,
                                                                 .long_latency = false,
                                                                 .interval = BarrierGate::entry});

}  // namespace
}  // namespace sassim::arch
