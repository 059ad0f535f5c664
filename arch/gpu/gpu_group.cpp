// SPDX-License-Identifier: Apache-2.0
// Runs launches side by side on one GPU, from Gpu::begin_group() to end_group(). Which SMs get the blocks of a launch
// is decided at a cycle that follows from when the launch is ready, with everything before simulated and nothing after,
// so results do not depend on the length of epochs.
#include <algorithm>
#include <utility>

#include "arch/gpu/gpu_impl.h"
#include "arch/gpu/gpu_metrics.h"

namespace sassim::arch {

/// The end of a launch is known when its stores are done and the epoch of that is over: `flush` and an epoch after the
/// end at the latest. The decision is made as late as the start of its blocks allows.
std::uint64_t Gpu::Impl::margin() {
  const std::uint64_t lookahead = module.memory().lookahead().value;
  const std::uint64_t latency = config.launch.latency;
  return std::max(config.launch.flush + lookahead + 1, latency > lookahead ? latency - lookahead : 0);
}

void Gpu::Impl::begin_group(trace::BlockSource& source, int priority, const RunOptions& options) {
  if (source.live_memory() != nullptr) throw std::logic_error("a live launch runs alone");
  const trace::KernelInfo& kernel = source.kernel();
  check_architecture(kernel, config, options.allow_arch_mismatch);
  const config::OccupancyResult occupancy = fit(kernel, config);
  group = std::make_unique<Group>();
  group->options = options;
  group->code = std::make_unique<StaticCode>(kernel, config);
  group->launches.push_back({&kernel, occupancy, Cycle{}, {}});
  const bool keep = options.caches == CacheStart::warm || options.caches == CacheStart::keep;
  build();
  set_start(keep);
  start_memory(kernel, options, keep);
  dump.signals = nullptr;
  group->first = launch_on_sms(*group->code, occupancy, source, options, nullptr);
  Sm::Launch on_sms = group->first;
  on_sms.blocks = std::max(occupancy.blocks, config.sm.occupancy.blocks);  // those of other launches, too
  for (Sm* sm : sms) sm->start_kernel(on_sms, start);
  module.memory().watch_requests(nullptr);
  make_engine(options, nullptr);
  scheduler->start(source, occupancy, start + latency(options.launch), {}, priority);
  start_series(options);
  sampling = {};
  if (options.sample > 0) sampling.not_sampled = "it may run beside other kernels; sassim exec --serial runs it alone";
  progress.issued = 0;
  progress.made = progress.checked = start + latency(options.launch);
  next_checkpoint = kNever;
}

/// The launch's code enters the L2 when an SM requests it.
LaunchIndex Gpu::Impl::join(trace::BlockSource& source, int priority, Cycle ready) {
  if (source.live_memory() != nullptr) throw std::logic_error("a live launch runs alone");
  const trace::KernelInfo& kernel = source.kernel();
  check_architecture(kernel, config, group->options.allow_arch_mismatch);
  const config::OccupancyResult occupancy = fit(kernel, config);
  group->code->append(kernel, config);
  group->launches.push_back({&kernel, occupancy, ready, {}});
  const LaunchIndex number(group->launches.size() - 1);
  for (Sm* sm : sms) sm->add_launch(group->first, number);
  const Cycle at = start + ready.value;
  const Cycle decision = std::max(engine->now(), at + margin());
  scheduler->join(source, occupancy, decision, std::max(decision, at + latency(group->options.launch + number)),
                  priority);
  return number;
}

bool Gpu::Impl::launch_finished(LaunchIndex launch) const {
  return scheduler->done(launch) &&
         std::none_of(sms.begin(), sms.end(), [&](const Sm* sm) { return sm->has_operations_of(launch); });
}

std::optional<Gpu::GroupEnd> Gpu::Impl::newly_ended() {
  for (std::uint32_t i = 0; i < group->launches.size(); ++i) {
    Group::Launch& launch = group->launches[i];
    const LaunchIndex number(i);
    if (launch.end || !launch_finished(number)) continue;
    launch.end = Cycle(end_of_launch(number).value - start.value);
    return GroupEnd{number, *launch.end};
  }
  return {};
}

std::optional<Gpu::GroupEnd> Gpu::Impl::advance_group(Cycle until) {
  const Cycle known = until == kNever ? kNever : start + until.value + margin();
  const bool any_runs = std::any_of(group->launches.begin(), group->launches.end(),
                                    [](const Group::Launch& launch) { return !launch.end; });
  if (!any_runs) return {};
  std::optional<GroupEnd> ended = newly_ended();
  if (!ended)
    module.run([&] {
      const Cycle next = group_step(known);
      ended = newly_ended();
      return ended ? kNever : next;
    });
  return ended;
}

/// Simulates one epoch, or the part of it up to `known`. kNever: everything before `known` has been simulated.
Cycle Gpu::Impl::group_step(Cycle known) {
  const RunOptions& options = group->options;
  if (known != kNever && engine->next() >= known) return kNever;
  if (series) close_intervals();
  engine->cut(series ? std::min(known, series->due()) : known);
  const bool stepped = engine->step();
  deliver_clocks(options);
  if (!stepped) stuck("nothing is left to happen");
  after_epoch(options);
  return engine->now();
}

/// What launches have for themselves.
KernelResult Gpu::Impl::result_beside(LaunchIndex number) {
  const Group::Launch& launch = group->launches[number];
  KernelResult result;
  result.cycles = Cycle(launch.end->value - launch.ready.value);
  result.scoreboard = group->code->scoreboard();
  if (sampling.not_sampled) result.sampling = Sampling{*sampling.not_sampled};
  result.beside = {static_cast<std::uint32_t>(group->launches.size()), launch.ready, *launch.end};
  const std::uint32_t first = group->code->first_line(number);
  const KernelRun run{config,        *launch.kernel,      launch.fit, start + launch.ready.value,
                      result.cycles, scheduler->phases(), sms,        module.memory(),
                      environment};
  report_beside(run, {first, first + static_cast<std::uint32_t>(launch.kernel->code.size())},
                scheduler->completed(number), result);
  return result;
}

std::vector<KernelResult> Gpu::Impl::end_group() {
  module.run([&] {
    if (!engine->partial() && finished()) return kNever;
    if (engine->partial() && engine->next() >= engine->whole_end() && finished()) return kNever;
    if (series) close_intervals();
    engine->cut(series ? series->due() : kNever);
    const bool stepped = engine->step();
    deliver_clocks(group->options);
    if (!engine->partial() && finished()) return kNever;
    if (!stepped) stuck("nothing is left to happen");
    return engine->now();
  });
  Cycle end = start;
  for (const Group::Launch& launch : group->launches) end = std::max(end, start + launch.end->value);
  if (group->launches.size() == 1) check_length(group->options, end);
  now = std::max({engine->whole_end(), end, start + 1});
  std::vector<KernelResult> results;
  if (group->launches.size() == 1) {
    const Group::Launch& only = group->launches.front();
    results.push_back(result_of(*only.kernel, only.fit, end, group->code->scoreboard(), nullptr, group->options));
    group.reset();
    return results;
  }
  for (Sm* sm : sms) sm->finish(end);
  for (std::uint32_t i = 0; i < group->launches.size(); ++i) results.push_back(result_beside(LaunchIndex(i)));
  series.reset();
  module.memory().check_conservation();
  engine.reset();
  scheduler.reset();
  group.reset();
  return results;
}

}  // namespace sassim::arch
