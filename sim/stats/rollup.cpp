// SPDX-License-Identifier: Apache-2.0
// The table of what names of metrics end with (sum, avg, pct_of_peak, ...), and what it means.
#include "sim/stats/rollup.h"

#include <array>

namespace sassim::stats {

namespace {

constexpr std::size_t kRollups = static_cast<std::size_t>(Rollup::count_);

constexpr std::array<RollupRow, kRollups> kRows{{
    {Rollup::value, "value", "one value of the launch or the GPU; nothing is added up"},
    {Rollup::sum, "sum", "sum over all instances of the unit (every SM, every L2 slice, ...)"},
    {Rollup::avg, "avg", "mean over all instances of the unit"},
    {Rollup::min, "min", "smallest of all instances of the unit"},
    {Rollup::max, "max", "largest of all instances of the unit"},
    {Rollup::sum_per_second, "sum.per_second", "sum over all instances, per second of the launch"},
    {Rollup::avg_per_second, "avg.per_second", "mean over all instances, per second of the launch"},
    {Rollup::avg_per_cycle_active, "avg.per_cycle_active", "mean over all instances, per cycle in which one has warps"},
    {Rollup::avg_per_cycle_elapsed, "avg.per_cycle_elapsed", "mean over all instances, per cycle of the launch"},
    {Rollup::avg_pct_of_peak_sustained_active, "avg.pct_of_peak_sustained_active",
     "percent of the most that is possible in the cycles in which an instance has work"},
    {Rollup::avg_pct_of_peak_sustained_elapsed, "avg.pct_of_peak_sustained_elapsed",
     "percent of the most that is possible in all cycles of the launch"},
    {Rollup::pct_of_peak, "pct_of_peak", "percent of the most that is possible in all cycles of the launch"},
    {Rollup::pct, "pct", "one quantity in percent of another"},
    {Rollup::pct_elapsed, "pct_elapsed", "percent of the cycles of the launch"},
    {Rollup::ratio, "ratio", "one sum over another sum"},
    {Rollup::cycles, "cycles", "cycles of one phase of the launch; the phases add up to its elapsed cycles"},
}};

consteval bool in_order() {
  for (std::size_t i = 0; i < kRollups; ++i)
    if (static_cast<std::size_t>(kRows[i].rollup) != i || kRows[i].name.empty()) return false;
  return true;
}
static_assert(in_order(), "every rollup has its row, in the order of the enumeration");

}  // namespace

const RollupRow& rollup_row(Rollup rollup) { return kRows[static_cast<std::size_t>(rollup)]; }

std::optional<Rollup> rollup_in(std::string_view metric) {
  const std::size_t dot = metric.find('.');
  if (dot == std::string_view::npos) return Rollup::value;
  for (const RollupRow& row : kRows)
    if (row.rollup != Rollup::value && row.name == metric.substr(dot + 1)) return row.rollup;
  return std::nullopt;
}

}  // namespace sassim::stats
