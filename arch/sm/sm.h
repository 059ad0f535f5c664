// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: processing blocks and the parts that they share. The epoch engine calls advance().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arch/common/component.h"
#include "arch/common/indices.h"
#include "arch/network/memory_port.h"
#include "arch/sm/allocate/allocator.h"
#include "arch/sm/block/processing_block.h"
#include "arch/sm/code/launch.h"
#include "arch/sm/common/port_clients.h"
#include "arch/sm/common/stall_table.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "arch/sm/fetch/launch_caches.h"
#include "arch/sm/memory/memory_entry.h"
#include "arch/sm/sync/sm_sync.h"
#include "arch/sm/units/constants/l15_port.h"
#include "arch/sm/units/units.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/trace/kernel.h"

namespace sassim {
class StateReader;
class StateWriter;
}  // namespace sassim

namespace sassim::arch {

class Sm final : public Component {
 public:
  using Launch = SmLaunch;
  using Completion = Allocator::Completion;

  Sm(const config::GpuConfig& config, SmId id, MemoryPort& port);
  ~Sm() override;

  /// An SM that has got no thread block since a launch with the same `repeats` started waits for one: waits(). `launch`
  /// must then outlive the kernel.
  void start_kernel(const Launch& launch, Cycle now);
  /// True if the kernel has not started here, because no thread block has come. Counters are those of an earlier one.
  bool waits() const { return launches_.waiting != nullptr; }
  /// The kernel starts here as if it had never waited. Until a thread block comes, stands_for_others() is true.
  void end_wait() {
    if (!waits()) return;
    launches_.stands_for_others = true;
    const Launch& launch = *std::exchange(launches_.waiting, nullptr);
    start(launch, launch.begin);
  }
  /// Between kernels: no launch waits, and the next one starts at once.
  void forget_launch() {
    launches_.waiting = nullptr;
    launches_.untouched = launches_.stands_for_others = false;
  }
  /// Whether the counters are those of every SM that waits.
  bool stands_for_others() const { return launches_.stands_for_others; }
  /// A thread block starts at `at`, which has not been simulated yet. Allowed only while blocks() is below the number
  /// of thread blocks that the SM can hold.
  void place(std::shared_ptr<const trace::BlockTrace> block, BlockId id, Cycle at, const BlockArrival& how = {}) {
    end_wait();
    launches_.untouched = launches_.stands_for_others = false;
    allocator_.expect(std::move(block), id, at, how);
  }
  /// Adds a launch that runs beside the others; the code that start_kernel() got has its code already.
  void add_launch(const SmLaunch& launch, LaunchIndex number);
  std::uint32_t blocks() const { return allocator_.blocks(); }

  void advance(Cycle until) override;
  Cycle next_event() const override;
  bool holds_launch() const override { return blocks() != 0; }

  /// Thread blocks that ended since the last call, in order of time.
  std::vector<Completion>& completions() { return allocator_.completions(); }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }

  SmId id() const { return id_; }
  std::uint64_t issued() const;
  /// Adds what warps, barriers, counters, memory operations and queues wait for.
  void describe_waits(WaitGraph& graph) const;
  /// True if no memory operation is in flight behind the queues of the processing blocks.
  bool memory_idle() const { return next_.empty || units_.idle(); }
  /// Between epochs: a request of this SM's live warps has reached the memory.
  void serve(const MemRequest& request) { units_.serve(request); }
  /// Cycle of the last event of a memory operation. After the last thread block has ended, only stores have events.
  Cycle last_memory_event(LaunchIndex launch = {}) const {
    return launch == 0 ? launches_.last_memory_event : launches_.further[launch - 1].last_memory_event;
  }
  /// True if a store or reduction of the kernel has left for the L2.
  bool wrote(LaunchIndex launch = {}) const {
    return launch == 0 ? launches_.wrote : launches_.further[launch - 1].wrote;
  }
  /// Memory instructions of a launch that have not ended.
  bool has_operations_of(LaunchIndex launch) const;
  /// Closes the accounts at `now`.
  void finish(Cycle now);
  /// Adds the counts from the start of the kernel until `now`; everything before `now` has been simulated.
  void report(stats::CounterValues& values, Cycle now) const;
  /// Adds those that are kept per line of the code (stall_table.h).
  void report_lines(stats::CounterValues& values, Cycle now) const;
  std::uint32_t resident_blocks() const { return allocator_.resident_blocks(); }
  const StallTable& stalls() const { return stalls_; }
  /// The state between two epochs, of launches whose warps are not live. The memory port is the memory's.
  void save(StateWriter& to) const;
  /// After start_kernel() for the same launch. `find`: the thread blocks of the launch.
  void load(StateReader& from, const StaticCode& code, const Allocator::FindBlock& find);
  const ProcessingBlock& processing_block(std::size_t i) const { return *parts_[i]; }
  std::size_t processing_blocks() const { return parts_.size(); }

 private:
  template <class Archive>
  void state(Archive& archive);
  void start(const Launch& launch, Cycle now);
  void start_blocks(Cycle now);
  bool begin_launch(const BlockArrival& how);
  /// True if nothing but a thread block can bring work.
  bool empty() const;
  Cycle next_of_parts() const;
  /// The next event of what the processing blocks share.
  Cycle next_of_shared() const;
  /// The part of it that processing blocks give work to.
  Cycle next_of_used() const;
  bool is_asked(Cycle now) const;
  /// One cycle of what the processing blocks share, before theirs.
  void run_shared(Cycle now);
  // The steps of run_shared(), in this order.
  void dequeue_replies(Cycle now);
  void dequeue_lines(Cycle now);
  void accept_memory(Cycle now);
  void run_memory(Cycle now);
  void release_waiting(Cycle now);
  Cycle run_parts(Cycle now);
  void collect_clock_reads();

  ProcessingBlock& part_of(WarpSlot slot) { return *parts_[slot.value % parts_.size()]; }
  WarpIndex warp_of(WarpSlot slot) const { return WarpIndex(slot.value / parts_.size()); }
  // sm_waits.cpp
  WaitGraph::Node warp_node(WaitGraph& graph, WarpSlot slot) const;
  void describe_barriers(WaitGraph& graph) const;
  void describe_shared_barriers(WaitGraph& graph) const;

  const SmId id_;
  UsedSlices used_slices_;
  PortClients clients_;
  MemoryPort& code_port_;
  InstructionCache instructions_;
  LaunchCaches launch_caches_;
  L15Port l15_port_;
  LiveAccesses live_;
  Units units_;
  std::array<MemoryEntry, kUnitQueues> entries_;
  SmSync sync_;
  SharedUnits shared_units_;
  StallTable stalls_;
  MemoryPort& port_;
  Allocator::Parts parts_;
  Allocator allocator_;

  Cycle now_;  ///< everything before has been simulated
  struct {
    Cycle shared = kNever;      ///< during advance(): next_of_shared(), or earlier
    bool units_called = false;  ///< the units have work in this cycle
    bool empty = false;         ///< empty(), since the last cycle that was simulated
  } next_;
  /// A launch beside the first one. Such launches have no checkpoints.
  struct FurtherLaunch {
    Cycle last_memory_event;
    bool wrote = false, begun = false;
  };
  struct {
    SmLaunch first;
    Cycle last_memory_event;  ///< of the first one, as is `wrote`
    bool wrote = false;
    std::vector<FurtherLaunch> further;
    const SmLaunch* waiting = nullptr;  ///< of waits()
    bool untouched = false;             ///< no thread block has come since `first` started
    bool stands_for_others = false;
  } launches_;
  std::vector<ClockRead> clock_reads_;
};

}  // namespace sassim::arch
