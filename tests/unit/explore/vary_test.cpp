// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/vary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/describe.h"
#include "sim/explore/explore_output.h"
#include "sim/explore/payoff.h"

namespace sassim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_axis(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Vary, KeepsValuesAsTyped) {
  const Axis axis = parse_axis("l2.size=1.5MiB,3MiB,5MiB,48MiB");
  EXPECT_EQ(axis.path, "memory.l2.size");
  EXPECT_EQ(axis.unit, "bytes");
  EXPECT_THAT(axis.values, ElementsAre("1.5MiB", "3MiB", "5MiB", "48MiB"));
  EXPECT_THAT(axis.numbers, ElementsAre(1572864, 3145728, 5242880, 50331648));
}

TEST(Vary, TakesRangesWithUnits) {
  EXPECT_THAT(parse_axis("l1.size=16KiB..256KiB:*2").values,
              ElementsAre("16KiB", "32KiB", "64KiB", "128KiB", "256KiB"));
  EXPECT_THAT(parse_axis("l1.size=96KiB..128KiB:16KiB").values, ElementsAre("96KiB", "112KiB", "128KiB"));
  EXPECT_THAT(parse_axis("l1.size=16KiB,32KiB,64KiB..256KiB").values,
              ElementsAre("16KiB", "32KiB", "64KiB", "128KiB", "256KiB"));
  EXPECT_THAT(parse_axis("l1.hit_latency=30..20:-5").values, ElementsAre("30", "25", "20"));
  EXPECT_THAT(parse_axis("clock.sm=1GHz,1.5GHz").values, ElementsAre("1GHz", "1.5GHz"));
  EXPECT_THAT(parse_axis("l2.atomic_lane_latency=0.5,1,1.5..2").values, ElementsAre("0.5", "1", "1.5", "2"));
}

TEST(Vary, TakesNamesFlagsAndLists) {
  const Axis names = parse_axis("l1.replacement=lru,priorities");
  EXPECT_THAT(names.values, ElementsAre("lru", "priorities"));
  EXPECT_TRUE(names.numbers.empty());
  EXPECT_THAT(parse_axis("register_file.reuse_cache=true,false").values, ElementsAre("true", "false"));
  EXPECT_THAT(parse_axis("occupancy.carveouts=[0,32KiB],[0]").values, ElementsAre("[0,32KiB]", "[0]"));
}

TEST(Vary, EveryKeyOfTheSchemaCanBeVaried) {
  config::GpuConfig gpu;
  const config::FieldList fields(gpu);
  for (const config::Field& field : fields.fields()) {
    const std::string value = field.format();
    const Axis axis = parse_axis(field.path + "=" + value);
    EXPECT_EQ(axis.path, field.path);
    EXPECT_EQ(axis.values.size(), 1u) << field.path << "=" << value;
  }
}

TEST(Vary, ErrorsNameTheOptionAndTheWayOut) {
  EXPECT_THAT(error_of("l1.sise=16KiB"), HasSubstr("--vary l1.sise=16KiB: unknown key 'l1.sise' (did you mean"));
  EXPECT_THAT(error_of("l1.size=16KB"), HasSubstr("sm.l1.size: '16KB' could mean 1000 or 1024 bytes"));
  EXPECT_THAT(error_of("l1.size=16KiB..8KiB:1KiB"), HasSubstr("never reaches its end"));
  EXPECT_THAT(error_of("l1.size=16KiB..256KiB"), HasSubstr("needs a step, such as 16KiB..256KiB:16KiB or :*2"));
  EXPECT_THAT(error_of("l1.size=1"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("l1.size"), HasSubstr("expected KEY=V1,V2"));
  EXPECT_THAT(error_of("l1.size="), HasSubstr("expected KEY=V1,V2"));
  EXPECT_THAT(error_of("l1.set_hash=modulo,mxi"), HasSubstr("mxi"));
  EXPECT_THAT(error_of("l1.size=16KiB,32KiB,16KiB"), HasSubstr("is listed twice"));
  EXPECT_THAT(error_of("l1=3"), HasSubstr("group of keys"));
}

Axis axis(const std::string& path, std::size_t values) {
  Axis made;
  made.key = made.path = path;
  for (std::size_t i = 0; i < values; ++i) made.values.push_back(std::to_string(i));
  return made;
}

TEST(Combine, GridHasTheLastAxisFastest) {
  const auto points = combine({axis("a", 2), axis("b", 3)}, Combine::grid);
  EXPECT_THAT(points, ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2), ElementsAre(1, 0),
                                  ElementsAre(1, 1), ElementsAre(1, 2)));
  EXPECT_THAT(combine({}, Combine::grid), ElementsAre(ElementsAre()));
}

TEST(Combine, ZipGoesSideBySide) {
  EXPECT_THAT(combine({axis("a", 2), axis("b", 2)}, Combine::zip), ElementsAre(ElementsAre(0, 0), ElementsAre(1, 1)));
  EXPECT_THROW(combine({axis("a", 2), axis("b", 3)}, Combine::zip), UsageError);
}

TEST(Combine, RefusesAKeyTwiceAndTooMany) {
  EXPECT_THROW(combine({axis("a", 2), axis("a", 2)}, Combine::grid), UsageError);
  EXPECT_THROW(combine({axis("a", 2000), axis("b", 2000)}, Combine::grid), UsageError);
}

}  // namespace
}  // namespace sassim::explore

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
