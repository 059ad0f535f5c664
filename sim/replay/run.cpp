// SPDX-License-Identifier: Apache-2.0
// Simulates the kernels of traces one by one, with checkpoints if asked, and reports each.
#include "sim/replay/run.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/config/dump.h"
#include "sim/config/gpu_config.h"
#include "sim/replay/kernel_report.h"
#include "sim/trace/sast_file.h"

namespace sassim::replay {

namespace {

/// About a day at a million warp instructions per second: far more than programs that people simulate.
constexpr std::uint64_t kMostSteps = 100'000'000'000;

/// A trace of a few bytes can contain loops that would take years.
void check_length(const trace::BlockSource& source) {
  const auto* kernel = dynamic_cast<const trace::SastKernel*>(&source);
  if (kernel == nullptr || kernel->steps() <= kMostSteps) return;
  throw InputError(
      "{}: kernel {} executes {} warp instructions; a kernel of more than {} needs a limit: sassim run --max-cycles N",
      kernel->file().path(), kernel->entry().name, kernel->steps(), kMostSteps);
}

constexpr const char* name_of(arch::CacheStart start) {
  switch (start) {
    case arch::CacheStart::cold:
      return "cold";
    case arch::CacheStart::warm:
      return "warm";
    case arch::CacheStart::keep:
      return "keep";
    case arch::CacheStart::written:
      return "written";
  }
  return "";
}

using Sink = std::function<void(report::KernelReport)>;

/// Makes a run save and begin as planned; `current` is what it saves, and outlives the run.
void begin(const CheckpointPlan& plan, arch::RunOptions& options, Checkpoint& current, const Sink& sink) {
  if (plan.resume != nullptr) {
    current.launch = plan.resume->launch;
    current.done = plan.resume->done;
    options.resume = &plan.resume->state;
    for (const report::KernelReport& kernel : current.done) sink(kernel);
  }
  if (options.checkpoint_every == 0 || !plan.write) return;
  current.key = plan.key;
  options.checkpoint = [&current, &plan](Cycle cycle, std::string state) {
    current.cycle = cycle.value;
    current.state = std::move(state);
    plan.write(current);
  };
}

}  // namespace

void check_lengths(const std::vector<std::shared_ptr<trace::BlockSource>>& kernels) {
  for (const auto& source : kernels) check_length(*source);
}

report::KernelReport launch_report(const trace::BlockSource& source, const arch::KernelResult& result,
                                   const config::GpuConfig& config) {
  report::KernelReport kernel = kernel_report(source, result, config);
  if (source.kernel().sm != config.arch)
    kernel.notes.push_back(fmt::format("a trace of sm_{} on a GPU of sm_{}", source.kernel().sm, config.arch));
  const std::string& path_of = source.kernel().made_on;
  if (!path_of.empty() && path_of != made_on(config))
    kernel.notes.push_back(fmt::format(
        "the timing of another configuration determined the paths of its warps: {}; with this one they might differ",
        path_of));
  return kernel;
}

CheckpointKey checkpoint_key(const std::string& version, const config::GpuConfig& config, const std::string& caches,
                             const std::vector<std::shared_ptr<trace::BlockSource>>& kernels) {
  CheckpointKey key{version, config::shown_name(config), config::config_hash(config), caches, {}};
  for (const auto& source : kernels) key.traces.push_back(source->hash());
  return key;
}

arch::CacheStart cache_start(const std::string& name) {
  return name == "keep" ? arch::CacheStart::keep : name == "warm" ? arch::CacheStart::warm : arch::CacheStart::cold;
}

report::RunReport report_of(const config::GpuConfig& config, const std::string& caches) {
  report::RunReport report;
  report.config_name = config::shown_name(config);
  report.config_hash = config::config_hash(config);
  report.config_json = config::to_json_text(config);
  report.arch = config.arch;
  report.caches = caches;
  return report;
}

void run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
         const arch::RunOptions& options, const std::function<void(report::KernelReport)>& sink,
         const CheckpointPlan* plan, bool reuse) {
  if (options.max_cycles == 0) check_lengths(kernels);
  arch::Gpu gpu(config);
  gpu.reuse_results(reuse);
  arch::RunOptions own = options;
  Checkpoint current;
  if (plan != nullptr) begin(*plan, own, current, sink);
  for (; current.launch < kernels.size(); ++current.launch, own.resume = nullptr) {
    const auto& source = kernels[current.launch];
    if (options.caches == arch::CacheStart::keep) own.launch = current.launch;  // else each trace stands alone
    report::KernelReport kernel = launch_report(*source, gpu.run(*source, own), config);
    if (own.checkpoint) current.done.push_back(kernel);
    sink(std::move(kernel));
  }
}

report::RunReport run(const config::GpuConfig& config, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels,
                      const arch::RunOptions& options) {
  report::RunReport report = report_of(config, name_of(options.caches));
  const auto began = std::chrono::steady_clock::now();
  run(config, kernels, options, [&](report::KernelReport kernel) {
    report.host.warp_instructions += kernel.warp_instructions;
    report.kernels.push_back(std::move(kernel));
  });
  report.host.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.host.threads = options.threads;
  report.host.peak_rss_bytes = report::peak_rss_bytes();
  return report;
}

}  // namespace sassim::replay
