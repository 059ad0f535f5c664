// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

// What programs of CUDA 13 call, without its toolkit.
TEST(Runtime13, FunctionsHaveTheMeaningOfCuda13) {
  for (const auto& [config, sm] : {std::pair{"t4", "75"}, std::pair{"v100", "70"}, std::pair{"h200", "90"}}) {
    const Outcome outcome = exec(std::string("--functional --config ") + config, "runtime13");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, std::string("sm_") + sm + "\nruntime 13 ok\n");
    EXPECT_THAT(outcome.err, testing::HasSubstr("cudaLogsCurrent is not supported by this runtime"));
  }
}

}  // namespace
}  // namespace sassim
