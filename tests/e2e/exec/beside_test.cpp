// SPDX-License-Identifier: Apache-2.0
// What old programs do and a GPU lets pass: accesses beside an allocation, functions that CUDA has replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string kFunctionally = "--functional --config v100 ";

TEST(Exec, AnAccessBesideAnAllocationGoesOnAndIsToldOnceForAKernel) {
  const Outcome outcome = exec("--config v100 -o sm.count=1 --lines 0", "beside");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("read 1\nwrote\n"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  EXPECT_THAT(outcome.err, ContainsRegex("kernel _Z5abovePKfPf: 64 accesses beside an allocation[^\n]*the first: PC "
                                         "0x[0-9a-f]+ \\('LDG[^']*'\\), block \\(0,0,0\\), thread \\(0,0,0\\), address "
                                         "0x1ffffffff00, 256 bytes before the allocation \\[0x20000000000, "));
  EXPECT_THAT(outcome.err,
              ContainsRegex("kernel _Z6behindPf: 64 accesses beside an allocation[^\n]*'STG[^\n]*, 0 bytes "
                            "behind the allocation [^\n]*--strict-memory"));
  EXPECT_THAT(outcome.out, HasSubstr("note: 64 accesses beside an allocation, the first: PC ")) << "in each report";
}

TEST(Exec, StrictMemoryEndsAtAnAccessBesideAnAllocation) {
  const Outcome outcome = exec(kFunctionally + "--strict-memory", "beside");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("an illegal memory access"));
  EXPECT_THAT(outcome.err, HasSubstr("illegal address: kernel _Z5abovePKfPf"));
}

TEST(Exec, OldFunctionsOfTheRuntimeAreThere) {
  const Outcome outcome = exec(kFunctionally, "deprecated");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "stack 4096, unknown limit 215\ncache 0, number kept\nreference found, none 18\narray 1 2 3 4\ndone\n");
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace sassim
