// SPDX-License-Identifier: Apache-2.0
// Programs of the driver's interface (cu...), which check what they compute and which errors they get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/exec/exec.h"

namespace sassim {
namespace {

using testing::HasSubstr;

TEST(Driver, ALoadedModuleRunsOnEveryGpu) {
  for (const auto& [config, sm] : {std::pair{"t4", "75"}, std::pair{"v100", "70"}, std::pair{"h200", "90"}}) {
    const Outcome outcome = exec(std::string("--config ") + config, "driver");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("sm_") + sm + " ok"));
    EXPECT_THAT(outcome.out, HasSubstr("16 launches"));
  }
}

}  // namespace
}  // namespace sassim
