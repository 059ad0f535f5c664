// SPDX-License-Identifier: Apache-2.0
// Records the counters of a running launch over time, for its result (RunOptions::series) and for an observer
// (RunOptions::intervals).
#include <algorithm>

#include "arch/gpu/gpu_impl.h"
#include "arch/gpu/gpu_metrics.h"

namespace sassim::arch {

namespace {

constexpr std::size_t kSavedSeries = 512;  ///< intervals of the counters over time in a checkpoint

}  // namespace

/// With checkpoints the counters over time are kept, so that who resumes may ask for them.
void Gpu::Impl::start_series(const RunOptions& options) {
  series.reset();
  series_interval = options.series_interval;
  const std::size_t most = options.series == 0 && options.checkpoint_every != 0 ? kSavedSeries : options.series;
  if (most != 0) series.emplace(options.series_counters, most, start, options.series_interval);
  observed.reset();
  if (options.intervals.tell && options.intervals.cycles != 0) observed.emplace(options, start);
}

/// What SMs have counted before `on_sms`, and the rest of the GPU before `at`.
stats::CounterValues Gpu::Impl::counted(Cycle at, Cycle on_sms) {
  stats::CounterValues values;
  report_sms(sms, on_sms, values);
  const std::vector<stats::Count>& wanted = series ? series->counters() : observed->counters();
  if (std::any_of(wanted.begin(), wanted.end(), counted_by_line))
    for (const Sm* sm : sms)
      if (!sm->waits()) sm->report_lines(values, on_sms);
  const MemorySystem& memory = module.memory();
  memory.report(values);
  if (memory.has_l2()) environment.report(Cycle(std::max(at, start).value - start.value), values);
  return values;
}

/// Closes the intervals that end before the next epoch starts.
void Gpu::Impl::close_intervals() {
  if (interval_due() == kNever) return;
  const Cycle next = engine->next();
  for (Cycle due = interval_due(); next != kNever && due <= next; due = interval_due()) {
    const stats::CounterValues total = counted(due, due);
    if (series && series->due() == due) series->close(total);
    if (observed && observed->due() == due) observed->close(total);
  }
}

void Gpu::Impl::save_series(StateWriter& to) const {
  to(series_interval, series ? names_of(series->counters()) : std::vector<std::string>(), series);
}

void Gpu::Impl::load_series(StateReader& from, const RunOptions& options) {
  std::uint64_t interval = 0;
  std::vector<std::string> names;
  from(interval, names);
  if (options.series != 0 && names != names_of(options.series_counters))
    throw InputError("the checkpoint has other counters over time: {}", fmt::join(names, ", "));
  std::vector<stats::Count> counters;
  for (const std::string& name : names) counters.emplace_back(stats::find_counter(name));
  series.emplace(std::move(counters), kSavedSeries, start);
  from(series);
  if (options.series != 0 && interval != options.series_interval)
    throw InputError("the checkpoint has counters over time in intervals of {} cycles (0: chosen), not of {}", interval,
                     options.series_interval);
  series_interval = interval;
  if (options.series == 0 && options.checkpoint_every == 0) series.reset();
}

}  // namespace sassim::arch
