// SPDX-License-Identifier: Apache-2.0
// What the list of metrics promises, results have; what profiles of Nsight Compute have, is there or said to be
// missing.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "sim/stats/counter.h"
#include "sim/stats/nsight_names.h"
#include "sim/trace/open.h"
#include "tests/support/sass_kernel.h"

namespace sassim {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names(const stats::MetricSet& metrics) {
  std::set<std::string> all;
  for (const stats::Metric& metric : metrics.all()) all.insert(metric.name());
  return all;
}

std::set<std::string> profile_columns() {
  std::set<std::string> columns;
  for (const auto& entry : fs::recursive_directory_iterator(SASSIM_BINARY_DIR "/unpacked/profiles")) {
    if (entry.path().extension() != ".csv") continue;
    std::ifstream file(entry.path());
    std::string head, column;
    std::getline(file, head);
    for (std::istringstream in(head); std::getline(in, column, ',');)
      if (column.find("__") != std::string::npos) columns.insert(column.substr(1, column.find('"', 1) - 1));
  }
  return columns;
}

TEST(Metrics, AResultHasThoseOfTheListWithTheirUnits) {
  arch::Gpu gpu(config::load_config("v100"));
  const stats::MetricSet listed = gpu.metrics();
  const auto kernels = trace::open(SASSIM_BINARY_DIR "/traces/sm_70/vector_add.sast");
  const stats::MetricSet result = gpu.run(*kernels.at(0)).metrics;
  EXPECT_EQ(names(listed), names(result));
  for (const auto& [row, value] : listed.all()) {
    EXPECT_EQ(row, result.find(row->name)->row) << row->name;
    EXPECT_EQ(value, 0) << row->name;
  }
}

TEST(Metrics, UnitsFitTheRollups) {
  for (const stats::Counter counter : stats::counters()) {
    const auto& [name, unit, meaning, kind, rollup, parts, integral] = counter.row();
    const std::string end(stats::rollup_row(rollup).name);
    EXPECT_EQ(end.find("pct") != std::string::npos || name.ends_with("_pct"), unit == "%") << name;
    EXPECT_EQ(end.ends_with("per_second"), unit.ends_with("/s") || unit == "Hz") << name;
    EXPECT_FALSE(meaning.empty()) << name;
  }
}

TEST(Metrics, ColumnsOfProfilesAreThereOrNamedAsMissing) {
  const std::set<std::string> ours = names(arch::Gpu(config::load_config("h200")).metrics());
  std::set<std::string> missing;
  for (const stats::MissingMetric& metric : stats::missing_metrics()) {
    missing.insert(std::string(metric.name));
    EXPECT_FALSE(metric.why.empty()) << metric.name;
  }
  const std::set<std::string> columns = profile_columns();
  ASSERT_GT(columns.size(), 100u);
  std::size_t there = 0;
  for (const std::string& column : columns) {
    there += ours.contains(column);
    EXPECT_NE(ours.contains(column), missing.contains(column)) << column;
  }
  EXPECT_GE(there * 100, columns.size() * 75);
}

// Five phases, one after the other: from the launch to the end of the last write.
TEST(Metrics, PhasesOfALaunchTileItsCycles) {
  arch::Gpu gpu(config::load_config("v100"));
  for (const char* trace : {"vector_add", "transpose_naive-large", "scan_sums"}) {
    const auto kernels = trace::open(std::string(SASSIM_BINARY_DIR "/traces/sm_70/") + trace + ".sast");
    const stats::MetricSet m = gpu.run(*kernels.at(0)).metrics;
    double sum = 0;
    for (const char* phase : {"launch", "ramp", "full", "tail", "drain"})
      sum += m["sassim__phase_" + std::string(phase) + ".cycles"];
    EXPECT_EQ(sum, m["gpc__cycles_elapsed.max"]) << trace;
    EXPECT_GT(m["sassim__phase_full.cycles"] + m["sassim__phase_tail.cycles"], 0) << trace;
  }
}

// Every throughput that has parts is the largest of them, in a kernel that uses shared memory, caches and DRAM.
TEST(Metrics, ThroughputsAreTheLargestOfTheirParts) {
  arch::Gpu gpu(config::load_config("v100"));
  const auto kernels = trace::open(SASSIM_BINARY_DIR "/traces/sm_70/sgemm_tiled.sast");
  const stats::MetricSet m = gpu.run(*kernels.at(0)).metrics;
  std::set<std::string> with_parts;
  for (const auto& [row, value] : m.all()) {
    if (row->parts.empty()) continue;
    with_parts.insert(row->name);
    double most = 0;
    for (const std::string& part : row->parts) {
      EXPECT_EQ(m.find(part)->row->unit, "%") << part;
      most = std::max(most, m[part]);
    }
    EXPECT_EQ(value, most) << row->name;
    EXPECT_GT(most, 0) << row->name;
  }
  EXPECT_EQ(with_parts, (std::set<std::string>{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                                               "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                                               "sassim__l1_throughput.pct_elapsed",
                                               "sm__throughput.avg.pct_of_peak_sustained_elapsed"}));
  EXPECT_EQ(gpu.metrics().find("sm__throughput.avg.pct_of_peak_sustained_elapsed")->row->parts.size(), 11u);
}

// The kernel transposes a tile of 32 columns without padding: its loads of a column have all lanes in one bank.
TEST(Metrics, BankConflictsAreCountedInWays) {
  arch::Gpu gpu(config::load_config("v100"));
  const auto kernels = trace::open(SASSIM_BINARY_DIR "/traces/sm_70/transpose_shared.sast");
  const stats::MetricSet m = gpu.run(*kernels.at(0)).metrics;
  EXPECT_EQ(m["sassim__shared_conflict_ways_op_ld.ratio"], 32);
  EXPECT_EQ(m["sassim__shared_conflict_ways_op_st.ratio"], 1);
  EXPECT_EQ(m["sassim__shared_conflict_ways_op_atom.ratio"], 0);  // there are none
}

TEST(Metrics, AWarpIsEligibleWhenItIssuesOrAnotherOneIsChosen) {
  arch::Gpu gpu(config::load_config("t4"));
  const auto kernels = trace::open(SASSIM_BINARY_DIR "/traces/sm_75/sgemm_tiled.sast");
  const stats::MetricSet m = gpu.run(*kernels.at(0)).metrics;
  EXPECT_EQ(m["smsp__warps_eligible.sum"],
            m["sassim__warp_cycles_selected.sum"] + m["sassim__warp_cycles_not_selected.sum"]);
  EXPECT_GE(m["smsp__warps_eligible.avg.per_cycle_active"] * 100,
            m["smsp__issue_active.avg.pct_of_peak_sustained_active"]);
  EXPECT_EQ(m["smsp__warps_launched.sum"], 16.0 * 8);
}

// Writes docs/metrics.md from the list of counters.

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

// Every file in configs/chips is a GPU that runs: loads and stores of all its SMs, through its L2 to its DRAM.
namespace sassim::arch::test {
namespace {

std::vector<std::string> chips() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SASSIM_SOURCE_DIR "/configs/chips"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryChip : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryChip, RunsAKernelOnAllItsSms) {
  constexpr std::uint32_t kWarps = 2, kLineBytes = 128;
  const config::GpuConfig config = config::load_config(GetParam());
  SassKernel kernel(
      "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\n"
      "B0-----:R-:W-:-:S04 FFMA R9, R8, R8, R8 ;\n"
      "B------:R0:W-:-:S02 STG.E [R2.64+0x1000000], R9 ;\n"
      "B------:R-:W-:-:S05 EXIT ;\n",
      config.arch);
  const std::uint32_t blocks = 2 * config.sm.count;
  kernel.warps(kWarps).blocks(blocks).addresses_by_block(
      [](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
        const std::uint64_t base = line == 0 ? 0x10000000 : 0x11000000;
        return base + (block * kWarps + warp) * kLineBytes + static_cast<std::uint64_t>(lane) * 4;
      });
  const auto source = kernel.source();
  RunOptions cold;
  cold.caches = CacheStart::cold;
  const KernelResult result = Gpu(config).run(*source, cold);
  EXPECT_EQ(result.warp_instructions, std::uint64_t{blocks} * kWarps * 4);
  EXPECT_GE(result.metrics["dram__bytes_read.sum"], 1.0 * blocks * kWarps * kLineBytes) << "every line comes once";
  // A miss in both caches takes at least its way there and back.
  EXPECT_GT(result.cycles.value, config.memory.crossbar.request_latency + config.memory.crossbar.reply_latency);
  EXPECT_LT(result.cycles.value, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(Chips, EveryChip, ::testing::ValuesIn(chips()), [](const auto& chip) {
  std::string name = chip.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace sassim::arch::test
