// SPDX-License-Identifier: Apache-2.0
// Kernels that never end are ended, with a report of who waits for whom; those that only take long are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kModes[] = {"--live=always", "--live=auto", "--live=never", "--functional"};

struct Ended {
  Outcome outcome;
  std::string dot;
};

Ended run_endless(const std::string& mode, const std::string& kind, const std::string& more = {}) {
  const TestFolder folder;
  const auto dot = folder.path() / "waits.dot";
  Ended ended{
      exec("--config v100 -o sm.count=2 " + mode + " --wait-graph " + dot.string() + " " + more, "endless " + kind),
      {}};
  std::ostringstream text;
  text << std::ifstream(dot).rdbuf();
  ended.dot = text.str();
  return ended;
}

TEST(Standstill, AFlagThatNobodySets) {
  for (const char* mode : kModes) {
    const Ended ended = run_endless(mode, "flag");
    EXPECT_EQ(ended.outcome.status, 5) << mode << "\n" << ended.outcome.err;
    EXPECT_THAT(ended.outcome.err, ContainsRegex("kernel _Z4flagPVi makes no progress")) << mode;
    EXPECT_THAT(ended.outcome.err, ContainsRegex("block \\(1,0,0\\) warp 1 lanes 0xffffffff: PC 0x")) << mode;
    EXPECT_THAT(ended.outcome.err, ContainsRegex("polls -> memory 0x[0-9a-f]+: holds 0x0")) << mode;
    EXPECT_THAT(ended.dot, HasSubstr("digraph waits")) << mode;
    EXPECT_THAT(ended.dot, HasSubstr("polls")) << mode;
  }
}

TEST(Standstill, ABarrierThatNotAllThreadsReach) {
  for (const char* mode : kModes) {
    const Ended ended = run_endless(mode, "barrier");
    EXPECT_EQ(ended.outcome.status, 5) << mode << "\n" << ended.outcome.err;
    EXPECT_THAT(ended.outcome.err, HasSubstr("barrier 1")) << mode;
    EXPECT_THAT(ended.dot, HasSubstr("barrier 1")) << mode;
  }
}

TEST(Standstill, ALockThatIsNeverReleased) {
  for (const char* mode : kModes)
    for (const char* kind : {"lock", "two_locks"}) {
      const Ended ended = run_endless(mode, kind);
      EXPECT_EQ(ended.outcome.status, 5) << mode << "\n" << ended.outcome.err;
      EXPECT_THAT(ended.outcome.err, ContainsRegex("memory 0x[0-9a-f]+: holds 0x1")) << mode;
      EXPECT_THAT(ended.dot, HasSubstr("ATOM")) << mode;
      if (std::string(kind) == "lock") {
        EXPECT_THAT(ended.outcome.err,
                    ContainsRegex("was last swapped by block \\([0-9],0,0\\) warp 0 lane 0, which has ended"))
            << mode;
        continue;
      }
      EXPECT_THAT(ended.outcome.err, HasSubstr("was last swapped by -> block (0,0,0) warp 0")) << mode;
      EXPECT_THAT(ended.outcome.err, HasSubstr("was last swapped by -> block (1,0,0) warp 0")) << mode;
    }
}

TEST(Standstill, ALongComputationIsNotOne) {
  for (const char* mode : {"--live=never", "--functional"}) {
    const Ended ended = run_endless(mode, "longer");
    EXPECT_EQ(ended.outcome.status, 0) << mode << "\n" << ended.outcome.err;
    EXPECT_EQ(ended.dot, "");
  }
}

TEST(Standstill, TheWatchdogCanBeSwitchedOff) {
  const Ended off = run_endless("--functional", "flag", "--watchdog 0 --max-instructions 3000000");
  EXPECT_EQ(off.outcome.status, 5);
  EXPECT_THAT(off.outcome.err, HasSubstr("executed more than 3000000 warp instructions (--max-instructions)"));
  EXPECT_THAT(off.dot, HasSubstr("polls"));
  EXPECT_THAT(run_endless("--functional", "flag", "--max-instructions 3000000").outcome.err,
              HasSubstr("makes no progress"));
}

}  // namespace
}  // namespace sassim
