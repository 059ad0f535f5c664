// SPDX-License-Identifier: Apache-2.0
// The unit `shuffle` of the SM, for a GPU where shuffles go through the data stage of L1 and shared memory: one
// register in one pass.
#include "arch/sm/units/unit.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

class ShuffleUnit final : public SmUnit {
 public:
  explicit ShuffleUnit(const UnitParts& parts)
      : data_(parts.data), events_(parts.events), pass_cycles_(cycles(parts.config)) {
    const std::uint32_t latency = parts.config.pipes.ops[static_cast<std::size_t>(isa::OpClass::shuffle)].latency;
    const std::uint32_t before_accept = parts.config.memory_io.pipeline;
    latency_ = latency > before_accept ? latency - before_accept : 1;
  }

  void accept(const UnitOp& op, Cycle now) override {
    data_.count_other(1);
    events_.push(now, op.token, UnitEvent::Kind::sources_read);
    events_.push(data_.reserve(now, pass_cycles_) + latency_, op.token, UnitEvent::Kind::written_back);
  }
  static std::uint32_t cycles(const config::Sm& sm) { return pass_cycles(sm.shared, sm.shared.bytes_per_cycle); }

 private:
  DataStage& data_;
  EventQueue& events_;
  std::uint32_t pass_cycles_;
  std::uint32_t latency_ = 1;  ///< from the pass through the data stage on
};

const RegisteredUnit<ShuffleUnit> shuffle_registered("shuffle", {.executes = {isa::OpClass::shuffle},
                                                                 .resource = Resource::shared,
                                                                 .long_latency = false,
                                                                 .interval = ShuffleUnit::cycles});

}  // namespace
}  // namespace sassim::arch
