// SPDX-License-Identifier: Apache-2.0
// A GPU, the top of the hardware: SMs, memory and the block scheduler, built from a GpuConfig. It runs kernels, alone
// or side by side, and returns their metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/counter_series.h"
#include "arch/common/indices.h"
#include "arch/gpu/sampling.h"
#include "arch/sm/common/pipeline_observer.h"
#include "arch/sm/common/stall_table.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"
#include "sim/stats/counter_values.h"
#include "sim/stats/metrics.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

/// What a kernel finds in the caches: nothing (`cold`), everything that the previous kernel left (`warm`), or the same
/// without what each SM caches for itself (`keep`). `written`: like `cold`, but the L2 is full of dirty lines of
/// earlier writes, as after a memset.
enum class CacheStart : std::uint8_t { cold, warm, keep, written };

/// Receives every clock value that the kernel reads, and where its blocks are placed.
class ClockObserver {
 public:
  virtual ~ClockObserver() = default;
  /// The instruction with this index into the code read the clock at `cycle` on `sm`. Calls for a warp come in its
  /// program order, also for instructions whose guard was false.
  virtual void clock_read(BlockId block, std::uint32_t warp, std::uint32_t instruction, Cycle cycle, SmId sm) = 0;
  /// The block scheduler gave a block to an SM.
  virtual void block_placed(BlockId /*block*/, SmId /*sm*/) {}
};

/// A file with the main signals of one SM as a value change dump (VCD).
struct SignalFile {
  std::string path;  ///< ends in .vcd; complete when the Gpu has been destroyed
  SmId sm;
  Cycle from, until = kNever;
};

/// How far the running kernel has come.
struct KernelProgress {
  Cycle cycles;  ///< since its launch
  std::uint64_t warp_instructions = 0;
  std::uint64_t blocks_ended = 0, blocks = 0;
};

struct RunOptions {
  unsigned threads = 1;
  std::uint64_t epoch = 0;  ///< in cycles; 0: as long as the memory system allows. Changes no result
  CacheStart caches = CacheStart::cold;
  std::uint64_t launch = 0;  ///< how many launches the program made before this one (launch.places)
  std::uint64_t no_progress_cycles = 1'000'000;
  std::uint64_t max_cycles = 0;  ///< limit for one kernel; 0: none
  bool allow_arch_mismatch = false;
  /// Share of the thread blocks that is timed, if the launch has a steady state; 0: all. Not with observers and
  /// checkpoints.
  double sample = 0;
  ClockObserver* clocks = nullptr;
  PipelineObserver* pipeline = nullptr;
  const SignalFile* signals = nullptr;  ///< must be the same for all kernels of a Gpu
  AccessObserver* accesses = nullptr;
  std::size_t series = 0;             ///< limit for the intervals in KernelResult::series, an even number; 0: no series
  std::uint64_t series_interval = 0;  ///< first length of intervals in cycles; 0: chosen
  /// Called with what `series_counters` counted from one cycle of the launch to another: every `intervals.cycles`, and
  /// at its end. Changes no result. Not for groups.
  struct Intervals {
    std::function<void(Cycle, Cycle, const std::vector<std::uint64_t>&)> tell;
    std::uint64_t cycles = 0;
  };
  Intervals intervals;
  std::vector<stats::Count> series_counters = usual_series();  ///< any counts of the list
  /// Interval of checkpoints in cycles of the launch; 0: none. `checkpoint`, if it is set, gets the state of the GPU
  /// (for `resume`) at the end of the first epoch after each interval. Changes no result. Not for live launches.
  std::uint64_t checkpoint_every = 0;
  std::function<void(Cycle, std::string)> checkpoint;
  /// A saved state of the same launch on the same GPU, from which the run continues; nullptr: it begins at the start.
  /// Only in the first launch of a Gpu.
  const std::string* resume = nullptr;
  /// Called after every few epochs. An exception from it ends the run.
  std::function<void(const KernelProgress&)> progress;
};

/// Of a launch that ran beside others: cycles since the first of them was ready.
struct BesideOthers {
  std::uint32_t launches = 0;  ///< how many there were, itself included; 0: it ran alone
  Cycle ready, end;
};

struct KernelResult {
  stats::MetricSet metrics;
  Cycle cycles;  ///< from launch to the end of the kernel, with its stores
  std::uint64_t warp_instructions = 0;
  bool reused = false;      ///< the result of an earlier launch (Gpu::reuse_results())
  bool scoreboard = false;  ///< true if a scoreboard kept dependences, not the control bits of the compiler
  CountsOverTime series;
  /// If it ran beside others, the metrics are those that launches have for themselves: its times, instructions, warp
  /// cycles and shape. Units that launches shared counted for all of them.
  BesideOthers beside;
  std::optional<Sampling> sampling;  ///< if it was asked for
  std::vector<LineStalls> lines;     ///< per instruction of KernelInfo::code: issues, threads, cycles by stall reason
};

class MemorySockets;
class System;

class Gpu {
 public:
  /// Alone in a system of its own.
  explicit Gpu(const config::GpuConfig&);
  /// One of the GPUs of a system, which must outlive it; `name` is that of its SystemC module.
  Gpu(System&, const config::GpuConfig&, const std::string& name);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Simulates one kernel to its end. It begins when the previous one has ended, in a shared system no earlier than the
  /// system's clock; in a SystemC platform, the calling thread waits until the simulated time of its end. Time and,
  /// unless cold, caches continue from the previous kernel. Throws InputError (wrong architecture, or a block that can
  /// never fit), Stuck or NoProgress (max_cycles), and std::logic_error if the model lost or invented memory traffic.
  KernelResult run(trace::BlockSource&, const RunOptions& = {});

  // Launches that may run side by side. begin_group() starts the first one on the idle GPU. join() adds a launch whose
  // start depends only on what has been simulated. Where only one launch runs at a time, its results are those of
  // run(). Launches are named by numbers from 0; their sources must live until end_group(). Times are cycles since
  // begin_group().
  struct GroupEnd {
    LaunchIndex launch = {};
    Cycle end;
  };
  /// Smaller numbers are higher priorities. Options of clocks, the pipeline, signals, accesses and checkpoints, and
  /// sources of live warps, are not for groups.
  void begin_group(trace::BlockSource& first, int priority, const RunOptions& options);
  /// Allowed after advance_group(`ready`) has returned nothing.
  LaunchIndex join(trace::BlockSource&, int priority, Cycle ready);
  /// Simulates until another launch has ended, and returns it; or until all ends up to `until` are known.
  std::optional<GroupEnd> advance_group(Cycle until);
  /// After all launches have ended: their results.
  std::vector<KernelResult> end_group();
  /// Of a launch that has ended: its result if nothing more happened in the group.
  KernelResult result_so_far(LaunchIndex launch) const;
  /// Ends the threads that a group keeps between two calls. The next call starts them again; `for_good`: not in this
  /// group.
  void rest(bool for_good);

  /// From now on a launch that was simulated before is not simulated again, where nothing that came between them can
  /// change it: with `cold` and `written` caches, alone, without observers. Changes no result.
  void reuse_results(bool wanted);
  /// Of how many launches the results are kept for that; chosen, a result has up to some hundred KB.
  static constexpr std::size_t kMostResults = 256;
  /// What decides the result of a launch: launches with the same text have the same result. Empty: more decides it, or
  /// somebody observes the launch.
  std::string decides(const trace::BlockSource&, const RunOptions&) const;
  /// The TLM-2.0 sockets of the memory's channels (arch/gpu/memory_sockets.h), if memory.dram.model is tlm.
  MemorySockets& sockets();
  /// Whether the grid has enough thread blocks that RunOptions::sample may leave some out.
  bool samples(const trace::KernelInfo&) const;
  /// The metrics of a result with the value 0: their names, units and meanings.
  stats::MetricSet metrics() const;
  /// Between kernels: a fill or a copy, from the host or not, wrote these bytes of device memory.
  void written(std::uint64_t address, std::uint64_t bytes, bool from_host);

 private:
  friend class System;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
