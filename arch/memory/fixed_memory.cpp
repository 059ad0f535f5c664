// SPDX-License-Identifier: Apache-2.0
// A memory without caches, for studies of the SM alone: it answers each request of an SM after a fixed time.
#include "arch/memory/fixed_memory.h"

#include <algorithm>

#include "sim/base/registry.h"
#include "sim/base/state_archive.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

namespace {
const Registered<MemorySystem, FixedMemory, const config::GpuConfig&> fixed_memory_registered("fixed");
}

FixedMemory::FixedMemory(const config::GpuConfig& config) : latency_(std::max(config.memory.fixed_latency, 1u)) {
  config::CrossbarConfig wires = config.memory.crossbar;
  wires.credits = 1u << 30;  // the memory never blocks a port
  for (std::uint32_t i = 0; i < config.sm.count; ++i) ports_.emplace_back(SmId(static_cast<std::uint16_t>(i)), wires);
}

void FixedMemory::start_kernel(bool) {
  for (SmPort& port : ports_) port.start_kernel();
}

bool FixedMemory::idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const SmPort& port) { return port.idle(); });
}

void FixedMemory::check_conservation() const {
  for (const SmPort& port : ports_) port.check_conservation();
}

void FixedMemory::report(stats::CounterValues& values) const {
  for (const SmPort& port : ports_) port.report(values);
}

void FixedMemory::describe_waits(WaitGraph& graph) const {
  for (const SmPort& port : ports_) port.describe_waits(graph, "memory of fixed latency");
}

void FixedMemory::save(StateWriter& writer) const { writer(*this); }
void FixedMemory::load(StateReader& reader) { reader(*this); }

void FixedMemory::exchange(Cycle now) {
  for (SmPort& port : ports_) {
    for (const MemRequest& request : port.sent()) {
      if (requests_seen_ != nullptr) requests_seen_->sent(request, request.time);
      const Cycle due = request.time + latency_;
      port.return_credit({due, port.sm(), write_sectors(request)});
      if (request.needs_reply) port.deliver(answer(request, due));
    }
    port.clear_sent();
    port.settle(now);
  }
}

}  // namespace sassim::arch
