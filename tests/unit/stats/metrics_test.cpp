// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/metrics.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sassim::stats {
namespace {

TEST(MetricSet, SumsOverInstancesAndKeepsTheLargest) {
  MetricSet metrics;
  metrics.sum("smsp__inst_executed.sum", "inst", "warp instructions", 3);
  metrics.sum("smsp__inst_executed.sum", "inst", "warp instructions", 4);
  metrics.max("sm__cycles_elapsed.max", "cycle", "longest", 7);
  metrics.max("sm__cycles_elapsed.max", "cycle", "longest", 5);
  metrics.min("sm__cycles_active.min", "cycle", "shortest", 9);
  metrics.min("sm__cycles_active.min", "cycle", "shortest", 4);
  metrics.min("sm__cycles_active.min", "cycle", "shortest", 6);
  EXPECT_EQ(metrics["sm__cycles_active.min"], 4);
  EXPECT_EQ(metrics["smsp__inst_executed.sum"], 7);
  EXPECT_EQ(metrics["sm__cycles_elapsed.max"], 7);
}

TEST(MetricSet, RefusesTwoMeaningsForOneName) {
  MetricSet metrics;
  metrics.sum("a.sum", "inst", "one thing", 1);
  EXPECT_THROW(metrics.sum("a.sum", "inst", "another thing", 1), std::logic_error);
  metrics.set("b", "%", "derived", 1);
  EXPECT_THROW(metrics.set("b", "%", "derived", 2), std::logic_error);
  EXPECT_THROW(metrics["c"], std::out_of_range);
}

TEST(MetricSet, TheRollupIsThatOfTheNameAndOfHowValuesAreCombined) {
  MetricSet metrics;
  metrics.sum("dram__bytes.sum", "byte", "bytes", 1);
  metrics.set("dram__bytes.sum.per_second", "byte/s", "bytes per second", 1);
  metrics.set("launch__grid_size", "block", "blocks", 1);
  EXPECT_EQ(metrics.all().at("dram__bytes.sum").rollup, Rollup::sum);
  EXPECT_EQ(metrics.all().at("dram__bytes.sum.per_second").rollup, Rollup::sum_per_second);
  EXPECT_EQ(metrics.all().at("launch__grid_size").rollup, Rollup::value);
  EXPECT_THROW(metrics.sum("dram__bytes.max", "byte", "bytes", 1), std::logic_error);
  EXPECT_THROW(metrics.max("dram__sectors.sum", "sector", "sectors", 1), std::logic_error);
  EXPECT_THROW(metrics.set("dram__bytes.total", "byte", "bytes", 1), std::logic_error);
  EXPECT_FALSE(metrics.has("dram__bytes.max") || metrics.has("dram__bytes.total"));
}

TEST(MetricSet, AThroughputIsTheLargestOfItsParts) {
  MetricSet metrics;
  metrics.set("sm__pipe_a.pct", "%", "a", 20);
  metrics.set("sm__pipe_b.pct", "%", "b", 30);
  metrics.largest("sm__throughput.pct", "%", "all", {"sm__pipe_a.pct", "sm__pipe_b.pct"});
  EXPECT_EQ(metrics["sm__throughput.pct"], 30);
  EXPECT_EQ(metrics.all().at("sm__throughput.pct").parts.size(), 2u);
  EXPECT_TRUE(metrics.all().at("sm__pipe_a.pct").parts.empty());
  EXPECT_THROW(metrics.largest("sm__x.pct", "%", "all", {"sm__pipe_c.pct"}), std::out_of_range);
  EXPECT_THROW(metrics.largest("sm__x.pct", "%", "all", {}), std::logic_error);
  metrics.clear_values();
  EXPECT_EQ(metrics["sm__throughput.pct"], 0);
  EXPECT_EQ(metrics.all().at("sm__throughput.pct").parts.size(), 2u);
}

TEST(Rollup, IsFoundInNames) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Rollup::count_); ++i) {
    const RollupRow& row = rollup_row(static_cast<Rollup>(i));
    EXPECT_EQ(rollup_in(row.rollup == Rollup::value ? "unit__name" : "unit__name." + std::string(row.name)),
              row.rollup);
    EXPECT_FALSE(row.meaning.empty());
  }
  EXPECT_EQ(rollup_in("unit__name.value"), std::nullopt);
  EXPECT_EQ(rollup_in("unit__name."), std::nullopt);
}

}  // namespace
}  // namespace sassim::stats
