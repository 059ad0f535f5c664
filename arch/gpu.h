// SPDX-License-Identifier: Apache-2.0
// The top of the hardware: SMs, memory, and the block scheduler, built from a GpuConfig.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/activity_series.h"
#include "arch/common/access_observer.h"
#include "arch/sm/issue/stall_table.h"
#include "arch/sm/pipeline_observer.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"
#include "sim/stats/metrics.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

/// `written`: as cold, but the L2 is full of what was written long ago and is not in DRAM yet, as behind a memset.
enum class CacheStart : std::uint8_t { cold, warm, keep, written };

/// Told of every clock the kernel reads and of where blocks are placed.
class ClockObserver {
 public:
  virtual ~ClockObserver() = default;
  /// The instruction with this index into the code read the clock at `cycle` on `sm`; called in each warp's program
  /// order, also for instructions whose guard was false.
  virtual void clock_read(BlockId block, std::uint32_t warp, std::uint32_t instruction, Cycle cycle, SmId sm) = 0;
  /// The block scheduler gave a block to an SM.
  virtual void block_placed(BlockId /*block*/, SmId /*sm*/) {}
};

/// The main signals of one SM, written as a value change dump (VCD).
struct SignalFile {
  std::string path;  ///< ends in .vcd; complete when the Gpu is gone
  SmId sm;
  Cycle from, until = kNever;
};

/// How far the kernel that runs has come.
struct KernelProgress {
  Cycle cycles;  ///< since its launch
  std::uint64_t warp_instructions = 0;
  std::uint64_t blocks_ended = 0, blocks = 0;
};

struct RunOptions {
  unsigned threads = 1;
  std::uint64_t epoch = 0;  ///< cycles; 0: as long as the memory system allows. Changes no result
  CacheStart caches = CacheStart::cold;
  std::uint64_t no_progress_cycles = 1'000'000;
  std::uint64_t max_cycles = 0;  ///< of one kernel; 0: as many as it takes
  bool allow_arch_mismatch = false;
  ClockObserver* clocks = nullptr;
  PipelineObserver* pipeline = nullptr;
  const SignalFile* signals = nullptr;  ///< the same for all kernels of a Gpu
  AccessObserver* accesses = nullptr;
  std::size_t series = 0;             ///< most intervals of KernelResult::series, an even number; 0: none are kept
  std::uint64_t series_interval = 0;  ///< cycles at first; 0: chosen
  /// Called between epochs, every few of them; it may throw, which ends the run.
  std::function<void(const KernelProgress&)> progress;
};

struct KernelResult {
  stats::MetricSet metrics;
  Cycle cycles;  ///< from launch to the end of the last thread block
  std::uint64_t warp_instructions = 0;
  bool scoreboard = false;  ///< what kept dependences: a scoreboard, not the compiler's control bits
  ActivityOverTime series;
  std::vector<LineStalls> lines;  ///< per instruction of KernelInfo::code: issues, threads, cycles by stall reason
};

class Gpu {
 public:
  explicit Gpu(const config::GpuConfig&);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Simulates one kernel to its end; time and, unless cold, caches go on from the last kernel. Throws InputError
  /// (architecture, block that can never fit), Stuck or NoProgress (max_cycles), and std::logic_error when the model
  /// lost or made up memory traffic.
  KernelResult run(trace::BlockSource&, const RunOptions& = {});
  /// What a result has, each metric 0: its name, unit and meaning.
  stats::MetricSet metrics() const;
  /// Between kernels, these bytes of device memory were written by a fill, or copied, from the host or not.
  void written(std::uint64_t address, std::uint64_t bytes, bool from_host);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
