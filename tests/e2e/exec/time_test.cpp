// SPDX-License-Identifier: Apache-2.0
// Simulated time as a program sees it: clocks, events; and the rest of the runtime, timed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::HasSubstr;

/// The number after `before` in `text`; -1 when there is none.
double number_after(const std::string& text, const std::string& before) {
  const auto at = text.find(before);
  return at == std::string::npos ? -1 : std::atof(text.c_str() + at + before.size());
}

TEST(ExecTime, AMicrobenchmarkPrintsSimulatedCycles) {
  const Outcome outcome = exec("--config v100 -o sm.count=1", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 256 dependent FFMA of 4 cycles each (V100 report, table 4.1). A launch empties the L0 instruction cache: fetching
  // this code from beyond it costs 108 cycles here; the bound is what an H200 takes for a first pass of 4 KiB, 451, for
  // lack of a V100's.
  const double cycles = number_after(outcome.out, "run 1: 256 instructions, ");
  EXPECT_GE(cycles, 4 * 256) << outcome.out;
  EXPECT_LE(cycles, 4 * 256 + 451) << outcome.out;
}

TEST(ExecTime, WithoutTimingTheLogSaysWhatClocksAre) {
  const Outcome outcome = exec("--config v100 --functional", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(number_after(outcome.out, "run 1: 256 instructions, "),
            number_after(outcome.out, "run 0: 256 instructions, "));
  EXPECT_THAT(outcome.err,
              HasSubstr("reads the clock: without timing (--functional) it gets the number of instructions"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "once";
}

TEST(ExecTime, AKernelThatBranchesOnTheClockIsLive) {
  const Outcome outcome = exec("--config v100 -o sm.count=1", "misbehave clock");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("(live)"));
}

TEST(ExecTime, AKernelThatIsNotLiveCountsInstructions) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --live=never", "clock_chain");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(number_after(outcome.out, "run 1: 256 instructions, "),
            number_after(outcome.out, "run 0: 256 instructions, "));
  EXPECT_THAT(outcome.err, HasSubstr("reads the clock: with --live=never it gets the number of instructions"));
  EXPECT_THAT(outcome.out, HasSubstr("clocks counted instructions (with --live=never)"));
}

TEST(ExecTime, EventsAroundWorkAreApartWithoutTheTimingModelToo) {
  const Outcome outcome = exec("--config v100 --functional", "runtime");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(number_after(outcome.out, "elapsed "), 0) << outcome.out;
}

TEST(ExecTime, TheRuntimeDoesWhatProgramsExpect) {
  const Outcome outcome = exec("--config v100 -o sm.count=2", "runtime");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* feature :
       {"copies", "rows", "symbols", "host_memory", "streams", "cooperative", "launches", "threads"})
    EXPECT_THAT(outcome.out, HasSubstr(std::string(feature) + " ok\n"));
  // Three launches of one block: over a microsecond each, far from a millisecond.
  const double milliseconds = number_after(outcome.out, "elapsed ");
  EXPECT_GT(milliseconds, 3e-3) << outcome.out;
  EXPECT_LT(milliseconds, 1e-1) << outcome.out;
}

}  // namespace
}  // namespace sassim
