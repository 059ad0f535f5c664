// SPDX-License-Identifier: Apache-2.0
// What the dissertation's chapter 4 says of latency hiding, on the simulated GPUs: the ends of the curves follow the
// closed formulas, and the occupancy that is needed rises and falls with arithmetic intensity.
#include "sim/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/loader.h"

namespace sassim::sweep {
namespace {

Sweep run(const std::string& gpu, const MixWorkload& mix, std::vector<double> alphas, std::vector<std::uint32_t> warps,
          const std::vector<std::string>& overrides = {}) {
  Sweep sweep;
  sweep.plan.gpu = std::make_shared<config::GpuConfig>(
      config::load_config(std::string(SASSIM_SOURCE_DIR) + "/configs/chips/" + gpu + ".yaml", overrides));
  sweep.plan.mix = mix;
  sweep.plan.alphas = std::move(alphas);
  sweep.plan.warps = std::move(warps);
  for (const campaign::Point& point : sweep_points(sweep.plan)) {
    const MixPoint made =
        mix_point_from_json(Registry<campaign::PointKind>::instance().make(point.kind)->run(*point.config, point));
    sweep.points.push_back(made);
  }
  set_parameters(sweep);
  return sweep;
}

std::map<std::string, double> of_adds(const std::string& gpu, std::vector<std::uint32_t> warps,
                                      const std::vector<std::string>& overrides = {}) {
  MixWorkload mix;
  mix.kind = model::MixKind::sfu;
  const auto values =
      curve_values(run(gpu, mix, {std::numeric_limits<double>::infinity()}, std::move(warps), overrides).points);
  return {values.begin(), values.end()};
}

// Volkov's tables 6.1 and 6.2. No stall count is as long as these latencies.
TEST(LongLatencies, AreThoseOfAddsBeforeKepler) {
  struct Row {
    const char* gpu;
    std::vector<std::uint32_t> warps;
    double latency, rate;
  };
  for (const Row& row :
       {Row{"8800gtx", {1, 24}, 20, 0.25}, Row{"gtx280", {1, 32}, 24, 0.25}, Row{"gtx480", {2, 48}, 18, 1}}) {
    auto values = of_adds(row.gpu, row.warps);
    EXPECT_NEAR(values["latency"], row.latency, 0.02 * row.latency) << row.gpu;
    EXPECT_NEAR(values["ipc"], row.rate, 0.02 * row.rate) << row.gpu;
  }
}

TEST(LongLatencies, AreWaitedForWithNopsWhereTheHardwareDoesNotCheckRegisters) {
  EXPECT_NEAR(of_adds("v100", {4}, {"sm.pipes.ops.fp32.latency=20"})["latency"], 20, 0.4);
}

class Sweeps : public ::testing::TestWithParam<const char*> {};

std::vector<EndCheck> both_ends(const Sweep& sweep, double tolerance = 0.03) {
  auto checks = check_ends(sweep);
  for (const EndCheck& check : checks) {
    if (check.latency_bound) {
      EXPECT_NEAR(*check.latency_bound, 0, tolerance) << check.alpha;
    }
    if (check.throughput_bound) {
      EXPECT_NEAR(*check.throughput_bound, 0, tolerance) << check.alpha;
    }
  }
  return checks;
}

// One SM: nothing of these mixes leaves it.
TEST_P(Sweeps, MufuEndsFollowTheFormulas) {
  MixWorkload mix;
  mix.kind = model::MixKind::sfu;
  const Sweep sweep = run(GetParam(), mix, {0, 1, 4, 16, 64}, {4, 32});
  std::size_t latency = 0, throughput = 0;
  for (const EndCheck& check : both_ends(sweep)) {
    latency += check.latency_bound.has_value();
    throughput += check.throughput_bound.has_value();
  }
  EXPECT_GE(latency, 3u);
  EXPECT_GE(throughput, 2u);
}

TEST_P(Sweeps, LdsEndsFollowTheFormulas) {
  MixWorkload mix;
  mix.kind = model::MixKind::smem;
  both_ends(run(GetParam(), mix, {0, 1, 4, 16, 64}, {4, 32}));
}

// The pace of the warps differs by alpha, and what the DRAM's refreshes cost them must not.
TEST_P(Sweeps, AFewWarpsWaitOneLatencyForEachLoad) {
  std::size_t latency = 0;
  for (const EndCheck& check : both_ends(run(GetParam(), {}, {0, 16, 32, 96}, {4, 16})))
    latency += check.latency_bound.has_value();
  EXPECT_GE(latency, 3u);
}

INSTANTIATE_TEST_SUITE_P(Configs, Sweeps, ::testing::Values("t4", "v100", "h200"),
                         [](const auto& param) { return std::string(param.param); });

// The T4 has the fewest SMs; v100 and h200 are in docs/studies.md.
TEST(Cusp, NeededOccupancyRisesAndFallsWithAlpha) {
  const Sweep sweep = run("t4", {}, {0, 64, 256}, {4, 20, 24, 28, 32});
  // A few warps with 256 adds per load take 3.9 % longer than the formulas say, which leave out the branch at the end
  // of a turn (with branches of 2 cycles: 2.3 %).
  both_ends(sweep, 0.045);
  auto warps = needed(sweep, sweep.simulated()).warps;
  ASSERT_TRUE(warps.contains(0));
  ASSERT_TRUE(warps.contains(256));
  // What no occupancy of a T4 is enough for needs more than any.
  const auto at = [&](double alpha) { return warps.contains(alpha) ? warps[alpha] : 1e9; };
  EXPECT_GT(at(64), at(0));
  EXPECT_GT(at(64), at(256));
  const double peak = needed(sweep, {}).peak_alpha;
  EXPECT_GT(peak, 32);
  EXPECT_LT(peak, 128);
}

// Figure 6.2.
TEST(Sweep, TwoChainsDoAsMuchAsTwiceTheWarps) {
  MixWorkload two;
  two.ilp = 2;
  const std::vector<std::string> small{"sm.count=8"};
  const Sweep warps = run("t4", {}, {0}, {8}, small), chains = run("t4", two, {0}, {4}, small);
  // Simulated: 0.94 since thread blocks start one after the other; not explained further.
  EXPECT_NEAR(chains.points[0].ipc / warps.points[0].ipc, 1, 0.08);
}

TEST(Sweep, RandomLoadsTakeMoreOfTheMemory) {
  MixWorkload mix, random;
  random.pattern = AccessPattern::random;
  const std::vector<std::string> small{"sm.count=8"};
  EXPECT_GT(run("t4", mix, {0}, {32}, small).points[0].others,
            4 * run("t4", random, {0}, {32}, small).points[0].others);
}

}  // namespace
}  // namespace sassim::sweep
