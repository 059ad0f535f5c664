// SPDX-License-Identifier: Apache-2.0
// The unit `adu` of the SM, the address divergence unit, for a GPU where it is no pipe of each processing block: it
// reads special registers (S2R, S2UR). Those of S2R may come through the memory stage instead
// (memory_io.thread_index_interval).
#include "arch/sm/units/unit.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {
namespace {

using isa::OpClass;

class AduUnit final : public SmUnit {
 public:
  explicit AduUnit(const UnitParts& parts) : events_(parts.events) {
    const config::MemoryIo& io = parts.config.memory_io;
    const auto from_accept = [&](std::uint32_t latency) { return latency > io.pipeline ? latency - io.pipeline : 1; };
    const auto latency_of = [&](OpClass op) {
      return from_accept(parts.config.pipes.ops[static_cast<std::size_t>(op)].latency);
    };
    latency_ = latency_of(OpClass::s2r);
    uniform_latency_ = latency_of(OpClass::s2ur);
    thread_index_latency_ = io.thread_index_interval != 0 ? from_accept(io.thread_index_latency) : latency_;
  }

  void accept(const UnitOp& op, Cycle now) override {
    const std::uint32_t latency = op.decoded->op == OpClass::s2ur ? uniform_latency_
                                  : op.decoded->reads_thread      ? thread_index_latency_
                                                                  : latency_;
    events_.push(now, op.token, UnitEvent::Kind::sources_read);
    events_.push(now + latency, op.token, UnitEvent::Kind::written_back);
  }

 private:
  EventQueue& events_;
  std::uint32_t latency_ = 1, uniform_latency_ = 1, thread_index_latency_ = 1;  ///< from accept() on
};

const RegisteredUnit<AduUnit> adu_registered("adu", {.executes = {OpClass::s2r, OpClass::s2ur},
                                                     .resource = Resource::constant,
                                                     .long_latency = false,
                                                     .interval = [](const config::Sm& sm) {
                                                       return sm.memory_io.thread_index_interval;
                                                     }});

}  // namespace
}  // namespace sassim::arch
