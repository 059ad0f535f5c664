// SPDX-License-Identifier: Apache-2.0
// The unit `shared` of the SM: the interface of a unit around shared memory (shared_memory.h).
#include "arch/sm/units/shared/shared_memory.h"
#include "arch/sm/units/unit.h"
#include "sim/base/state_archive.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

using isa::OpClass;

class SharedUnit final : public SmUnit {
 public:
  explicit SharedUnit(const UnitParts& parts)
      : io_(parts.config.memory_io),
        data_(parts.data),
        events_(parts.events),
        traffic_(parts.traffic),
        memory_(parts.config) {}

  void accept(const UnitOp& op, Cycle now) override;
  void start_kernel(const SmLaunch&) override { memory_.clear_counters(); }
  void report(stats::CounterValues& values) const override { memory_.report(values); }
  void save(StateWriter& to) const override { to(memory_); }
  void load(StateReader& from, const StaticCode&) override { from(memory_); }

 private:
  const config::MemoryIo& io_;
  DataStage& data_;
  EventQueue& events_;
  TrafficCounter& traffic_;
  SharedMemory memory_;
};

void SharedUnit::accept(const UnitOp& op, Cycle now) {
  const SharedMemory::Result result = memory_.access(op, now, data_);
  traffic_.count(op, 0, result.cost);
  data_.count_shared(result.cost.passes);
  const std::uint32_t release =
      op.decoded->writes_memory ? store_release(io_, op.decoded->access_bytes, op.uniform_address) : 0;
  events_.push(now + release, op.token, UnitEvent::Kind::sources_read);
  const bool store = op.decoded->op == OpClass::store_shared || op.decoded->op == OpClass::store ||
                     op.decoded->op == OpClass::reduction;
  events_.push(result.done, op.token, store ? UnitEvent::Kind::acknowledged : UnitEvent::Kind::written_back);
}

const RegisteredUnit<SharedUnit> shared_registered("shared", {.executes = {OpClass::load_shared, OpClass::store_shared,
                                                                           OpClass::atomic_shared},
                                                              .resource = Resource::shared,
                                                              .long_latency = false});

}  // namespace
}  // namespace sassim::arch
