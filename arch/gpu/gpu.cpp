// SPDX-License-Identifier: Apache-2.0
// Steps a GPU through a kernel, epoch by epoch, from the state of its caches to its end, and detects runs that hang.
#include "arch/gpu/gpu.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "arch/gpu/gpu_impl.h"
#include "arch/gpu/gpu_metrics.h"
#include "arch/gpu/memory_metrics.h"
#include "sim/base/default_float.h"
#include "sim/base/error.h"
#include "sim/config/field.h"

namespace sassim::arch {

void check_architecture(const trace::KernelInfo& kernel, const config::GpuConfig& config, bool allowed) {
  if (kernel.sm == config.arch || allowed) return;
  throw InputError(
      "kernel '{}' was compiled for sm_{}, but '{}' is an sm_{}: choose a configuration of that architecture, or "
      "--allow-arch-mismatch to run it all the same",
      kernel.name, kernel.sm, config.name, config.arch);
}

config::OccupancyResult fit(const trace::KernelInfo& kernel, const config::GpuConfig& config) {
  const config::BlockNeeds needs{static_cast<std::uint32_t>(kernel.block.count()), kernel.registers,
                                 kernel.shared_bytes()};
  const std::uint64_t preferred =
      kernel.preferred_shared_carveout == 0xffffffffu ? ~0ull : kernel.preferred_shared_carveout;
  const auto result = config::occupancy(config.sm.occupancy, needs, preferred);
  if (result.blocks == 0)
    throw InputError(
        "kernel '{}': a block of {} threads with {} registers per thread and {} bytes of shared memory can never fit "
        "an SM of '{}': the limit is {}",
        kernel.name, needs.threads, needs.registers_per_thread, needs.shared_bytes, config.name,
        config::limiter_name(result.limiter));
  return result;
}

namespace {

constexpr std::uint64_t kEpochsPerCheck = 64;  ///< epochs between checks for progress
constexpr std::uint64_t kEpochsPerReport = 4;  ///< epochs between calls of RunOptions::progress
constexpr std::size_t kReportLines = 20;       ///< lines of the waits in an error
constexpr std::size_t kSmsInTurn = 4;          ///< for each thread: measured, with fewer some threads wait for others

}  // namespace

/// The factor by which the limit for waits grows if latencies or clocks of the configuration are far from real GPUs. No
/// wait is longer than the sum of all latencies in cycles of the slowest clock.
std::uint64_t patience(config::GpuConfig config) {
  constexpr double kUsual = 1e7;  // real GPUs are well below
  double sum = 0;
  const config::FieldList keys(config);
  for (const config::Field& field : keys.fields())
    if (field.spec.unit == config::Unit::cycles)
      if (const auto* const* value = std::get_if<std::uint32_t*>(&field.member)) sum += **value;
  const double slowest = static_cast<double>(std::min({config.clock.sm, config.clock.l2, config.clock.dram}));
  return 1 + static_cast<std::uint64_t>(sum * static_cast<double>(config.clock.sm) / slowest / kUsual);
}

Cycle Gpu::Impl::common_edge(Cycle cycle) const {
  const config::Clocks& clock = config.clock;
  const std::uint64_t every = clock.sm / std::gcd(clock.sm, std::gcd(clock.l2, clock.dram));
  return Cycle((cycle.value + every - 1) / every * every);
}

/// Sets the contents of the caches at the start of the kernel, and performs the reads of its launch. A kernel that
/// finds nothing in the caches also finds the clocks and the DRAM as the first kernel does, so that its result does not
/// depend on what ran before.
void Gpu::Impl::start_memory(const trace::KernelInfo& kernel, const RunOptions& options, bool keep) {
  MemorySystem& memory = module.memory();
  if (!keep) memory.renew_dram(start);
  memory.start_kernel(keep);
  if (options.caches == CacheStart::written) memory.fill_with_written();
  using environment::Caches;
  const Caches left = keep ? Caches::kept : options.caches == CacheStart::cold ? Caches::flushed : Caches::other;
  for (const auto& contents : environment.before_launch(left)) memory.preload(contents);
  const auto read = [&](std::uint64_t address, std::uint64_t bytes) {
    const MemorySystem::Reads reads = memory.read_by_launch(address, bytes);
    environment.launch_reads(reads.sectors, reads.from_dram);
  };
  read(kernel.code_address, std::min(config.launch.code_prefetch, kernel.code_bytes()));
  read(kernel.constant_address, config.launch.state_bytes);
  memory.observe(options.accesses);
}

void Gpu::Impl::make_engine(const RunOptions& options, LiveOrder* live) {
  MemorySystem& memory = module.memory();
  const Cycle lookahead = memory.lookahead();
  const Cycle epoch(options.epoch == 0 ? lookahead.value : std::min(options.epoch, lookahead.value));
  const std::shared_ptr<ThreadTeam> team = system.team(std::max(1u, options.threads));
  engine = std::make_unique<EpochEngine>(epoch, team);
  scheduler = std::make_unique<BlockScheduler>(config.sm.occupancy, config.launch, sms, lookahead, team);
  for (Sm* sm : sms) engine->add(*sm);
  for (Component* part : memory.components()) engine->add_ahead(*part);
  engine->add(memory);
  if (live != nullptr) engine->add(*live);
  engine->add(*scheduler);
  // Observers are told epoch by epoch, live warps take part in each exchange, the clock of several GPUs follows the
  // epochs of each, and a thread block must not start within the two epochs.
  const bool watched = options.clocks != nullptr || options.pipeline != nullptr || options.signals != nullptr ||
                       options.accesses != nullptr;
  if (watched || live != nullptr || system.shared() || !memory.in_turn() || scheduler->delay() < 2 * epoch.value ||
      sms.size() < kSmsInTurn * options.threads)
    engine->stay_single();
}

/// SMs and memory may advance in turn, through an odd epoch and an even one, that end at this cycle or before. Until
/// then nothing is due after an odd epoch: progress is checked and reported after even ones.
Cycle Gpu::Impl::in_turn_until(const RunOptions& options) const {
  const bool goes_on = engine->partial() && engine->next() < engine->whole_end();
  const std::uint64_t first = engine->epochs() + (goes_on ? 0 : 1);
  if (first % 2 == 0) return Cycle{};
  const Cycle longest = options.max_cycles == 0 ? kNever : start + options.max_cycles;
  return std::min({next_checkpoint, longest, progress.checked + options.no_progress_cycles});
}

/// A kernel does not end before its stores are done.
Cycle Gpu::Impl::end_of_launch(LaunchIndex launch) const {
  Cycle end = scheduler->last_end(launch);
  for (const Sm* sm : sms) {
    const Cycle written = sm->last_memory_event(launch);
    if (written > end + config.launch.flush) end = written - config.launch.flush;
  }
  const auto wrote = std::count_if(sms.begin(), sms.end(), [&](const Sm* sm) { return sm->wrote(launch); });
  if (wrote != 0)
    end = end + config.launch.write_flush +
          static_cast<std::uint64_t>(config.launch.write_flush_interval * static_cast<double>(wrote - 1));
  return end;
}

/// A launch invalidates the data and constants that each SM caches for itself. Between kernels of a program, code and
/// the caches that SMs share are kept.
Sm::Launch Gpu::Impl::launch_on_sms(const StaticCode& code, const config::OccupancyResult& occupancy,
                                    trace::BlockSource& source, const RunOptions& options, PipelineObserver* pipeline) {
  const bool keep = options.caches == CacheStart::warm || options.caches == CacheStart::keep;
  return {&code,
          start,
          occupancy.blocks,
          occupancy.carveout,
          options.caches == CacheStart::warm,
          pipeline,
          options.accesses,
          config.launch.code_prefetch,
          keep ? start : start + latency(options.launch) + config.launch.cold_code_delay,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(source.block_count(), sms.size())),
          keep,
          options.caches == CacheStart::keep && options.launch < config.launch.places.count
              ? config.launch.places.fetch_latency
              : 0,
          keep || config.sm.tlb_scope == "single_pass" ? &module.memory().translated() : nullptr,
          source.live_memory()};
}

/// Ends the kernel.
KernelResult Gpu::Impl::result_of(const trace::KernelInfo& kernel, const config::OccupancyResult& occupancy, Cycle end,
                                  bool scoreboard, PipelineObserver* pipeline, const RunOptions& options) {
  MemorySystem& memory = module.memory();
  for (Sm* sm : sms) sm->finish(end);
  KernelResult result;
  if (series && options.series != 0 && !sampling.counts.any())
    result.series = series->finish(end, counted(engine->now(), end));
  series.reset();
  if (observed) observed->finish(end, counted(engine->now(), end));
  observed.reset();
  if (pipeline != nullptr) pipeline->kernel_ended(end, result.series);
  const std::uint64_t skipped = sampling.counts.skipped_cycles();
  result.cycles = Cycle(end.value - start.value + skipped);
  result.warp_instructions = issued() + sampling.counts.skipped_warp_instructions();
  result.scoreboard = scoreboard;
  if (sampling.sampler || sampling.not_sampled) result.sampling = sampling_result(result.cycles.value);
  memory.check_conservation();
  LaunchPhases phases = scheduler->phases();
  if (phases.thinning != kNever) phases.thinning = phases.thinning + skipped;
  phases.last_end = phases.last_end + skipped;
  report_gpu({config, kernel, occupancy, start, result.cycles, phases, sms, memory, environment,
              sampling.counts.any() ? &sampling.counts : nullptr},
             result);
  sampling.sampler.reset();
  engine.reset();
  scheduler.reset();
  return result;
}

/// Warps may end before their stores have reached the memory; the kernel includes these stores.
bool Gpu::Impl::finished() {
  const auto quiet = [](const Sm* sm) { return sm->memory_idle(); };
  return scheduler->done() && module.memory().idle() && std::all_of(sms.begin(), sms.end(), quiet);
}

/// Simulates one epoch, or the part of it up to `cut` or to the end of an interval of the series.
Cycle Gpu::Impl::step(const RunOptions& options, Cycle cut) {
  // A kernel ends only with a whole epoch, so cuts change no result.
  if (engine->partial() && engine->next() >= engine->whole_end() && finished()) return kNever;
  if (engine->now() >= next_checkpoint && !engine->partial()) save(options);
  close_intervals();
  for (const Cycle next = engine->next(); next != kNever && sampling.sampler && sampling.sampler->due() <= next;)
    sample(running->source);
  engine->cut(std::min({cut, interval_due(), sampling.sampler ? sampling.sampler->due() : kNever}));
  const bool stepped = engine->step_before(in_turn_until(options));
  deliver_clocks(options);
  if (!engine->partial() && finished()) return kNever;
  if (!stepped) stuck("nothing is left to happen");
  after_epoch(options);
  return engine->now();
}

/// Checks the limits of a run and reports its progress.
void Gpu::Impl::after_epoch(const RunOptions& options) {
  if (engine->partial() && !engine->was_cut()) return;  // the rest of the epoch follows
  // After all blocks have ended, the length is checked at the end of the launch, which does not depend on epochs.
  if (!scheduler->done()) check_length(options, engine->now());
  if (options.progress && engine->epochs() % kEpochsPerReport == 0) report_progress(options);
  // Cycles without events are skipped, so that a few epochs may cover a long time.
  if (engine->epochs() % kEpochsPerCheck == 0 || engine->now() > progress.checked + options.no_progress_cycles)
    check_progress(options);
}

/// In the window that is written: epochs of one cycle, with SystemC's clock at each of them.
Cycle Gpu::Impl::step_with_signals(const RunOptions& options) {
  dump.signals->idle();
  const Cycle next = engine->next();
  if (next != kNever && next > dump.shown) return dump.shown = next;
  const Cycle ahead = step(options, dump.signals->shows(next) ? next + 1 : kNever);
  if (dump.signals->shows(next)) dump.signals->sample(*sms.at(options.signals->sm.value));
  return dump.shown = ahead;
}

void Gpu::Impl::deliver_clocks(const RunOptions& options) {
  for (Sm* sm : sms) {
    if (sm->clock_reads().empty()) continue;
    if (options.clocks != nullptr)
      for (const ClockRead& read : sm->clock_reads())
        options.clocks->clock_read(read.block, read.warp, read.instruction, read.cycle, sm->id());
    sm->clock_reads().clear();
  }
}

void Gpu::Impl::check_progress(const RunOptions& options) {
  const std::uint64_t done = issued() + scheduler->completed();
  const Cycle at = progress.checked = engine->now();
  if (done != progress.issued) {
    progress.issued = done;
    progress.made = at;
  } else if (at.value - progress.made.value >
             std::max(options.no_progress_cycles, options.no_progress_cycles * progress.patience)) {
    stuck(fmt::format("no instruction issued for {} cycles", at.value - progress.made.value));
  }
}

void Gpu::Impl::report_progress(const RunOptions& options) const {
  const Cycle at = std::max(engine->now(), start);
  options.progress({Cycle(at.value - start.value), issued(), scheduler->completed(), scheduler->total()});
}

void Gpu::Impl::check_length(const RunOptions& options, Cycle end) const {
  if (options.max_cycles == 0 || end.value - start.value <= options.max_cycles) return;
  throw NoProgress(
      fmt::format("the kernel has not ended after {} cycles, which is the limit that was set (--max-cycles): {} of {} "
                  "thread blocks have ended",
                  options.max_cycles, scheduler->completed(), scheduler->total()));
}

void Gpu::Impl::stuck(const std::string& why) {
  const WaitGraph graph = waits();
  throw Stuck(fmt::format("no progress at cycle {}: {}; {} of {} thread blocks have ended\n{}",
                          graph.since_start(engine->now().value), why, scheduler->completed(), scheduler->total(),
                          graph.text(kReportLines)),
              graph);
}

WaitGraph Gpu::Impl::waits() {
  WaitGraph graph(start.value);
  for (const Sm* sm : sms) sm->describe_waits(graph);
  module.memory().describe_waits(graph);
  return graph;
}

Gpu::Gpu(const config::GpuConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Gpu::Gpu(System& system, const config::GpuConfig& config, const std::string& name)
    : impl_(std::make_unique<Impl>(system, config, name)) {}
Gpu::~Gpu() = default;

void Gpu::reuse_results(bool wanted) {
  impl_->repeats.results.reset();
  if (wanted) impl_->repeats.results.emplace();
}

std::string Gpu::decides(const trace::BlockSource& source, const RunOptions& options) const {
  return impl_->decides(source, options);
}

KernelResult Gpu::run(trace::BlockSource& source, const RunOptions& options) {
  const DefaultFloat default_float;
  return impl_->run(source, options);
}

MemorySockets& Gpu::sockets() { return impl_->module.sockets(); }

stats::MetricSet Gpu::metrics() const {
  impl_->build();
  for (Sm* sm : impl_->sms) sm->forget_launch();
  trace::KernelInfo nothing;
  nothing.grid = nothing.block = {1, 1, 1};
  KernelResult result;
  const config::OccupancyResult occupancy = fit(nothing, impl_->config);
  const LaunchPhases phases;
  report_gpu({impl_->config, nothing, occupancy, Cycle{}, Cycle{}, phases, impl_->sms, impl_->module.memory(),
              impl_->environment},
             result);
  result.metrics.clear_values();
  return std::move(result.metrics);
}

void Gpu::begin_group(trace::BlockSource& first, int priority, const RunOptions& options) {
  const DefaultFloat default_float;
  impl_->begin_group(first, priority, options);
}
LaunchIndex Gpu::join(trace::BlockSource& source, int priority, Cycle ready) {
  return impl_->join(source, priority, ready);
}
std::optional<Gpu::GroupEnd> Gpu::advance_group(Cycle until) {
  const DefaultFloat default_float;
  return impl_->advance_group(until);
}
std::vector<KernelResult> Gpu::end_group() {
  const DefaultFloat default_float;
  return impl_->end_group();
}
KernelResult Gpu::result_so_far(LaunchIndex launch) const {
  const DefaultFloat default_float;
  return impl_->result_beside(launch);
}

void Gpu::rest(bool for_good) {
  if (impl_->engine) impl_->engine->rest(for_good);
}

void Gpu::written(std::uint64_t address, std::uint64_t bytes, bool from_host) {
  impl_->module.memory().preload(impl_->environment.written(address, bytes, from_host));
}

}  // namespace sassim::arch
