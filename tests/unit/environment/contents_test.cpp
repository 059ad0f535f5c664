// SPDX-License-Identifier: Apache-2.0
// What lies in the L2 when a kernel starts (validation/measured/h200/copies.md#copies-in-l2).
#include <gtest/gtest.h>

#include <tuple>

#include "sim/config/gpu_config.h"
#include "sim/environment/environment.h"

namespace sassim::environment {
namespace {

constexpr std::uint64_t kAt = 0x1000, kLine = 128, kPiece = 4096;

config::GpuConfig host() {
  config::GpuConfig config;
  config.environment.upload = 10 * kLine;
  config.environment.upload_ways = 3;
  return config;
}

auto all(const CacheContents& contents) {
  return std::tuple(contents.address, contents.bytes, contents.dirty, contents.ways);
}

TEST(Contents, OfACopyFromTheHostTheLastBytesMayStay) {
  const Environment environment(host(), 8, 2);
  EXPECT_EQ(all(environment.written(kAt, 10 * kLine, true)), std::tuple(kAt, 10 * kLine, false, 3u));
  EXPECT_EQ(all(environment.written(kAt, 11 * kLine, true)), std::tuple(kAt + kLine, 10 * kLine, false, 3u));
  EXPECT_EQ(all(environment.written(kAt - 5, 11 * kLine + 5, true)), std::tuple(kAt + kLine, 10 * kLine, false, 3u));
  EXPECT_EQ(all(environment.written(kAt, 11 * kLine + 5, true)), std::tuple(kAt + kLine, 10 * kLine, false, 3u))
      << "whole lines";
}

TEST(Contents, ACopyOnTheDeviceLeavesDirtyLinesLikeAKernel) {
  const Environment environment(host(), 8, 2);
  EXPECT_EQ(all(environment.written(kAt, 100 * kLine, false)), std::tuple(kAt, 100 * kLine, true, 0u));
}

TEST(Contents, WithoutAHostACopyLeavesNothing) {
  const Environment environment(config::GpuConfig{}, 8, 2);
  EXPECT_EQ(environment.written(kAt, 100 * kLine, true).bytes, 0u);
}

TEST(Contents, AFlushLeavesTheProfilersDirtyLines) {
  config::GpuConfig config = host();
  config.environment.flushed = 50 * kLine;
  Environment environment(config, 8, 2);
  for (int launch = 0; launch < 2; ++launch) {
    const auto contents = environment.before_launch(Caches::flushed);
    ASSERT_EQ(contents.size(), 1u);
    EXPECT_EQ(contents[0].bytes, 50 * kLine);
    EXPECT_TRUE(contents[0].dirty);
    EXPECT_EQ(contents[0].ways, 0u);
  }
  EXPECT_TRUE(environment.before_launch(Caches::kept).empty());
  EXPECT_TRUE(environment.before_launch(Caches::other).empty());
}

TEST(Contents, AProfilerCopiesToTheSameMemoryAndWritesToNew) {
  config::GpuConfig config = host();
  config.environment.profiled = 2 * kPiece;
  config.environment.profiled_written = 3 * kPiece;
  config.environment.profiled_each = kPiece;
  Environment environment(config, 8, 2);
  const auto first = environment.before_launch(Caches::kept), second = environment.before_launch(Caches::kept);
  ASSERT_EQ(first.size(), 5u);
  ASSERT_EQ(second.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(all(first[i]), all(second[i])) << "copied from the host";
    EXPECT_FALSE(first[i].dirty);
    EXPECT_EQ(first[i].ways, 3u);
  }
  EXPECT_TRUE(second[2].dirty);
  EXPECT_EQ(second[2].ways, 0u);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_NE(second[2].address, first[i].address);
}

TEST(Contents, OnlyTheFirstLaunchOfAProgramIsItsFirst) {
  config::GpuConfig config = host();
  config.environment.profiled_written = 3 * kPiece;
  Environment environment(config, 8, 2);
  environment.before_launch(Caches::flushed);
  EXPECT_TRUE(environment.before_launch(Caches::kept).empty());
}

}  // namespace
}  // namespace sassim::environment

// Sectors that the L2 counts beside those of a kernel's instructions (validation/measured/h200/l2.md#l2-sectors).
namespace sassim::environment {
namespace {

constexpr std::uint32_t kGpcs = 2, kHalves = 2;

/// Those of the L2, which is not linked here.
const std::vector<stats::Count>& l2_counters() {
  static const std::vector<stats::Count> all = [] {
    std::vector<stats::Count> counters;
    for (const char* name : {"lts__t_sectors.sum", "lts__t_sectors_lookup_hit.sum", "lts__t_sectors_lookup_miss.sum",
                             "lts__t_sectors_op_read.sum", "lts__t_sectors_op_read_lookup_hit.sum",
                             "lts__t_sectors_op_read_lookup_miss.sum", "lts__t_sectors_op_write.sum",
                             "lts__t_sectors_op_write_lookup_hit.sum", "lts__t_sectors_srcunit_ltcfabric.sum",
                             "lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum", "lts__t_sectors_op_membar.sum"})
      counters.emplace_back(name, "sector", "of the L2");
    return counters;
  }();
  return all;
}
const bool kDeclared = !l2_counters().empty();

/// What an L2 reports that looked up nothing.
stats::CounterValues empty_l2() {
  stats::CounterValues values;
  for (const stats::Count& counter : l2_counters())
    if (counter.row().name != "lts__t_sectors_op_membar.sum") values.sum(counter, 0);
  return values;
}

/// What a launch of so many cycles adds, with or without what only the end of a launch has.
stats::MetricSet reported(const Environment& environment, Cycle elapsed, bool at_end = true) {
  stats::CounterValues values = empty_l2();
  environment.report(elapsed, values);
  if (at_end) environment.report_profiler(values);
  return values.metrics();
}

TEST(Counters, EachGpcReadsTheCodeOfALaunchAndTheLinkMovesItOnce) {
  config::GpuConfig config;
  config.environment.launch_barriers = 7;
  config.environment.launch_sectors = 5;
  config.environment.launch_gpc_sectors = 25;
  config.environment.cold_sectors = 20;
  config.environment.cold_gpc_sectors = 16;
  Environment environment(config, kGpcs, kHalves);
  for (const bool cold : {true, false}) {
    environment.before_launch(Caches::other);
    environment.launch_reads(40, cold ? 40 : 0);
    environment.launch_reads(60, cold ? 50 : 0);
    const double each = cold ? 100 + 16 : 25, reads = 3 * each + 5 + (cold ? 20 : 0), misses = cold ? 90 + each : 0;
    const stats::MetricSet metrics = reported(environment, Cycle(1000));
    EXPECT_EQ(metrics["lts__t_sectors.sum"], reads + 7);
    EXPECT_EQ(metrics["lts__t_sectors_op_read.sum"], reads);
    EXPECT_EQ(metrics["lts__t_sectors_op_membar.sum"], 7);
    EXPECT_EQ(metrics["lts__t_sectors_srcunit_ltcfabric.sum"], each);
    EXPECT_EQ(metrics["lts__t_sectors_lookup_miss.sum"], misses);
    EXPECT_EQ(metrics["lts__t_sectors_lookup_hit.sum"], reads + 7 - misses);
  }
}

TEST(Counters, AProfilerAddsHitsThatAreNoSectors) {
  config::GpuConfig config;
  config.environment.profiled_hits = 2400;
  Environment environment(config, kGpcs, kHalves);
  environment.before_launch(Caches::other);
  const stats::MetricSet metrics = reported(environment, Cycle(1000));
  EXPECT_EQ(metrics["lts__t_sectors.sum"], 0);
  EXPECT_EQ(metrics["lts__t_sectors_lookup_hit.sum"], 2400);
  EXPECT_EQ(metrics["sassim__lts_sectors_profiled_hit.sum"], 2400);
  EXPECT_EQ(reported(environment, Cycle(1000), false)["lts__t_sectors_lookup_hit.sum"], 0)
      << "a timeline has the kernel's alone";
}

TEST(Counters, SomethingElseWritesWithTheTimeOfTheKernel) {
  config::GpuConfig config;
  config.environment.background_writes = 20;
  const Environment environment(config, kGpcs, kHalves);
  EXPECT_EQ(reported(environment, Cycle(49))["lts__t_sectors.sum"], 0);
  const stats::MetricSet metrics = reported(environment, Cycle(10'050));
  for (const char* name : {"lts__t_sectors.sum", "lts__t_sectors_op_write.sum", "lts__t_sectors_lookup_hit.sum"})
    EXPECT_EQ(metrics[name], 201) << name;
  EXPECT_EQ(metrics["lts__t_sectors_op_read.sum"], 0);
}

TEST(Counters, WithoutAnEnvironmentNothingIsAdded) {
  Environment environment(config::GpuConfig{}, kGpcs, kHalves);
  environment.before_launch(Caches::flushed);
  environment.launch_reads(40, 40);
  const stats::MetricSet metrics = reported(environment, Cycle(1'000'000));
  EXPECT_FALSE(metrics.has("lts__t_sectors_op_membar.sum"));
  EXPECT_EQ(metrics["lts__t_sectors.sum"], 0);
}

}  // namespace
}  // namespace sassim::environment
