// SPDX-License-Identifier: Apache-2.0
// Runs a trace for sassim::Gpu, calls the caller's observer, and gathers launches, metrics and JSON.
#include "sim/library/application.h"

#include <utility>

#include "sim/base/cores.h"
#include "sim/base/error.h"
#include "sim/library/built_from.h"
#include "sim/library/guarded.h"
#include "sim/library/inside.h"
#include "sim/replay/run.h"

namespace sassim::library {

namespace {

arch::CacheStart start_of(Caches caches) {
  return caches == Caches::keep   ? arch::CacheStart::keep
         : caches == Caches::warm ? arch::CacheStart::warm
                                  : arch::CacheStart::cold;
}

const char* name_of(Caches caches) {
  return caches == Caches::keep ? "keep" : caches == Caches::warm ? "warm" : "cold";
}

}  // namespace

Application::Application(Gpu::Impl& gpu, const Trace& trace, const RunOptions& options)
    : gpu_(gpu), trace_(trace), options_(options) {
  if (options.max_cycles == 0) replay::check_lengths(trace.impl().kernels);
  report::RunReport run = replay::report_of(gpu.configuration.impl().config, name_of(options.caches));
  run.commit = built_from();
  result_.json = report::JsonText::head(run);
}

trace::BlockSource& Application::source(std::size_t number) const { return *trace_.impl().kernels[number]; }

arch::RunOptions Application::options(std::size_t number) {
  arch::RunOptions options;
  options.threads = threads_on_cores(options_.threads);
  options.caches = start_of(options_.caches);
  // Without kept caches each trace stands alone.
  options.launch = options_.caches == Caches::keep ? gpu_.launched + number : 0;
  options.no_progress_cycles = options_.no_progress_cycles;
  options.max_cycles = options_.max_cycles;
  options.allow_arch_mismatch = options_.allow_arch_mismatch;
  if (options_.observer == nullptr || options_.interval == 0) return options;
  if (known_.size() == 0) known_ = metrics_of(gpu_.gpu->metrics());
  options.intervals.cycles = options_.interval;
  options.intervals.tell = [this, number](Cycle from, Cycle until, const std::vector<std::uint64_t>& counts) {
    told([&] { options_.observer->interval(number, interval(from, until, counts)); });
  };
  return options;
}

Interval Application::interval(Cycle from, Cycle until, const std::vector<std::uint64_t>& counts) const {
  Interval interval{from.value, until.value, {}};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const stats::CounterRow& row = arch::usual_series()[i].row();
    const bool known = known_.find(row.name) != nullptr;
    interval.counters.push_back(
        {row.name, known ? row.unit : "", known ? row.meaning : "", static_cast<double>(counts[i]), true});
  }
  return interval;
}

void Application::began(std::size_t number) {
  if (options_.observer != nullptr) told([&] { options_.observer->launch_began(number, info_of(source(number))); });
}

void Application::ended(std::size_t number, const arch::KernelResult& result) {
  report::KernelReport kernel = replay::launch_report(source(number), result, gpu_.configuration.impl().config);
  kernel.trace = trace_.impl().paths[number];
  result_.json += json_.kernel(kernel);
  result_.launches.push_back({number, info_of(source(number)), result.cycles.value, result.warp_instructions,
                              metrics_of(kernel.metrics), std::move(kernel.notes)});
  if (options_.observer != nullptr) told([&] { options_.observer->launch_ended(result_.launches.back()); });
}

Result Application::finish() {
  result_.json += json_.end(true);
  gpu_.launched += size();
  return std::move(result_);
}

Result Application::run() {
  for (std::size_t i = 0; i < size(); ++i) {
    began(i);
    ended(i, gpu_.gpu->run(source(i), options(i)));
  }
  return finish();
}

}  // namespace sassim::library
