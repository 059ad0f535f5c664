// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/payoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/explore/explore_output.h"

namespace sassim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Axis sizes(const std::string& key, const std::vector<double>& numbers) {
  Axis axis;
  axis.key = axis.path = key;
  for (const double number : numbers) {
    axis.numbers.push_back(number);
    axis.values.push_back(std::to_string(static_cast<int>(number)));
  }
  return axis;
}

/// Cycles in the order of the grid; below 0: the point failed.
Explored explored(const std::vector<Axis>& axes, const std::vector<double>& cycles) {
  Explored made;
  made.config = std::make_shared<config::GpuConfig>();
  made.axes = axes;
  const auto grid = combine(axes, Combine::grid);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    Variant variant{grid[i], label_of(axes, grid[i]), made.config, campaign::PointState::done, "", 0, {}, {}};
    if (cycles[i] < 0) variant.state = campaign::PointState::failed;
    if (cycles[i] >= 0) variant.metrics["gpc__cycles_elapsed.max"] = {cycles[i], true, "cycle"};
    made.variants.push_back(std::move(variant));
  }
  return made;
}

TEST(Payoff, IsTheSmallestWithinTwoPercentOfTheBest) {
  const auto all = payoffs(explored({sizes("size", {8, 1, 2, 4})}, {1000, 2000, 1021, 1020}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, "4");  // 1020 is 2 % more than 1000, 1021 is not
  EXPECT_EQ(all[0].best, "8");
  EXPECT_FALSE(all[0].to_the_end());
}

TEST(Payoff, SaysWhenTheLargestStillPays) {
  const auto text = payoff_text(explored({sizes("size", {1, 2, 4})}, {3000, 2000, 1000}));
  EXPECT_THAT(text, ElementsAre(HasSubstr("size pays up to the largest tried, 4")));
}

TEST(Payoff, SaysWhenTheSmallestIsEnough) {
  const auto text = payoff_text(explored({sizes("size", {1, 2, 4})}, {1000, 1000, 990}));
  EXPECT_THAT(text, ElementsAre(HasSubstr("size does not pay: the smallest tried, 1, is enough")));
}

TEST(Payoff, SaysWhenNothingChanges) {
  EXPECT_THAT(payoff_text(explored({sizes("size", {1, 2, 4})}, {1990, 1990, 1990})),
              ElementsAre("size has no effect here (1 to 4: 1990 cycles)"));
  EXPECT_THAT(payoff_text(explored({sizes("a", {1, 2}), sizes("size", {1, 2})}, {1990, 1990, 1800, 1800}))[1],
              "size has no effect here (1 to 2: 1800 to 1990 cycles, by the other keys)");
  EXPECT_THAT(payoff_text(explored({sizes("size", {1, 2, 4})}, {1990, 1991, 1990})),
              ElementsAre(HasSubstr("does not pay")));
}

TEST(Payoff, OfFailedPointsNothingIsSaid) {
  const auto all = payoffs(explored({sizes("size", {1, 2, 4})}, {2000, -1, 1990}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, "1");
  EXPECT_TRUE(payoffs(explored({sizes("size", {1, 2})}, {2000, -1})).empty());
}

TEST(Payoff, IsFoundForEachSettingOfTheOtherKeys) {
  // a = 1: size 2 is enough; a = 2: 1 is.
  const auto all = explored({sizes("a", {1, 2}), sizes("size", {1, 2, 4})}, {2000, 1000, 1000, 900, 900, 900});
  std::vector<std::string> values;
  for (const Payoff& p : payoffs(all))
    if (p.axis == 1) values.push_back(p.value);
  EXPECT_THAT(values, ElementsAre("2", "1"));
  EXPECT_THAT(payoff_text(all)[1],
              HasSubstr("size stops paying at 2 at the latest, earlier in 1 of 2 settings of the other keys"));
}

TEST(Payoff, NamesHaveNoOrder) {
  Axis names;
  names.key = names.path = "policy";
  names.values = {"lru", "volta"};
  EXPECT_TRUE(payoffs(explored({names}, {2000, 1000})).empty());
}

TEST(WhatIf, RanksByCyclesRecovered) {
  Explored made = explored({}, {1000});
  made.idealisations = {{"a", "", {"x=1"}}, {"b", "", {"y=1", "z=2"}}, {"failed", "", {}}};
  const auto variant = [&](double cycles) {
    Variant v{{}, "", made.config, cycles < 0 ? campaign::PointState::failed : campaign::PointState::done,
              "", 0,  {},          {}};
    v.metrics["gpc__cycles_elapsed.max"] = {cycles, true, "cycle"};
    return v;
  };
  made.idealised = {variant(1000), variant(990), variant(400), variant(-1)};
  const auto rows = ranked(made);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].idealisation->name, "b");
  EXPECT_EQ(rows[0].recovered, 600);
  EXPECT_EQ(what_if_csv(made),
            "idealisation,overrides,cycles,recovered_cycles,recovered_percent\n"
            "b,y=1 z=2,400,600,60.0000\na,x=1,990,10,1.0000\n");
}

TEST(MetricTable, AddsSumsOfKernelsAndAveragesNothing) {
  const std::string two =
      R"({"kernels": [{"metrics": {"gpc__cycles_elapsed.max": 100, "a.sum": 3, "b.pct": 10.0}, "units": {"b.pct": "%"}},
                      {"metrics": {"gpc__cycles_elapsed.max": 300, "a.sum": 4, "b.pct": 50.0}, "units": {"b.pct": "%"}}]})";
  const std::vector<KernelMetrics> kernels = read_metrics(two, "here");
  const MetricTable table = total_of(kernels);
  EXPECT_EQ(cycles_of(table), 400);
  EXPECT_EQ(format_value(table.at("a.sum")), "7");
  EXPECT_FALSE(table.contains("b.pct")) << "no mean of rates is the rate of both kernels";
  EXPECT_EQ(total_of({kernels[1]}).at("b.pct").value, 50);
  EXPECT_EQ(kernels[1].metrics.at("b.pct").unit, "%") << "said at the first kernel";
}

TEST(PointsCsv, HasARowPerKernel) {
  Explored study = explored({sizes("size", {1, 2})}, {5, -1});
  study.variants[0].kernels = {{"first", {{"b.pct", {10, true, "%"}}}}, {"second,", {{"b.pct", {50, true, "%"}}}}};
  EXPECT_EQ(points_csv(study),
            "size,status,kernel,name,b.pct\n1,done,0,first,10\n1,done,1,\"second,\",50\n2,failed,,,\n");
}

TEST(PointsCsv, HasARowPerPointAndLeavesFailedOnesEmpty) {
  EXPECT_EQ(points_csv(explored({sizes("size", {1, 2})}, {5, -1})),
            "size,status,gpc__cycles_elapsed.max\n1,done,5\n2,failed,\n");
}

}  // namespace
}  // namespace sassim::explore
