// SPDX-License-Identifier: Apache-2.0
// Loads the GPU that a bundle holds, simulates the kernels of its traces, and writes their result.
#include "sim/bundle/replay.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/config/layers.h"
#include "sim/config/yaml_tree.h"
#include "sim/replay/run.h"
#include "sim/report/result_stream.h"
#include "sim/trace/open.h"

namespace sassim::bundle {

namespace {

/// True if the key names another file.
bool names_a_file(const std::string& key) {
  return key == "base" ||
         std::ranges::any_of(config::kLayerKinds, [&](const config::LayerKind& kind) { return key == kind.key; });
}

}  // namespace

config::GpuConfig gpu_of(const Recipe& recipe, const std::string& place, const config::KnownNames& known) {
  for (const auto& entry : config::parse_yaml(recipe.config, place).entries)
    if (names_a_file(entry.key))
      throw InputError("{}:{}:{}: '{}' names another file; a bundle's configuration stands by itself", place,
                       entry.mark.line, entry.mark.column, entry.key);
  config::LoadOptions options;
  options.known = known;
  const config::LoadedConfig loaded = config::read_config_text(recipe.config, place, options);
  config::require_valid(loaded);
  return loaded.config;
}

Totals replay(const config::GpuConfig& gpu, const Recipe& recipe, unsigned threads, const ReplayWatch& watch,
              const std::filesystem::path& result) {
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  std::vector<std::string> names;
  for (const Trace& trace : recipe.traces)
    for (const std::filesystem::path& file : trace.files)
      for (auto& kernel : trace::open(file.string())) {
        kernels.push_back(std::move(kernel));
        names.push_back(trace.name);
      }
  arch::RunOptions options;
  options.threads = threads;
  options.caches = replay::cache_start(recipe.caches);
  options.allow_arch_mismatch = recipe.allow_arch_mismatch;
  options.no_progress_cycles = recipe.no_progress_cycles;
  options.max_cycles = recipe.max_cycles;
  replay::RunProgress progress(kernels);
  options.progress = [&](const arch::KernelProgress& kernel) { watch.look(progress, kernel); };
  report::JsonStream json(result.string(), replay::report_of(gpu, recipe.caches));
  Totals totals;
  replay::run(gpu, kernels, options, [&](report::KernelReport kernel) {
    kernel.trace = names[totals.kernels++];
    totals.warp_instructions += kernel.warp_instructions;
    totals.cycles += static_cast<std::uint64_t>(kernel.metrics["gpc__cycles_elapsed.max"]);
    json.add(kernel);
    progress.kernel_done(kernel.warp_instructions);
    watch.kernel_done();
  });
  json.finish(true);
  return totals;
}

}  // namespace sassim::bundle
