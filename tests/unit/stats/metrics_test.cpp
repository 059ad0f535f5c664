// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sim/stats/counter_values.h"

namespace sassim::stats {
namespace {

const Count kBytes("dram__bytes.sum", "byte", "bytes"), kHits("cache__hits.sum", "sector", "hits");
const Largest kLongest("sm__cycles_active.max", "cycle", "longest");
const Smallest kShortest("sm__cycles_active.min", "cycle", "shortest");
const Derived kA("sm__pipe_a.pct", "%", "a"), kB("sm__pipe_b.pct", "%", "b"),
    kGrid("launch__grid_size", "block", "grid"), kRate("dram__bytes.sum.per_second", "byte/s", "bytes per second");
const Throughput kBusiest("sm__throughput.pct", "%", "the busiest", {kA, kB});

TEST(Counter, IsDeclaredOnceWithNameUnitMeaningAndKind) {
  EXPECT_EQ(kBytes.row().name, "dram__bytes.sum");
  EXPECT_EQ(kBytes.row().unit, "byte");
  EXPECT_EQ(kBytes.row().meaning, "bytes");
  EXPECT_EQ(kBytes.row().kind, CounterKind::count);
  EXPECT_EQ(kLongest.row().kind, CounterKind::largest);
  EXPECT_EQ(kShortest.row().kind, CounterKind::smallest);
  EXPECT_EQ(kBusiest.row().kind, CounterKind::derived);
  EXPECT_THROW(Count("dram__bytes.sum", "byte", "bytes"), std::logic_error);
  EXPECT_THROW(Derived("dram__bytes.sum", "byte", "bytes"), std::logic_error);
}

TEST(Counter, TheRollupIsThatOfTheNameAndOfTheKind) {
  EXPECT_EQ(kBytes.row().rollup, Rollup::sum);
  EXPECT_EQ(kRate.row().rollup, Rollup::sum_per_second);
  EXPECT_EQ(kGrid.row().rollup, Rollup::value);
  EXPECT_THROW(Count("dram__x.max", "byte", "bytes"), std::logic_error);
  EXPECT_THROW(Largest("dram__x.sum", "sector", "sectors"), std::logic_error);
  EXPECT_THROW(Smallest("dram__x.sum", "sector", "sectors"), std::logic_error);
  EXPECT_THROW(Derived("dram__bytes.total", "byte", "bytes"), std::logic_error);
  EXPECT_FALSE(has_counter("dram__x.max") || has_counter("dram__x.sum") || has_counter("dram__bytes.total"));
}

TEST(Counter, TheListIsSortedByName) {
  const std::vector<Counter> all = counters();
  EXPECT_EQ(all.size(), counter_count());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const Counter a, const Counter b) { return a.row().name < b.row().name; }));
}

TEST(Counter, AnotherPartNamesItByKind) {
  const CountName bytes("dram__bytes.sum"), no_count("sm__cycles_active.max"), nobody("dram__nobody.sum");
  EXPECT_EQ(Count(bytes), kBytes);
  EXPECT_EQ(Count(bytes), kBytes) << "the second time, too";
  EXPECT_THROW(static_cast<void>(Count(no_count)), std::logic_error);
  EXPECT_THROW(static_cast<void>(Count(nobody)), std::logic_error);
}

TEST(CounterValues, SumsOverInstancesAndKeepsTheLargest) {
  CounterValues values;
  values.sum(kBytes, 3);
  values.sum(kBytes, 4);
  for (const double cycles : {5, 7, 4, 6}) {
    values.max(kLongest, cycles);
    values.min(kShortest, cycles);
  }
  EXPECT_EQ(values[kBytes], 7);
  EXPECT_EQ(values[kLongest], 7);
  EXPECT_EQ(values[kShortest], 4);
  EXPECT_FALSE(values.has(kHits));
  EXPECT_EQ(values.count(kHits), 0u);
  EXPECT_THROW(values[kHits], std::logic_error);
}

TEST(CounterValues, AddsToWhatAnotherPartHasReported) {
  CounterValues values;
  EXPECT_THROW(values.more(kBytes, 1), std::logic_error);
  values.sum(kBytes, 0);
  values.more(kBytes, 5);
  EXPECT_EQ(values.count(kBytes), 5u);
}

TEST(CounterValues, AThroughputIsTheLargestOfItsParts) {
  CounterValues values;
  values.set(kA, 20);
  EXPECT_THROW(values.set(kBusiest), std::logic_error) << "a part is missing";
  values.set(kB, 30);
  values.set(kBusiest);
  EXPECT_EQ(values[kBusiest], 30);
  EXPECT_EQ(kBusiest.row().parts, (std::vector<std::string>{"sm__pipe_a.pct", "sm__pipe_b.pct"}));
  EXPECT_THROW(Throughput("sm__x.pct", "%", "all", {}), std::logic_error);
}

TEST(MetricSet, HasWhatWasReportedByName) {
  CounterValues values;
  values.set(kGrid, 2);
  values.sum(kBytes, 0);
  MetricSet metrics = values.metrics();
  ASSERT_EQ(metrics.all().size(), 2u);
  EXPECT_EQ(metrics.all().front().row, &kBytes.row());
  EXPECT_TRUE(metrics.all().front().row->integral);
  EXPECT_FALSE(metrics.all().back().row->integral);
  EXPECT_EQ(metrics["launch__grid_size"], 2);
  EXPECT_FALSE(metrics.has("cache__hits.sum"));
  EXPECT_THROW(metrics["cache__hits.sum"], std::out_of_range);
  metrics.clear_values();
  EXPECT_EQ(metrics["launch__grid_size"], 0);
}

TEST(MetricSet, AFileMayHaveOthersThanTheList) {
  MetricSet metrics;
  metrics.read("z__unknown.sum", "inst", 4, true);
  metrics.read("dram__bytes.sum", "byte", 3, true);
  metrics.read("cache__hits.sum", "request", 5, true);
  EXPECT_EQ(metrics.find("dram__bytes.sum")->row, &kBytes.row());
  EXPECT_NE(metrics.find("cache__hits.sum")->row, &kHits.row());
  EXPECT_EQ(metrics.find("cache__hits.sum")->row->unit, "request");
  EXPECT_EQ(metrics["z__unknown.sum"], 4);
  EXPECT_EQ(metrics.find("z__unknown.sum")->row->rollup, Rollup::sum);
  EXPECT_TRUE(std::is_sorted(metrics.all().begin(), metrics.all().end(),
                             [](const Metric& a, const Metric& b) { return a.name() < b.name(); }));
  metrics.read("z__unknown.sum", "inst", 6, true);
  EXPECT_EQ(metrics["z__unknown.sum"], 6);
  EXPECT_EQ(metrics.all().size(), 3u);
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
