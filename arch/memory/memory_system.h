// SPDX-License-Identifier: Apache-2.0
// Everything beyond the SMs, as the top module sees it: a port per SM, parts for the epoch engine, the exchange of
// messages.
#pragma once

#include <memory>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/activity.h"
#include "arch/common/component.h"
#include "arch/network/memory_port.h"
#include "arch/network/request_observer.h"
#include "sim/base/wait_graph.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

/// A model registers itself: `Registered<MemorySystem, MyMemory, const config::GpuConfig&>`.
class MemorySystem : public Exchange {
 public:
  static constexpr const char* kKind = "memory.model";
  /// The model that `memory.model` names. Throws InputError for a geometry that cannot be built.
  static std::unique_ptr<MemorySystem> make(const config::GpuConfig& config);

  virtual MemoryPort& port(SmId sm) = 0;
  /// The parts that the engine advances, in addition to the SMs.
  virtual std::vector<Component*> components() = 0;
  /// The longest epoch for which messages between SMs and memory are never late.
  virtual Cycle lookahead() const = 0;
  /// Caches are emptied (written back without cost) unless kept; counters start again at zero.
  virtual void start_kernel(bool keep_caches) = 0;
  /// Empty caches become full of lines that were written and are not in DRAM yet, at addresses that nothing else uses.
  virtual void fill_with_written() {}
  /// Between kernels: what these bytes were written by leaves them in the L2, at no cost in time. Of copies from the
  /// host the last bytes stay (`memory.l2.upload`), which are in DRAM too, of a fill or a copy on the device as much as
  /// fits.
  virtual void written(std::uint64_t /*address*/, std::uint64_t /*bytes*/, bool /*from_host*/) {}
  /// As a kernel starts: its launch reads these bytes, at no cost in time. What the L2 lacks comes from DRAM and stays.
  virtual void read_by_launch(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  /// Nothing is under way: no request, no reply, no fill. Dirty lines may remain.
  virtual bool idle() const = 0;
  /// Throws std::logic_error when a request was lost or answered twice, or sectors or bytes do not add up.
  virtual void check_conservation() const = 0;
  virtual void report(stats::MetricSet& metrics) const = 0;
  /// Adds what L2 and DRAM have done since the kernel's start.
  virtual void add_activity(Activity& /*sum*/) const {}
  /// Whom to tell of accesses to the L2; nullptr: nobody.
  virtual void observe(AccessObserver* /*observer*/) {}
  /// Whom to tell of requests of SMs; nullptr: nobody.
  void watch_requests(RequestObserver* observer) { requests_seen_ = observer; }
  /// Who waits for what: for the report of a run that makes no progress. SMs know "memory port of SM n" (port_name())
  /// and "L2 TLB".
  virtual void describe_waits(WaitGraph& graph) const = 0;
  /// Everything simulated, between two epochs, for checkpoints (sim/base/state_archive.h). load() takes it into a
  /// system that was built from the same configuration. Who observes is not part of it. A model without these two
  /// throws InputError.
  virtual void save(StateWriter& writer) const;
  virtual void load(StateReader& reader);

 protected:
  RequestObserver* requests_seen_ = nullptr;
};

}  // namespace sassim::arch
