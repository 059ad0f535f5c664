// SPDX-License-Identifier: Apache-2.0
// What a sweep says of given points, by hand.
#include "sim/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "sim/config/loader.h"

namespace sassim::sweep {
namespace {

constexpr double kLatency = 400, kPeak = 0.05;  // of a load: cycles, IPC

/// A machine that follows the formula n / latency up to the tightest limit, times `factor`.
Sweep ideal(double factor = 1) {
  Sweep sweep;
  sweep.plan.gpu =
      std::make_shared<config::GpuConfig>(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml"));
  sweep.plan.alphas = {0, 8, 40, 256};
  for (std::uint32_t warps = 4; warps <= 64; warps += 4) sweep.plan.warps.push_back(warps);
  for (const double alpha : sweep.plan.alphas)
    for (const std::uint32_t warps : sweep.plan.warps) {
      MixPoint point;
      point.workload.alpha = alpha;
      point.workload.warps = warps;
      const double group = std::min({warps / (kLatency + 4 * alpha), kPeak, alpha > 0 ? 2 / alpha : kPeak});
      point.ipc = group * (1 + alpha) * (alpha == 0 ? 1 : factor);
      point.others = point.ipc / (1 + alpha);
      point.adds = point.ipc - point.others;
      point.group_latency = warps / point.others;
      sweep.points.push_back(point);
    }
  set_parameters(sweep);
  return sweep;
}

TEST(Sweep, TakesTheModelsParametersFromAlphaZero) {
  const Sweep sweep = ideal();
  EXPECT_NEAR(sweep.parameters.mem.latency, kLatency, 1e-9);
  EXPECT_NEAR(sweep.parameters.mem.throughput, kPeak, 1e-12);
  EXPECT_EQ(sweep.parameters.alu.throughput, 2);
  ASSERT_TRUE(sweep.parameters.contention.has_value());
}

TEST(Sweep, WithoutAlphaZeroTheConfigurationHasToDo) {
  Sweep sweep = ideal();
  std::erase_if(sweep.points, [](const MixPoint& point) { return point.workload.alpha == 0; });
  sweep.plan.mix.pattern = AccessPattern::stride_two;
  set_parameters(sweep);
  EXPECT_NE(sweep.parameters.mem.latency, kLatency);
  EXPECT_EQ(sweep.transactions, 2);
  EXPECT_FALSE(sweep.parameters.contention.has_value());
}

TEST(Sweep, SaysWhichModelsAreLeftOutAndWhy) {
  Sweep sweep = ideal();
  sweep.models = model::model_names();
  EXPECT_EQ(left_out_models(sweep), "");
  sweep.plan.mix.kind = model::MixKind::sfu;
  sweep.models = {"volkov", "volkov-refined", "cuda-guide", "huang-rr"};
  EXPECT_EQ(
      left_out_models(sweep),
      "models left out, because they do not apply to this mix: huang-rr (for loads); cuda-guide (for loads of one "
      "transaction each with adds); volkov-refined (for loads of one transaction each, with three points of alpha "
      "0 for their contention)");
}

TEST(Sweep, ACurveSaysItsPeakItsLatencyAndTheWarpsThatReachThem) {
  Sweep sweep = ideal();
  std::erase_if(sweep.points, [](const MixPoint& point) { return point.workload.alpha != 8; });
  sweep.points.back().gbs = 70;
  const auto all = curve_values(sweep.points);
  const std::map<std::string, double> values(all.begin(), all.end());
  EXPECT_NEAR(values.at("ipc"), 9 * kPeak, 1e-12) << "a load and eight adds";
  EXPECT_EQ(values.at("gbs"), 70);
  EXPECT_NEAR(values.at("latency"), (kLatency + 4 * 8) / 9, 1e-9);
  // The limit of 0.05 groups times 432 cycles is 21.6 warps; nine tenths are 19.4, 95 % are 20.5.
  EXPECT_EQ(values.at("warps90"), 20);
  EXPECT_EQ(values.at("warps95"), 24);
  EXPECT_EQ(values.at("warps99"), 24);
}

TEST(Sweep, NeededWarpsRiseAndFall) {
  const Sweep sweep = ideal();
  const Cusp cusp = needed(sweep, sweep.simulated());
  EXPECT_NEAR(cusp.peak_alpha, 2 / kPeak, 1e-9);
  // 0.9 * limit * latency, rounded up to the next multiple of four: 18, 19.4, 25.2, 10.01.
  EXPECT_EQ(cusp.warps.at(0), 20);
  EXPECT_EQ(cusp.warps.at(8), 20);
  EXPECT_EQ(cusp.warps.at(40), 28);
  EXPECT_EQ(cusp.warps.at(256), 12);
}

TEST(Sweep, WhatNoOccupancyReachesIsNotInTheCusp) {
  const Sweep sweep = ideal(0.8);
  EXPECT_FALSE(needed(sweep, sweep.simulated()).warps.contains(40));
}

TEST(Sweep, BasicModelIsRightOnAMachineThatFollowsIt) {
  Sweep sweep = ideal();
  sweep.models = {"volkov"};
  const auto errors = model_errors(sweep);
  ASSERT_EQ(errors.size(), 4u);
  for (const ErrorRange& error : errors) {
    EXPECT_EQ(error.against, kSimulator);
    EXPECT_EQ(error.points, 16u);
    EXPECT_NEAR(error.least, 1, 1e-9) << error.alpha;
    EXPECT_NEAR(error.most, 1, 1e-9) << error.alpha;
  }
}

TEST(Sweep, ErrorsAreEstimateOverObserved) {
  Sweep sweep = ideal(0.8);
  sweep.models = {"volkov"};
  sweep.hardware[8] = {{4, sweep.simulated()[8][4] / 2}, {6, 1e-9}};  // six warps: not a whole number per scheduler
  for (const ErrorRange& error : model_errors(sweep)) {
    const double expected = error.model == kSimulator    ? 2
                            : error.against == kHardware ? 2.5
                            : error.alpha == 0           ? 1
                                                         : 1.25;
    EXPECT_NEAR(error.most, expected, 1e-9) << error.model << error.against << error.alpha;
    EXPECT_EQ(error.points, error.against == kHardware ? 1u : 16u);
  }
}

TEST(Sweep, EndsAreCheckedWhereTheyAreReached) {
  for (const EndCheck& check : check_ends(ideal(0.9))) {
    const double expected = check.alpha == 0 ? 0 : -0.1;
    ASSERT_TRUE(check.latency_bound && check.throughput_bound) << check.alpha;
    EXPECT_NEAR(*check.latency_bound, expected, 1e-9);
    EXPECT_NEAR(*check.throughput_bound, expected, 1e-9);
  }
  Sweep few = ideal();
  std::erase_if(few.points, [](const MixPoint& point) { return point.workload.warps > 16; });
  for (const EndCheck& check : check_ends(few))
    EXPECT_FALSE(check.throughput_bound && check.alpha < 256) << check.alpha;
}

TEST(Sweep, HardwareCurvesOnlyOfTheSameMix) {
  const std::string file = SASSIM_SOURCE_DIR "/validation/measured/h200.json.xz";
  SweepPlan plan;
  plan.alphas = {0, 8, 32};
  plan.warps = {4, 64};
  plan.mix.kind = model::MixKind::sfu;
  const Curves sfu = hardware_curves(plan, file);
  EXPECT_EQ(sfu.size(), 2u);  // above 16 adds it has loops
  EXPECT_NEAR(sfu.at(8).at(4), 9 * 0.0742, 0.001);
  plan.mix.as_measured = true;
  EXPECT_EQ(hardware_curves(plan, file).size(), 3u);
  plan.mix.kind = model::MixKind::mem;
  EXPECT_NEAR(hardware_curves(plan, file).at(0).at(64), 0.0613, 0.0001);
  // Of 4, 16 and 32 warps at alpha 0 there are short runs, two thirds of which are the beginning and the end.
  plan.warps = {4, 8, 12, 16, 32};
  const Curve full = hardware_curves(plan, file).at(0);
  EXPECT_EQ(full.size(), 2u);
  EXPECT_LT(full.at(8), full.at(12));
  plan.mix.as_measured = false;  // 32-bit loads were not run
  EXPECT_TRUE(hardware_curves(plan, file).empty());
}

}  // namespace
}  // namespace sassim::sweep
