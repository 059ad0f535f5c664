// SPDX-License-Identifier: Apache-2.0
// What a Gpu consists of (Gpu::Impl), for its source files: gpu.cpp, gpu_run.cpp (a launch alone), gpu_group.cpp
// (launches side by side), gpu_sampling.cpp, gpu_series.cpp and gpu_state.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/common/epoch_engine.h"
#include "arch/common/indices.h"
#include "arch/gpu/block_scheduler.h"
#include "arch/gpu/gpu.h"
#include "arch/gpu/gpu_module.h"
#include "arch/gpu/live_order.h"
#include "arch/gpu/observed_intervals.h"
#include "arch/gpu/sampled_counts.h"
#include "arch/gpu/signal_dump.h"
#include "arch/gpu/system.h"
#include "arch/network/topology.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/common/observer_pair.h"
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
  explicit Impl(const config::GpuConfig& given) : Impl(std::make_unique<System>(), nullptr, given, "gpu") {
    build_alone();
  }
  Impl(System& system_of_several, const config::GpuConfig& given, const std::string& name)
      : Impl(nullptr, &system_of_several, given, name) {}
  Impl(std::unique_ptr<System> own_system, System* other, const config::GpuConfig& given, const std::string& name)
      : config(given),
        own(std::move(own_system)),
        system(own ? *own : *other),
        module(system, config, name),
        environment(config, Topology(config).gpcs(), Topology(config).halves()) {
    progress.patience = patience(config);
    module.memory().fill_with_others(config.environment.others_written, config.environment.others_full);
  }

  using GroupEnd = Gpu::GroupEnd;

  void build() {  // before the first launch: the system has all of its GPUs
    if (!sms.empty()) return;
    system.elaborate();
    sms = module.sms();
  }

  void build_alone();

  // gpu_run.cpp
  std::string decides(const trace::BlockSource& source, const RunOptions& options);
  KernelResult run(trace::BlockSource& source, const RunOptions& options);
  void begin(trace::BlockSource& source, const RunOptions& options);
  KernelResult finish();
  Sm::Launch launch_on_sms(const StaticCode& code, const config::OccupancyResult& occupancy, trace::BlockSource& source,
                           const RunOptions& options, PipelineObserver* pipeline);
  KernelResult result_of(const trace::KernelInfo& kernel, const config::OccupancyResult& occupancy, Cycle end,
                         bool scoreboard, PipelineObserver* pipeline, const RunOptions& options);
  std::uint64_t repeats_of(const Sm::Launch& launch, const RunOptions& options);
  void start_memory(const trace::KernelInfo& kernel, const RunOptions& options, bool keep);
  void make_engine(const RunOptions& options, LiveOrder* live);
  Cycle in_turn_until(const RunOptions& options) const;
  Cycle end_of_launch(LaunchIndex launch) const;
  /// Until the first blocks of the program's n-th launch start; n counts from 0.
  std::uint64_t latency(std::uint64_t n) const {
    const config::Launch& launch = config.launch;
    return std::uint64_t{launch.latency} + (n >= launch.places.count ? launch.places.reuse_latency : 0);
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
  void save_series(StateWriter& to) const;
  void load_series(StateReader& from, const RunOptions& options);
  void deliver_clocks(const RunOptions& options);
  void after_epoch(const RunOptions& options);
  void check_progress(const RunOptions& options);
  void report_progress(const RunOptions& options) const;
  void check_length(const RunOptions& options, Cycle end) const;
  [[noreturn]] void stuck(const std::string& why);
  stats::CounterValues counted(Cycle at, Cycle on_sms);
  void close_intervals();
  /// The end of the first interval that is open; kNever: none is.
  Cycle interval_due() const { return std::min(series ? series->due() : kNever, observed ? observed->due() : kNever); }
  // gpu_sampling.cpp
  void start_sampling(trace::BlockSource& source, const config::OccupancyResult& occupancy, const RunOptions& options);
  void sample(trace::BlockSource& source);
  Sampling sampling_result(std::uint64_t cycles) const;
  SampledCounts::Snapshot snapshot(Cycle at);
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
  LaunchIndex join(trace::BlockSource& source, int priority, Cycle ready);
  std::optional<GroupEnd> advance_group(Cycle until);
  std::vector<KernelResult> end_group();
  Cycle group_step(Cycle until);
  bool launch_finished(LaunchIndex launch) const;
  std::optional<GroupEnd> newly_ended();
  KernelResult result_beside(LaunchIndex launch);
  /// Cycles from the time when a launch is ready to the choice of its SMs: by then all earlier ends are known.
  std::uint64_t margin();

  /// A launch that is simulated alone, from begin() to finish().
  struct Running {
    trace::BlockSource& source;
    RunOptions options;
    config::OccupancyResult fit;
    StaticCode code;
    LiveOrder live_order;
    ObserverPair observers{nullptr, nullptr};
    PipelineObserver* pipeline = nullptr;
    std::function<Cycle()> step{};
    Sm::Launch on_sms{};
    std::optional<SmId> first_sm{};  ///< of the first thread block
  };
  /// When the next launch begins.
  void set_start(bool keep);

  const config::GpuConfig config;
  std::unique_ptr<System> own;  ///< of a GPU alone
  System& system;
  GpuModule module;
  std::vector<Sm*> sms;  ///< from build() on
  std::unique_ptr<Running> running;
  environment::Environment environment;
  Cycle now;    ///< start of the next kernel
  Cycle start;  ///< start of the running or last kernel

  std::unique_ptr<EpochEngine> engine;
  std::unique_ptr<BlockScheduler> scheduler;
  std::optional<CounterSeries> series;
  std::optional<ObservedIntervals> observed;
  struct {
    std::optional<Sampler> sampler{};          ///< of a launch of which some blocks may be skipped
    std::optional<std::string> not_sampled{};  ///< why a launch has none, if it was asked for
    SampledCounts counts{};
  } sampling;
  struct {
    SignalDump* signals = nullptr;  ///< of the running kernel
    Cycle shown;                    ///< time of SystemC's clock while signals are written
  } dump;
  struct {
    std::uint64_t patience = 1;  ///< factor for options.no_progress_cycles
    std::uint64_t issued = 0;    ///< warp instructions and ended thread blocks at the last check
    Cycle made, checked;         ///< when there were more than before, and when it was looked for
  } progress;
  struct {
    std::optional<LaunchContents> contents{};  ///< of the last launch that ran alone
    std::uint64_t number = 0;                  ///< SmLaunch::repeats, which grows where the contents change
    std::optional<std::map<std::string, KernelResult>> results{};  ///< Gpu::reuse_results(): by what decides them
  } repeats;
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
