// SPDX-License-Identifier: Apache-2.0
// What lies in the L2 when a kernel starts (validation/measured/h200/copies-in-l2.md).
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
