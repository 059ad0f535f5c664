// SPDX-License-Identifier: Apache-2.0
// Waits that end by themselves, as the wait-for graph has them.
#include "sim/base/wait_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

using testing::HasSubstr;

std::string report_of(const std::string& text) {
  try {
    run_sm(volta(), SassKernel(text), Cycle(1000));
  } catch (const Stuck& stuck) {
    return stuck.graph().text(20);
  }
  return "it ended";
}

TEST(SmWaits, ANapSaysWhenItEnds) {
  const std::string text = report_of("B------:R-:W-:-:S02 NANOSLEEP 100000 ;\nEXIT ;\n");
  EXPECT_THAT(text, HasSubstr("warp 0 of thread block 0: SM 0, processing block 0, after 'NANOSLEEP"));
  EXPECT_THAT(text, HasSubstr("at pc 0x0000, before 'EXIT' at pc 0x0010: sleeping ("));
  EXPECT_THAT(text, HasSubstr("  continues at cycle "));
  EXPECT_THAT(text, HasSubstr(" -> time\n"));
}

}  // namespace
}  // namespace sassim::arch::test
