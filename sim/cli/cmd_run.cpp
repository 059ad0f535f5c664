// SPDX-License-Identifier: Apache-2.0
// sassim run: replays traces
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "sim/base/cores.h"
#include "sim/base/durable_file.h"
#include "sim/base/output_target.h"
#include "sim/base/stop_signals.h"
#include "sim/base/wait_graph.h"
#include "sim/cli/checkpoint_options.h"
#include "sim/cli/command_line.h"
#include "sim/cli/common_options.h"
#include "sim/cli/config_options.h"
#include "sim/cli/progress.h"
#include "sim/cli/timeline_options.h"
#include "sim/cli/write_results.h"
#include "sim/replay/run.h"
#include "sim/trace/open.h"

namespace sassim::cli {

namespace {

using Kernels = std::vector<std::shared_ptr<trace::BlockSource>>;

struct RunArguments {
  ConfigOptions gpu;
  ResultOptions results;
  TimelineOptions timeline;
  std::vector<std::string> traces;
  std::string caches = "cold", wait_graph;
  arch::RunOptions run;
  bool reuse = true;
  unsigned jobs = 1;
  CheckpointOptions checkpoints;

  /// How many processes have cores for their threads.
  unsigned processes() const { return std::max(threads_on_cores(jobs * run.threads) / run.threads, 1u); }
};

/// Throws UsageError for what needs one launch after the other.
void check_jobs(const RunArguments& parsed) {
  if (parsed.jobs == 1) return;
  if (parsed.caches != "cold")
    throw UsageError(
        "--jobs with --caches {0}: a launch finds what the one before left in the caches, so that it waits for it; "
        "leave --jobs out, or --caches {0}",
        parsed.caches);
  std::vector<NamedFile> others = parsed.timeline.files();
  others.push_back({"--resume", parsed.checkpoints.resume});
  others.push_back({"--checkpoint-every", parsed.checkpoints.every == 0 ? "" : parsed.checkpoints.folder});
  for (const NamedFile& other : others)
    if (!other.path.empty())
      throw UsageError(
          "--jobs with {0}: its files have the launches of one GPU, one after the other; leave --jobs out, or {0}",
          other.option);
}

void check_files(const RunArguments& parsed) {
  std::vector<std::filesystem::path> inputs = {parsed.gpu.config};
  for (const std::string& path : parsed.traces)
    for (auto& file : trace::trace_files(path)) inputs.push_back(std::move(file));
  std::vector<NamedFile> outputs = parsed.results.files();
  if (!parsed.checkpoints.resume.empty()) inputs.emplace_back(parsed.checkpoints.resume);
  outputs.push_back({"--wait-graph", parsed.wait_graph});
  for (NamedFile& file : parsed.timeline.files()) outputs.push_back(std::move(file));
  check_outputs(inputs, outputs);
}

/// One run of `sassim run`. However it ends, results of finished kernels are written.
class TraceRun {
 public:
  /// `paths`: the file of each kernel. `processes`: that simulate them.
  TraceRun(RunArguments& parsed, const config::LoadedConfig& loaded, const std::vector<std::string>& paths,
           unsigned processes)
      : parsed_(parsed),
        jobs_(processes),
        gpu_(loaded.config),
        paths_(paths),
        output_(parsed.results, labelled(replay::report_of(gpu_, parsed.caches)), loaded),
        timeline_(parsed.timeline, gpu_) {
    parsed.run.series = parsed.results.series();
    timeline_.watch(parsed.run);
    host_.threads = parsed.run.threads;
  }

  /// Returns the signal that stopped the run; 0: none.
  int run(const Kernels& kernels, CheckpointOutput& checkpoints) {
    replay::RunProgress progress(kernels, parsed_.results.mangled);
    progress_ = &progress;
    try {
      simulate(kernels, checkpoints);
    } catch (const Stopped&) {
      fmt::print(stderr, "sassim: stopped by {}: {} of {} kernels are done\n", signal_name(signals_.received()),
                 output_.kernels(), kernels.size());
    } catch (const Stuck& stuck) {
      if (!parsed_.wait_graph.empty()) write_durably(parsed_.wait_graph, stuck.graph().dot());
      if (output_.kernels() != 0) finish(false);
      throw;
    } catch (const Error&) {
      if (output_.kernels() != 0) finish(false);
      throw;
    }
    finish(output_.kernels() == kernels.size());
    return signals_.received();
  }

 private:
  void simulate(const Kernels& kernels, CheckpointOutput& checkpoints) {
    const auto sink = [this](report::KernelReport kernel) { add(std::move(kernel)); };
    if (jobs_ != 1) {
      const auto look = [this](const replay::JobsProgress& at) {
        progress_->several(at.kernel, at.beside);
        if (!at.kernel.empty()) set_running(at.kernel, at.progress);
        watch_.look(*progress_, at.progress);
      };
      return replay::run_jobs(gpu_, kernels, parsed_.run, sink, {jobs_, parsed_.reuse, look});
    }
    parsed_.run.progress = [&](const arch::KernelProgress& kernel) {
      set_running(kernels[output_.kernels()]->kernel().name, kernel);
      watch_.look(*progress_, kernel);
    };
    replay::run(gpu_, kernels, parsed_.run, sink, checkpoints.plan(), parsed_.reuse);
  }

  void set_running(const std::string& name, const arch::KernelProgress& kernel) {
    running_ = {name, kernel.cycles.value, kernel.warp_instructions, kernel.blocks_ended, kernel.blocks};
  }

  void add(report::KernelReport kernel) {
    watch_.finish();
    kernel.trace = paths_[output_.kernels()];
    reused_ += kernel.reused ? 1 : 0;
    if (!kernel.reused) host_.warp_instructions += kernel.warp_instructions;
    cycles_ += Cycle{static_cast<std::uint64_t>(kernel.metrics["gpc__cycles_elapsed.max"])};
    progress_->kernel_done(kernel.warp_instructions);
    output_.add(kernel);
    running_.reset();
    watch_.kernel_done();
  }

  void finish(bool complete) {
    watch_.finish();
    host_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    host_.peak_rss_bytes = report::peak_rss_bytes() + (jobs_ == 1 ? 0 : jobs_ * report::peak_rss_bytes_of_a_child());
    if (jobs_ != 1) output_.add_to_host("jobs", jobs_);
    output_.finish(complete, host_, nlohmann::ordered_json::object(), running_);
    timeline_.finish(cycles_ + Cycle{running_ ? running_->cycles : 0});
    if (reused_ != 0) fmt::print(stderr, "sassim: {}\n", report::reused_text(reused_));
  }

  RunArguments& parsed_;
  const unsigned jobs_;
  const config::GpuConfig& gpu_;
  const std::vector<std::string>& paths_;
  StopSignals signals_;
  ResultOutput output_;
  TimelineOutput timeline_;
  Watch watch_{signals_};
  replay::RunProgress* progress_ = nullptr;
  std::optional<report::RunningKernel> running_;
  Cycle cycles_;  ///< of the kernels that are done
  std::uint64_t reused_ = 0;
  report::HostReport host_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

ExitStatus replay(RunArguments& parsed, const config::LoadedConfig& loaded, const Kernels& kernels,
                  const std::vector<std::string>& paths) {
  CheckpointOutput checkpoints(parsed.checkpoints, loaded.config, parsed.caches, kernels, parsed.traces.front(),
                               parsed.timeline.window);
  const unsigned jobs =
      std::min<unsigned>(parsed.processes(), static_cast<unsigned>(std::max<std::size_t>(kernels.size(), 1)));
  const int stopped = TraceRun(parsed, loaded, paths, jobs).run(kernels, checkpoints);
  if (stopped != 0) end_as_stopped(stopped);
  return ExitStatus::done;
}

ExitStatus run_traces(RunArguments& parsed) {
  check_jobs(parsed);
  check_files(parsed);
  const config::LoadedConfig gpu = parsed.gpu.load_with_origins();
  Kernels kernels;
  std::vector<std::string> paths;
  for (const std::string& path : parsed.traces)
    for (auto& kernel : trace::open(path)) {
      kernels.push_back(std::move(kernel));
      paths.push_back(path);
    }
  parsed.run.caches = replay::cache_start(parsed.caches);
  parsed.run.checkpoint_every = parsed.checkpoints.every;
  return replay(parsed, gpu, kernels, paths);
}

void add_run(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run", "replay traces on a simulated GPU and report where the time went");
  command->add_option("traces", parsed->traces, ".sast files, or folders of Accel-Sim traces")
      ->required()
      ->type_name("TRACE");
  parsed->gpu.add_to(*command);
  parsed->results.add_to(*command);
  parsed->timeline.add_to(*command);
  parsed->checkpoints.add_to(*command);
  add_threads(*command, parsed->run.threads);
  command
      ->add_option("--jobs", parsed->jobs,
                   "launches that are simulated at the same time, with --caches cold: a process for each, which has a "
                   "GPU and --threads threads; at most one thread for each core. Results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  command->add_option("--caches", parsed->caches, kCachesHelp)
      ->check(CLI::IsMember({"cold", "warm", "keep"}))
      ->capture_default_str();
  add_sample(*command, parsed->run.sample, {"--timeline", "--konata", "--vcd", "--checkpoint-every", "--resume"});
  add_no_skip(*command, parsed->reuse);
  command->add_flag("--allow-arch-mismatch", parsed->run.allow_arch_mismatch,
                    "allow traces that were made for another architecture");
  command
      ->add_option("--no-progress-cycles", parsed->run.no_progress_cycles,
                   "stop with an error after this many cycles in which no instruction issues")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--max-cycles", parsed->run.max_cycles,
                   "stop with status 5 if a kernel has not ended after this many cycles; 0: no limit")
      ->type_name("N");
  command
      ->add_option("--wait-graph", parsed->wait_graph,
                   "if the GPU stops making progress, write a graph of all waits for Graphviz; circular waits are red")
      ->type_name("FILE");
  command->callback([&action, parsed] { action = [parsed] { return run_traces(*parsed); }; });
}

const Command run_command(10, add_run);

}  // namespace

}  // namespace sassim::cli
