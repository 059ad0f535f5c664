// SPDX-License-Identifier: Apache-2.0
// Runs one launch alone on a GPU, from its start (begin()) to its result (finish()).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/gpu/gpu_impl.h"
#include "sim/base/error.h"

namespace sassim::arch {

/// A system's clock may be ahead of a GPU that had nothing to do.
void Gpu::Impl::set_start(bool keep) {
  if (system.shared()) now = std::max(now, module.clock());
  start = keep ? now : common_edge(now);
}

void Gpu::Impl::build_alone() {
  if (module.memory().outside_channels() != 0)
    throw InputError(
        "memory.dram.model is tlm, but nothing answers: '{}' is no module of a SystemC platform that binds its sockets "
        "(docs/tlm.md); choose ddr or fixed",
        config.name);
  build();
}

/// An observer hears of all SMs, a checkpoint has all, and the memory of live warps does not outlive their launch.
std::uint64_t Gpu::Impl::repeats_of(const Sm::Launch& launch, const RunOptions& options) {
  LaunchContents contents(launch);
  if (repeats.contents != contents) ++repeats.number;
  repeats.contents = std::move(contents);
  const bool all = launch.observer != nullptr || launch.accesses != nullptr || launch.live != nullptr ||
                   options.resume != nullptr || options.checkpoint_every != 0;
  return all ? 0 : repeats.number;
}

void Gpu::Impl::begin(trace::BlockSource& source, const RunOptions& options) {
  const trace::KernelInfo& kernel = source.kernel();
  check_architecture(kernel, config, options.allow_arch_mismatch);
  const config::OccupancyResult occupancy = fit(kernel, config);
  check_checkpoints(source, options);
  build();
  running =
      std::unique_ptr<Running>(new Running{source, options, occupancy, StaticCode(kernel, config), LiveOrder(sms)});
  const bool keep = options.caches == CacheStart::warm || options.caches == CacheStart::keep;
  std::optional<StateReader> saved;
  if (options.resume != nullptr) {
    saved.emplace(*options.resume);
    (*saved)(now);
  }
  set_start(keep);

  MemorySystem& memory = module.memory();
  start_memory(kernel, options, keep);
  dump.signals = options.signals == nullptr ? nullptr : &module.dump(*options.signals);
  dump.shown = Cycle{};
  running->observers = ObserverPair(options.pipeline, dump.signals);
  running->pipeline = dump.signals == nullptr ? options.pipeline : running->observers.observer();
  running->on_sms = launch_on_sms(running->code, occupancy, source, options, running->pipeline);
  running->on_sms.repeats = repeats_of(running->on_sms, options);
  for (Sm* sm : sms) sm->start_kernel(running->on_sms, start);
  LiveOrder* const live = source.live_memory() != nullptr ? &running->live_order : nullptr;
  memory.watch_requests(live);
  make_engine(options, live);
  scheduler->start(source, occupancy, start + latency(options.launch), [this](BlockId block, SmId sm) {
    if (block == BlockId{0}) running->first_sm = sm;
    if (running->options.clocks != nullptr) running->options.clocks->block_placed(block, sm);
  });
  start_series(options);
  start_sampling(source, occupancy, options);
  if (running->pipeline != nullptr) running->pipeline->kernel_started(kernel, start);
  progress.issued = 0;
  progress.made = progress.checked = start + latency(options.launch);
  if (saved) load(*saved, running->code, running->pipeline, options);
  next_checkpoint = options.checkpoint_every == 0 ? kNever : after_now(options.checkpoint_every);
  running->step = [this] {
    return dump.signals != nullptr ? step_with_signals(running->options) : step(running->options);
  };
}

KernelResult Gpu::Impl::finish() {
  const std::unique_ptr<Running> done = std::move(running);
  module.memory().watch_requests(nullptr);
  const Cycle end = end_of_launch(LaunchIndex{});
  check_length(done->options, end);
  now = std::max({engine->whole_end(), end, start + 1});
  return result_of(done->source.kernel(), done->fit, end, done->code.scoreboard(), done->pipeline, done->options);
}

namespace {

/// Everything that decides the result of a launch that begins with `cold` or `written` caches, as its GPU begins at a
/// common edge of all clocks, with closed rows. Empty: something else does, or somebody observes the launch.
std::string decided_by(const trace::BlockSource& source, const RunOptions& options, std::uint64_t latency) {
  const bool observed = options.clocks != nullptr || options.pipeline != nullptr || options.signals != nullptr ||
                        options.accesses != nullptr || options.intervals.tell || options.checkpoint_every != 0 ||
                        options.resume != nullptr || options.series_counters != usual_series();
  const bool same_start = options.caches == CacheStart::cold || options.caches == CacheStart::written;
  if (observed || !same_start || options.sample != 0) return {};
  const std::string trace = source.hash();
  if (trace.empty()) return {};
  return fmt::format("{} {} {} {} {} {} {}", trace, static_cast<int>(options.caches), latency, options.series,
                     options.series_interval, options.max_cycles, options.no_progress_cycles);
}

}  // namespace

std::string Gpu::Impl::decides(const trace::BlockSource& source, const RunOptions& options) {
  // The clock of a system of several modules goes on while a launch runs, and the memory outside has a state of its
  // own.
  const bool alone = !system.shared() && module.memory().outside_channels() == 0 && source.live_memory() == nullptr;
  return alone ? decided_by(source, options, latency(options.launch)) : "";
}

KernelResult Gpu::Impl::run(trace::BlockSource& source, const RunOptions& options) {
  const std::string key = repeats.results ? decides(source, options) : "";
  if (!key.empty())
    if (const auto known = repeats.results->find(key); known != repeats.results->end()) return known->second;
  begin(source, options);
  module.run(running->step);
  KernelResult result = finish();
  module.wait_until(now);
  if (key.empty() || repeats.results->size() == kMostResults) return result;
  repeats.results->emplace(key, result).first->second.reused = true;
  return result;
}

}  // namespace sassim::arch
