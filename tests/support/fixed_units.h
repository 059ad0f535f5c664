// SPDX-License-Identifier: Apache-2.0
// Units of an SM with one latency per kind of access and no limits: what tests of the SM's other parts stand on.
#pragma once

#include <algorithm>
#include <string>

#include "arch/sm/units/unit.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch::test {

class FixedUnit final : public SmUnit {
 public:
  explicit FixedUnit(const UnitParts& parts) : config_(parts.config), events_(parts.events) {}

  void accept(const UnitOp& op, Cycle now) override {
    const bool shared = op.space == isa::Space::shared;
    const bool constant = op.decoded->op == isa::OpClass::load_const;
    const bool vector = !shared && !constant && !op.uniform_address;
    const Cycle issue(now.value - config_.memory_io.pipeline - (vector ? config_.memory_io.vector_address : 0));
    std::uint32_t latency = shared     ? config_.shared.latency
                            : constant ? config_.constant.ldc_latency
                                       : config_.l1.hit_latency;
    if (op.uniform_address) latency -= config_.memory_io.vector_result;
    events_.push(now, op.token, UnitEvent::Kind::sources_read);
    const bool store = op.decoded->op == isa::OpClass::store || op.decoded->op == isa::OpClass::store_shared ||
                       op.decoded->op == isa::OpClass::reduction;
    events_.push(std::max(now + 1, issue + latency), op.token,
                 store ? UnitEvent::Kind::acknowledged : UnitEvent::Kind::written_back);
  }

 private:
  const config::Sm& config_;
  EventQueue& events_;
};

/// The configuration with a FixedUnit in place of each unit of the SM.
inline config::GpuConfig with_fixed_units(config::GpuConfig config) {
  static const auto prefix = [] {
    const std::string fixed = "fixed_";
    for (const std::string& unit : SmUnits::instance().names()) {
      UnitTraits traits = *unit_traits(unit);
      traits.interval = nullptr;
      const RegisteredUnit<FixedUnit> registered((fixed + unit).c_str(), traits);
    }
    return fixed;
  }();
  for (std::size_t i = 0; i < config.sm.pipes.ops.size(); ++i)
    if (leaves_block(config.sm, static_cast<isa::OpClass>(i)))
      config.sm.pipes.ops[i].pipe = prefix + config.sm.pipes.ops[i].pipe;
  return config;
}

}  // namespace sassim::arch::test
