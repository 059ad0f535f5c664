// SPDX-License-Identifier: Apache-2.0
// The interface of the memory behind the SMs, which a GPU builds and drives: a port per SM, components for the epoch
// engine, and the exchange of messages.
#pragma once

#include <memory>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/component.h"
#include "arch/memory/dram/outside.h"
#include "arch/network/memory_port.h"
#include "arch/network/request_observer.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/environment/cache_contents.h"
#include "sim/stats/counter_values.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

/// A model registers itself: `Registered<MemorySystem, MyMemory, const config::GpuConfig&>`.
class MemorySystem : public Exchange {
 public:
  static constexpr const char* kKind = "memory.model";
  /// Makes the model that `memory.model` names. Throws InputError for an impossible geometry.
  static std::unique_ptr<MemorySystem> make(const config::GpuConfig& config);

  virtual MemoryPort& port(SmId sm) = 0;
  /// The components that the engine advances in addition to the SMs.
  virtual std::vector<Component*> components() = 0;
  /// The longest epoch for which no message between SMs and memory is late.
  virtual Cycle lookahead() const = 0;
  /// Empties the caches, with write-backs that take no time, unless they are kept. Sets the counters to zero.
  virtual void start_kernel(bool keep_caches) = 0;
  /// Between kernels: DRAM is as in the first cycle of a simulation. `at` is an edge of all clocks.
  virtual void renew_dram(Cycle /*at*/) {}
  /// Fills empty caches with dirty lines at addresses that nothing else uses.
  virtual void fill_with_written() {}
  /// Fills empty caches with lines at addresses that nothing else uses, of which so many bytes are dirty. Unless
  /// `full`, the dirty lines alone remain.
  virtual void fill_with_others(std::uint64_t /*written*/, bool /*full*/) {}
  /// Between kernels: these lines are in the L2 now, as far as it has room, which takes no time.
  virtual void preload(const environment::CacheContents& /*contents*/) {}
  /// Sectors of the L2.
  struct Reads {
    std::uint64_t sectors = 0, from_dram = 0;
  };
  /// Before a kernel starts: its launch reads these bytes, which takes no time. The L2 fetches what it lacks and keeps
  /// it.
  virtual Reads read_by_launch(std::uint64_t /*address*/, std::uint64_t /*bytes*/) { return {}; }
  /// Whether there is an L2, with the metrics of one.
  virtual bool has_l2() const { return false; }
  /// Addresses of the pages that SMs have asked to be translated since the caches were emptied.
  virtual const std::vector<std::uint64_t>& translated() const {
    static const std::vector<std::uint64_t> none;
    return none;
  }
  /// True if no request, reply or fill is in flight. Dirty lines may remain.
  virtual bool idle() const = 0;
  /// Throws std::logic_error if a request was lost or answered twice, or if sectors or bytes do not add up.
  virtual void check_conservation() const = 0;
  virtual void report(stats::CounterValues& values) const = 0;
  /// Bytes that the L2 holds: those of valid sectors, and again those of dirty ones.
  virtual std::uint64_t held_bytes() const { return 0; }
  /// Whether SMs may advance by two epochs when the memory has advanced by one: components() send all replies, and
  /// exchange() makes none.
  virtual bool in_turn() const { return false; }
  /// DRAM channels whose data come from outside the GPU (memory.dram.model: tlm), and who answers them.
  virtual std::uint32_t outside_channels() const { return 0; }
  virtual void answer_by(OutsideMemory& /*memory*/) {}
  /// The observer of accesses to the L2; nullptr: none.
  virtual void observe(AccessObserver* /*observer*/) {}
  /// The observer of requests of SMs; nullptr: none.
  void watch_requests(RequestObserver* observer) { requests_seen_ = observer; }
  /// Adds what the parts wait for, for the report of a run that makes no progress. SMs use the names "memory port of SM
  /// n" (port_name()) and "L2 TLB".
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
