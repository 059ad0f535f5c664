// SPDX-License-Identifier: Apache-2.0
// Latency and throughput of DRAM under load, in the shapes that Volkov found ("Understanding Latency Hiding on GPUs",
// 2016): warps that chase through lines of their own, some number of them on each SM.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/micro/memory_end_to_end/stream.h"

namespace sassim::arch::test {
namespace {

/// An eighth of a V100, whose SMs have as many loads in flight as they have warps: what is tested lies beyond that
/// limit.
config::GpuConfig part() {
  config::GpuConfig config = gpu_config("v100");
  config.sm.count /= 8;
  config.sm.l1.pending_loads = 0;
  config.memory.l2.slices /= 8;
  config.memory.l2.size /= 8;
  config.memory.dram.channels /= 8;
  return config;
}

struct Load {
  std::vector<std::uint64_t> latencies;  ///< of all hops but the first of each warp
  double rate = 0;                       ///< warp loads per cycle of all SMs
};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
  return x ^ x >> 32;
}

enum class Lanes { side_by_side, every_second, random };

/// `warps` on each SM (up to 4, or a multiple of 4) make `hops` dependent loads each, all within the first-level TLB's
/// reach.
Load load(std::uint32_t warps, std::uint64_t hops, Lanes lanes = Lanes::side_by_side) {
  const config::GpuConfig config = part();
  SassKernel kernel(
      "loop:\nB0-----:R-:W0:-:S02 LDG.E R2, [R2.64] ;\n"
      "B------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT ;\n",
      config.arch);
  kernel.loop("loop", hops + 1).warps(std::min(warps, 4u)).blocks((warps + 3) / 4 * config.sm.count);
  kernel.addresses_by_block([&](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t hop, int lane) {
    const auto at = static_cast<std::uint64_t>(lane);
    const std::uint64_t place = (block * 4 + warp) * 4096 + hop;
    if (lanes == Lanes::random) return 0x20000000 + mixed(place * 32 + at) % (31 * kMiB) / 4 * 4;
    return 0x20000000 + mixed(place) % (31 * kMiB) / 256 * 256 + at * (lanes == Lanes::every_second ? 8 : 4);
  });
  struct Issues final : PipelineObserver {
    std::map<std::uint64_t, std::uint64_t> last;
    std::vector<std::uint64_t> latencies;
    void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle) override {
      if (line != 0) return;
      const auto [found, first] = last.try_emplace(warp.block.value * 4 + warp.warp, issue.value);
      if (!first) latencies.push_back(issue.value - std::exchange(found->second, issue.value));
    }
  } issues;
  Gpu gpu(config);
  RunOptions options;
  options.pipeline = &issues;
  const auto source = kernel.source();
  const KernelResult result = gpu.run(*source, options);
  return {std::move(issues.latencies),
          static_cast<double>(hops * warps * config.sm.count) / static_cast<double>(result.cycles.value)};
}

struct Point {
  double rate, latency;
};

/// The largest relative error of a + b x / (c - x) with the best b.
double misfit(const std::vector<Point>& points, double a, double c) {
  double above = 0, below = 0, worst = 0;
  const auto load_of = [c](const Point& point) { return point.rate / (c - point.rate); };
  for (const Point& point : points) {
    above += load_of(point) * (point.latency - a);
    below += load_of(point) * load_of(point);
  }
  const double b = above / below;
  if (b <= 0) return 1;
  for (const Point& point : points)
    worst = std::max(worst, std::abs(a + b * load_of(point) - point.latency) / point.latency);
  return worst;
}

// Table 6.5: the mean follows a + b x / (c - x) of the throughput x; a is the unloaded latency, c the limit of x.
TEST(EndToEndLoad, LatencyFollowsVolkovsFormula) {
  const double a = mean(load(1, 100).latencies);
  std::vector<Point> points;
  for (const std::uint32_t warps : {4u, 8u, 16u, 24u, 32u, 48u}) {
    const Load some = load(warps, 40);
    points.push_back({some.rate, mean(some.latencies)});
    if (points.size() > 1) {
      EXPECT_GT(points.back().latency, points.end()[-2].latency);
    }
  }
  EXPECT_LT(points.front().latency, 1.05 * a) << "it rises slowly at first";
  EXPECT_GT(points.back().latency, 1.5 * a) << "and steeply near the limit";
  double best = 1;
  for (double over = 1.005; over < 1.3; over += 0.005)
    best = std::min(best, misfit(points, a, over * points.back().rate));
  EXPECT_LT(best, 0.10);
}

// Table 6.6, Kepler: 5 and 95 % of single accesses lie 44 cycles apart when there are few, 232 near the limit; the
// quickest are as quick as before.
TEST(EndToEndLoad, LatenciesSpread) {
  const auto few = load(4, 60).latencies, many = load(48, 40).latencies;
  const auto spread = [](const auto& all) { return percentile(all, 0.95) - percentile(all, 0.05); };
  EXPECT_GT(spread(many), 2 * spread(few));
  EXPECT_GT(percentile(many, 0.5), 1.3 * percentile(few, 0.5));
  // A load that joins a line which is about to arrive waits up to two cycles less than a hit.
  EXPECT_NEAR(percentile(many, 0), percentile(few, 0), 2);
}

// Table 6.1: coalesced loads have 28 to 55 times the throughput of random ones, which move 8 times the bytes.
TEST(EndToEndLoad, RandomLoadsCostMoreThanTheirBytes) {
  const double together = load(48, 30).rate, apart = load(48, 30, Lanes::every_second).rate;
  const double random = load(32, 8, Lanes::random).rate;
  EXPECT_NEAR(together / apart, 2, 0.2);
  EXPECT_GT(together / random, 20);
  EXPECT_LT(together / random, 55);
}

}  // namespace
}  // namespace sassim::arch::test
