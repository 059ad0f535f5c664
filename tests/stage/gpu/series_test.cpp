// SPDX-License-Identifier: Apache-2.0
// Every count of the list over time: what the intervals have adds up to what the launch has.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "arch/gpu/gpu.h"
#include "arch/sm/common/stall_table.h"
#include "sim/config/loader.h"
#include "sim/trace/open.h"

namespace sassim::arch {
namespace {

/// Those that a profiler adds at the end are of no moment of the launch.
constexpr const char* kProfiled = "sassim__lts_sectors_profiled_hit.sum";

std::vector<stats::Count> all_counts() {
  std::vector<stats::Count> counts;
  for (const stats::Counter counter : stats::counters())
    if (counter.row().kind == stats::CounterKind::count && counter.row().name != kProfiled)
      counts.emplace_back(counter);
  return counts;
}

KernelResult run(const char* gpu, const char* trace, const std::vector<stats::Count>& counters) {
  RunOptions options;
  options.series = 64;
  options.series_counters = counters;
  const auto kernels = trace::open(std::string(SASSIM_BINARY_DIR "/traces/") + trace + ".sast");
  return Gpu(config::load_config(gpu, {"environment.profiled_hits=0"})).run(*kernels.at(0), options);
}

std::uint64_t sum(const CountsOverTime& series, stats::Counter counter) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < series.intervals.size(); ++i) total += series.count(i, counter);
  return total;
}

class Series : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Series, OfEveryCountAddsUpToTheMetric) {
  const std::vector<stats::Count> counts = all_counts();
  ASSERT_GT(counts.size(), 150u);
  const KernelResult result = run(GetParam().first, GetParam().second, counts);
  ASSERT_GT(result.series.intervals.size(), 8u);
  std::size_t moving = 0;
  for (const stats::Count& counter : counts) {
    const std::string& name = counter.row().name;
    if (!result.metrics.has(name)) continue;
    EXPECT_EQ(static_cast<double>(sum(result.series, counter)), result.metrics[name]) << name;
    std::size_t intervals = 0;
    for (std::size_t i = 0; i < result.series.intervals.size(); ++i) {
      intervals += result.series.count(i, counter) != 0;
      EXPECT_LT(result.series.count(i, counter), std::uint64_t{1} << 40) << name << " falls in interval " << i;
    }
    moving += intervals > 2;
  }
  EXPECT_GT(moving, 60u) << "counts that more than two intervals have";
}

// A warp that waits over the end of an interval has waited in both of them.
TEST_P(Series, StallReasonsTileTheCyclesOfWarpsInEveryInterval) {
  const KernelResult result = run(GetParam().first, GetParam().second, all_counts());
  const stats::CounterName active("sm__warps_active.sum");
  for (std::size_t i = 0; i < result.series.intervals.size(); ++i) {
    std::uint64_t reasons = 0;
    for (std::size_t r = 0; r < kStallReasons; ++r)
      if (static_cast<StallReason>(r) != StallReason::no_warp)
        reasons += result.series.count(i, warp_cycles(static_cast<StallReason>(r)));
    EXPECT_EQ(reasons, result.series.count(i, active)) << "interval " << i;
  }
}

TEST_P(Series, ACounterCountsTheSameWhateverElseIsAskedFor) {
  const stats::CountName rows("sassim__dram_row_hits.sum");
  const KernelResult all = run(GetParam().first, GetParam().second, all_counts());
  const KernelResult one = run(GetParam().first, GetParam().second, {rows});
  ASSERT_EQ(all.series.intervals.size(), one.series.intervals.size());
  for (std::size_t i = 0; i < one.series.intervals.size(); ++i)
    EXPECT_EQ(one.series.count(i, rows), all.series.count(i, rows)) << "interval " << i;
  EXPECT_EQ(one.series.intervals.front().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Series,
                         testing::Values(std::pair("v100", "sm_70/softmax"), std::pair("t4", "sm_75/sgemm_tiled"),
                                         std::pair("v100", "sm_70/vector_add")),
                         [](const auto& kernel) {
                           std::string name =
                               std::string(kernel.param.first) + "_" + (std::strrchr(kernel.param.second, '/') + 1);
                           return name;
                         });

}  // namespace
}  // namespace sassim::arch
