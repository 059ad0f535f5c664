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
  metrics.sum("a", "inst", "one thing", 1);
  EXPECT_THROW(metrics.sum("a", "inst", "another thing", 1), std::logic_error);
  metrics.set("b", "%", "derived", 1);
  EXPECT_THROW(metrics.set("b", "%", "derived", 2), std::logic_error);
  EXPECT_THROW(metrics["c"], std::out_of_range);
}

}  // namespace
}  // namespace sassim::stats
