// SPDX-License-Identifier: Apache-2.0
// How a metric becomes one number of a launch: the part of its name behind the first dot, as Nsight Compute writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sassim::stats {

enum class Rollup : std::uint8_t {
  value,
  sum,
  avg,
  min,
  max,
  sum_per_second,
  avg_per_second,
  avg_per_cycle_active,
  avg_per_cycle_elapsed,
  avg_pct_of_peak_sustained_active,
  avg_pct_of_peak_sustained_elapsed,
  pct_of_peak,
  pct,
  pct_elapsed,
  ratio,
  cycles,
  count_
};

struct RollupRow {
  Rollup rollup;
  std::string_view name;     ///< "avg.per_second", as in names of metrics; of a plain value: "value"
  std::string_view meaning;  ///< "the mean over all instances of the unit, per second"
};
const RollupRow& rollup_row(Rollup);

/// Of a metric's name; nothing: the name ends with no rollup that there is.
std::optional<Rollup> rollup_in(std::string_view metric);

}  // namespace sassim::stats
