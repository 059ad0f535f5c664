// SPDX-License-Identifier: Apache-2.0
// The memory behind the SMs for `memory.model: fixed`: every request is answered after one latency; only the SM's own
// link limits the rate.
#pragma once

#include <vector>

#include "arch/common/state_parts.h"
#include "arch/memory/memory_system.h"
#include "arch/network/sm_port.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class FixedMemory final : public MemorySystem {
 public:
  explicit FixedMemory(const config::GpuConfig& config);

  MemoryPort& port(SmId sm) override { return ports_.at(sm.value); }
  std::vector<Component*> components() override { return {}; }
  Cycle lookahead() const override { return latency_; }
  void start_kernel(bool keep_caches) override;
  bool idle() const override;
  void check_conservation() const override;
  void report(stats::CounterValues& values) const override;
  void describe_waits(WaitGraph& graph) const override;
  void exchange(Cycle now) override;
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, ports_);
  }

 private:
  Cycle latency_;
  std::vector<SmPort> ports_;
};

}  // namespace sassim::arch
