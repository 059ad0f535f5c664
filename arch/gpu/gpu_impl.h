// SPDX-License-Identifier: Apache-2.0
// The state of a Gpu, for its source files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/common/epoch_engine.h"
#include "arch/gpu/block_scheduler.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/gpu_module.h"
#include "arch/gpu/live_order.h"
#include "arch/gpu/signal_dump.h"
#include "arch/network/topology.h"
#include "arch/sm/code/static_code.h"
#include "sim/base/state_archive.h"
#include "sim/base/wait_graph.h"
#include "sim/config/gpu_config.h"
#include "sim/config/occupancy.h"
#include "sim/environment/environment.h"

namespace sassim::arch {

void check_architecture(const trace::KernelInfo& kernel, const config::GpuConfig& config, bool allowed);
/// Throws InputError for a kernel of which no block fits an SM.
config::OccupancyResult fit(const trace::KernelInfo& kernel, const config::GpuConfig& config);
std::uint64_t patience(config::GpuConfig config);

struct Gpu::Impl {
  explicit Impl(const config::GpuConfig& given) : Impl(given, Topology(given)) {}
  Impl(const config::GpuConfig& given, const Topology& topology)
      : config(given),
        module(config),
        sms(module.sms()),
        environment(config, topology.gpcs(), topology.halves()),
        patience_(patience(config)) {
    module.memory().fill_with_others(config.environment.others_written, config.environment.others_full);
  }

  using GroupEnd = Gpu::GroupEnd;

  KernelResult run(trace::BlockSource& source, const RunOptions& options);
  Sm::Launch launch_on_sms(const StaticCode& code, const config::OccupancyResult& occupancy, trace::BlockSource& source,
                           const RunOptions& options, PipelineObserver* pipeline);
  KernelResult result_of(const trace::KernelInfo& kernel, const config::OccupancyResult& occupancy, Cycle end,
                         bool scoreboard, PipelineObserver* pipeline, const RunOptions& options);
  void start_memory(const trace::KernelInfo& kernel, const RunOptions& options, bool keep);
  void make_engine(const RunOptions& options, LiveOrder* live);
  Cycle end_of_launch(std::uint32_t launch) const;
  /// Until the first blocks of the program's n-th launch start; n counts from 0.
  std::uint64_t latency(std::uint64_t n) const {
    const config::Launch& launch = config.launch;
    return std::uint64_t{launch.latency} + (n >= launch.places ? launch.reuse_latency : 0);
  }
  /// The first cycle, not before `cycle`, in which all clocks have an edge.
  Cycle common_edge(Cycle cycle) const;
  bool finished();
  Cycle step(const RunOptions& options, Cycle cut = kNever);
  Cycle step_with_signals(const RunOptions& options);
  void start_series(const RunOptions& options);
  void check_checkpoints(const trace::BlockSource& source, const RunOptions& options) const;
  void save(const RunOptions& options);
  void load(StateReader& from, const StaticCode& code, PipelineObserver* pipeline, const RunOptions& options);
  void deliver_clocks(const RunOptions& options);
  void after_epoch(const RunOptions& options);
  void check_progress(const RunOptions& options);
  void tell_progress(const RunOptions& options) const;
  void check_length(const RunOptions& options, Cycle end) const;
  [[noreturn]] void stuck(const std::string& why);
  Activity activity(Cycle at);
  void close_intervals();
  WaitGraph waits();
  /// The first multiple of `every` cycles of the kernel that nothing has been simulated of.
  Cycle after_now(std::uint64_t every) const {
    const std::uint64_t done = std::max(engine->now(), start).value - start.value;
    return start + (done / every + 1) * every;
  }
  std::uint64_t issued() const {
    std::uint64_t sum = 0;
    for (const Sm* sm : sms) sum += sm->issued();
    return sum;
  }

  // gpu_group.cpp
  void begin_group(trace::BlockSource& source, int priority, const RunOptions& options);
  std::uint32_t join(trace::BlockSource& source, int priority, Cycle ready);
  std::optional<GroupEnd> advance_group(Cycle until);
  std::vector<KernelResult> end_group();
  Cycle group_step(Cycle until);
  bool launch_finished(std::uint32_t launch) const;
  std::optional<GroupEnd> newly_ended();
  KernelResult result_beside(std::uint32_t launch);
  /// Cycles from the time when a launch is ready to the choice of its SMs: by then all earlier ends are known.
  std::uint64_t margin();

  const config::GpuConfig config;
  GpuModule module;
  std::vector<Sm*> sms;
  environment::Environment environment;
  std::uint64_t patience_;  ///< factor for options.no_progress_cycles
  Cycle now;                ///< start of the next kernel
  Cycle start;              ///< start of the running or last kernel

  std::unique_ptr<EpochEngine> engine;
  std::unique_ptr<BlockScheduler> scheduler;
  std::optional<ActivitySeries> series;
  SignalDump* signals = nullptr;  ///< of the running kernel
  Cycle shown;                    ///< time of SystemC's clock while signals are written
  std::uint64_t last_issued = 0;
  Cycle last_progress, last_check;
  std::optional<SmId> first_sm;  ///< of the kernel's first thread block
  Cycle next_checkpoint = kNever;
  std::uint64_t series_interval = 0;  ///< as it was asked for

  /// Launches that run side by side.
  struct Group {
    struct Launch {
      const trace::KernelInfo* kernel;
      config::OccupancyResult fit;
      Cycle ready;
      std::optional<Cycle> end;
    };
    RunOptions options;
    std::unique_ptr<StaticCode> code;
    Sm::Launch first;
    std::vector<Launch> launches;
  };
  std::unique_ptr<Group> group;
};

}  // namespace sassim::arch
