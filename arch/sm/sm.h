// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: four processing blocks and what they share. Plain C++; the epoch engine calls advance().
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "arch/common/component.h"
#include "arch/network/memory_port.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "arch/sm/issue/stall_table.h"
#include "arch/sm/memory/l15_port.h"
#include "arch/sm/memory/load_store_unit.h"
#include "arch/sm/memory/reply_split.h"
#include "arch/sm/processing_block.h"
#include "arch/sm/sync/barrier_unit.h"
#include "arch/sm/sync/shared_barriers.h"
#include "sim/base/wait_graph.h"
#include "sim/config/gpu_config.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

class Sm final : public Component {
 public:
  using MakeLoadStore = std::function<std::unique_ptr<LoadStoreUnit>(MemoryPort&, ConstantMissPort&)>;

  Sm(const config::GpuConfig& config, SmId id, MemoryPort& port, const MakeLoadStore& make_load_store);
  ~Sm() override;

  /// What one kernel needs of every SM.
  /// SMs that share a way for constants.
  struct Neighbours {
    std::uint32_t count, place;
  };
  struct Launch {
    const StaticCode* code = nullptr;
    std::uint32_t blocks = 1;  ///< thread blocks that fit
    std::uint64_t carveout = 0;
    bool keep_caches = false;
    PipelineObserver* observer = nullptr;
    AccessObserver* accesses = nullptr;
    std::uint64_t code_prefetch = 0;  ///< bytes of code that the launch brings to the L1 instruction cache
    Cycle code_arrives{};             ///< until then no code is there
    std::uint32_t busy_sms = 1;       ///< that the launch gives thread blocks to
    bool keep_code = false;           ///< instruction caches hold what the kernels before have left there
    const trace::LiveMemory* live = nullptr;  ///< what live warps read
  };
  void start_kernel(const Launch& launch, Cycle now);
  /// A thread block starts at `at`, not before what has been simulated. Only while resident and coming ones are fewer
  /// than fit.
  void place(std::shared_ptr<const trace::BlockTrace> block, BlockId id, Cycle at);
  std::uint32_t blocks() const { return resident_blocks_ + static_cast<std::uint32_t>(arrivals_.size()); }

  void advance(Cycle until) override;
  Cycle next_event() const override;

  struct Completion {
    BlockId block;
    Cycle time;
  };
  /// Thread blocks that ended since the last call, in order of time.
  std::vector<Completion>& completions() { return completions_; }
  std::vector<ClockRead>& clock_reads() { return clock_reads_; }

  SmId id() const { return id_; }
  std::uint64_t issued() const;
  /// Who waits for what: warps, barriers, counters, memory operations, queues.
  void describe_waits(WaitGraph& graph) const;
  /// Nothing is on its way between the warps and the memory system.
  bool memory_idle() const { return load_store_->idle(); }
  /// Between epochs: a request of this SM's live warps is at the memory.
  void serve(const MemRequest& request) { load_store_->serve(request); }
  /// When a memory operation last had something to say; what comes after the last block is stores.
  Cycle last_memory_event() const { return last_memory_event_; }
  /// A store or reduction of the kernel has left for the L2.
  bool wrote() const { return wrote_; }
  /// Closes the accounts at `now` and adds this SM's counters.
  void finish(Cycle now);
  void report(stats::MetricSet& metrics) const;
  const StallTable& stalls() const { return stalls_; }
  const ProcessingBlock& processing_block(std::size_t i) const { return *parts_[i]; }
  std::size_t processing_blocks() const { return parts_.size(); }

 private:
  struct Arrival {
    std::shared_ptr<const trace::BlockTrace> trace;
    BlockId id;
    Cycle at;
  };
  struct Resident {
    std::shared_ptr<const trace::BlockTrace> trace;
    BlockId id;
    std::uint32_t warps_left = 0;
  };

  void cycle(Cycle now);
  void place_arrivals(Cycle now);
  void start_block(Arrival& arrival, Cycle now);
  void take_lines(Cycle now);
  void accept_memory(Cycle now);
  void take_memory_events(Cycle now);
  void collect(Cycle now);
  Cycle next_acceptance() const;
  // sm_waits.cpp
  WaitGraph::Node warp_node(WaitGraph& graph, WarpSlot slot) const;
  void describe_barriers(WaitGraph& graph) const;
  void describe_shared_barriers(WaitGraph& graph) const;
  std::uint32_t free_warp(std::size_t part) const;

  const config::GpuConfig& config_;
  SmId id_;
  Neighbours neighbours_;
  Launch launch_;
  DataPort data_port_;
  InstructionCache instructions_;
  L15Port l15_port_;
  std::unique_ptr<LoadStoreUnit> load_store_;
  BarrierUnit barriers_;
  FenceUnit fences_;
  SharedUnits shared_units_;
  StallTable stalls_;
  MemoryPort& port_;
  std::vector<std::unique_ptr<ProcessingBlock>> parts_;

  std::deque<Arrival> arrivals_;
  std::vector<Resident> residents_;                   ///< by place
  std::vector<std::vector<std::uint32_t>> place_of_;  ///< [processing block][warp]: place + 1; 0: free
  std::uint32_t resident_blocks_ = 0;
  std::uint64_t age_ = 0, block_age_ = 0;
  std::size_t next_part_ = 0;  ///< where the next block begins, of processing blocks with equally many warps
  Cycle now_;                  ///< everything before has happened
  Cycle accept_free_;
  std::vector<Cycle> served_;  ///< when the memory stage last took something of each processing block
  bool load_store_called_ = false;
  Cycle last_memory_event_;
  bool wrote_ = false;
  Cycle active_since_;
  std::uint64_t active_cycles_ = 0, blocks_done_ = 0;
  std::vector<Completion> completions_;
  std::vector<ClockRead> clock_reads_;
  std::unique_ptr<SharedBarriers> shared_barriers_;
};

}  // namespace sassim::arch
