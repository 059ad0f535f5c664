// SPDX-License-Identifier: Apache-2.0
// sassim check: limits of a program's kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;

const std::string kPlanted = SASSIM_SOURCE_DIR "/tests/data/planted/";
const std::string kTraces = " --trace " + kPlanted + "bank_conflicts.sast --trace " + kPlanted + "fp64.sast";

TEST(CheckLimits, ABrokenLimitIsTheStatus) {
  TestFolder folder;
  const std::string junit = (folder.path() / "junit.xml").string();
  const Outcome outcome = sassim_run("check " + kPlanted + "limits.yaml" + kTraces + " --junit " + junit);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("broken  t4       bank_conflicts: gpc__cycles_elapsed.max is "));
  EXPECT_THAT(outcome.out, HasSubstr("\n2 of 3 limits are held\n"));
  std::ifstream in(junit);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("tests=\"3\" failures=\"1\""));
}

TEST(CheckLimits, OverridesCountOnEveryGpu) {
  const Outcome outcome = sassim_run("check " + kPlanted + "limits.yaml -o sm.shared.bank_conflicts=false" + kTraces);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "3 of 3 limits are held\n");
}

TEST(CheckLimits, NothingToRunIsWrongUsage) {
  EXPECT_EQ(sassim_run("check " + kPlanted + "limits.yaml").status, 2);
  EXPECT_EQ(sassim_run("check " + kPlanted + "limits.yaml" + kTraces + " -- /bin/true").status, 2);
  EXPECT_EQ(sassim_run("check " + kPlanted + "bank_conflicts.sast" + kTraces).status, 3);
}

}  // namespace
}  // namespace sassim
