// SPDX-License-Identifier: Apache-2.0
// Writes docs/metrics.md from the list of counters.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "arch/gpu/gpu.h"
#include "sim/stats/counter.h"
#include "sim/stats/nsight_names.h"

namespace sassim {
namespace {

constexpr const char* kHead = R"(# Metrics

Every counter of the simulator and every value that is derived from counters. What a launch has of it depends on the parts of
the GPU: `sassim metrics --config NAME` lists that. A metric has Nsight Compute's name if it has the same meaning; otherwise its name begins
with `sassim__`.

| kind | |
|---|---|
| count | adds up from the start of a launch over all instances of a part; `--timeline-counters` shows it over time |
| largest, smallest | of all instances, at the end of the launch |
| derived | a formula, at the end of the launch |

This page is made by the test `MetricsPage.IsCurrent` from the declarations in `arch/` and `sim/` (`SASSIM_UPDATE=1` rewrites it).

| metric | unit | kind | meaning |
|---|---|---|---|
)";

std::string page() {
  std::string text = kHead;
  std::set<stats::Rollup> rollups;
  for (const stats::Counter counter : stats::counters()) {
    const stats::CounterRow& row = counter.row();
    rollups.insert(row.rollup);
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.unit, stats::kind_name(row.kind), row.meaning);
  }
  text += "\n## Rollups\n\nThe part of a name behind the first dot.\n\n| rollup | meaning |\n|---|---|\n";
  for (const stats::Rollup rollup : rollups)
    text += fmt::format("| {} | {} |\n", stats::rollup_row(rollup).name, stats::rollup_row(rollup).meaning);
  text += "\n## Breakdowns\n\nA throughput is the largest of its parts.\n\n| throughput | parts |\n|---|---|\n";
  for (const stats::Counter counter : stats::counters())
    if (const stats::CounterRow& row = counter.row(); !row.parts.empty())
      text += fmt::format("| `{}` | `{}` |\n", row.name, fmt::join(row.parts, "` `"));
  text += "\n## Metrics of Nsight Compute that sassim does not have\n\n| metric | why |\n|---|---|\n";
  for (const stats::MissingMetric& metric : stats::missing_metrics())
    text += fmt::format("| `{}` | {} |\n", metric.name, metric.why);
  return text;
}

TEST(MetricsPage, IsCurrent) {
  ASSERT_TRUE(stats::has_counter(arch::usual_series().front().row().name));
  const std::string path = SASSIM_SOURCE_DIR "/docs/metrics.md";
  if (std::getenv("SASSIM_UPDATE")) std::ofstream(path) << page();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), page()) << "run this test with SASSIM_UPDATE=1";
}

}  // namespace
}  // namespace sassim
