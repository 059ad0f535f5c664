// SPDX-License-Identifier: Apache-2.0
#include "sim/study/session_results.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_folder.h"

namespace sassim::study {
namespace {

TEST(SessionProgress, CountsLaunchesAndCyclesBetweenKernels) {
  const TestFolder folder;
  EXPECT_EQ(session_progress(folder.path()),
            "no kernel has been running for longer than a moment\n  so far: 0 launches are done, of 0 cycles "
            "together\n");
  const std::string line = R"({"kernel":{"name":"k","metrics":{"gpc__cycles_elapsed.max":250}}})";
  std::ofstream(folder / "process-1.jsonl") << R"({"begin":"k"})"
                                            << "\n"
                                            << line << "\n"
                                            << line << "\n{\"ker";
  std::ofstream(folder / "progress-1") << "kernel 3, k\n";
  EXPECT_EQ(session_progress(folder.path()), "kernel 3, k\n  so far: 2 launches are done, of 500 cycles together\n");
}

}  // namespace
}  // namespace sassim::study
