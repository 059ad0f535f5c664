// SPDX-License-Identifier: Apache-2.0
#include "sim/report/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sassim::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A kernel whose warps wait for global memory, on 10 SMs with places for 40 blocks.
KernelReport waiting(double blocks) {
  KernelReport kernel;
  const auto set = [&](const char* name, double value) { kernel.metrics.set(name, "", "m", value); };
  set("gpc__cycles_elapsed.max", 1000);
  set("launch__grid_size", blocks);
  set("launch__sm_count", 10);
  set("launch__waves_per_multiprocessor", blocks / 40);
  set("sassim__warp_cycles_long_scoreboard.sum", 800);
  set("sassim__warp_cycles_selected.sum", 200);
  set("sm__cycles_active.avg", 500);
  return kernel;
}

std::string_view what_if(const KernelReport& kernel) { return cause_row(find_bound(kernel).cause).what_if; }

TEST(Bound, ATailNeedsMoreThanOneWave) {
  for (const double blocks : {12.0, 40.0, 41.0}) {
    KernelReport kernel = waiting(blocks);
    kernel.metrics.set("sassim__tail_idle.pct", "", "m", 57);
    const Bound bound = find_bound(kernel);
    EXPECT_EQ(bound.cause, blocks > 40 ? Cause::tail : Cause::latency) << bound.sentence;
    EXPECT_EQ(what_if(kernel), blocks > 40 ? "double SMs" : "perfect L1");
    EXPECT_EQ(to_json(bound)["evidence"]["sassim__tail_idle.pct"], 57);
  }
}

TEST(Bound, BlocksOfOneWaveThatDifferAreSaidBesideTheCause) {
  KernelReport kernel = waiting(12);
  EXPECT_THAT(find_bound(kernel).sentence, Not(HasSubstr("the longest decide")));
  kernel.metrics.set("sassim__tail_idle.pct", "", "m", 57);
  EXPECT_THAT(find_bound(kernel).sentence,
              HasSubstr("the longest decide: places of blocks that have ended are empty for 57 % of the time."));
}

TEST(Bound, OneBlockIsOne) {
  EXPECT_EQ(find_bound(waiting(1)).sentence, "Bound by a small grid: 1 block for 10 SMs leaves 9 SMs without work.");
  EXPECT_EQ(find_bound(waiting(4)).sentence, "Bound by a small grid: 4 blocks for 10 SMs leave 6 SMs without work.");
}

}  // namespace
}  // namespace sassim::report
