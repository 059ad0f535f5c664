// SPDX-License-Identifier: Apache-2.0
// The floating-point state of the program's threads is the program's business, not the simulated GPU's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

struct Result {
  std::string out;
  nlohmann::json kernels;
};

/// What the program prints, and every number of the timing model, with `threads` threads.
Result run(const std::string& program, int threads) {
  const TestFolder folder;
  const std::string json = folder / "result.json";
  const Outcome outcome =
      exec("--config v100 -o sm.count=2 --lines 0 --threads " + std::to_string(threads) + " --json " + json, program);
  EXPECT_EQ(outcome.status, 0) << program << "\n" << outcome.out << outcome.err;
  std::ifstream file(json);
  const auto result = nlohmann::json::parse(file, nullptr, false);
  return {outcome.out, result.is_object() ? result.at("kernels") : nlohmann::json()};
}

TEST(FloatState, ChangesNoResultAndIsAsItWas) {
  const Result usual = run("float_state", 1);
  EXPECT_THAT(usual.out, testing::HasSubstr("kernel 2.33333325 2.3333333333333335\nresults "));
  ASSERT_EQ(usual.kernels.size(), 1u);
  for (const char* program : {"float_state ftz", "float_state down", "float_state up", "float_state zero",
                              "float_state trap", "float_state flags", "float_state_fast fast"}) {
    for (const int threads : {1, 2}) {
      const Result other = run(program, threads);
      EXPECT_EQ(other.out, usual.out) << program;
      EXPECT_EQ(other.kernels, usual.kernels) << program;
    }
  }
}

}  // namespace
}  // namespace sassim
