// SPDX-License-Identifier: Apache-2.0
// --time chosen: launches that nobody asks for are executed without timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct Chosen {
  Outcome outcome;
  Json kernels;
};

Chosen chosen(const std::string& options) {
  TestFolder folder;
  const std::string json = folder / "result.json";
  Chosen result{exec("--config v100 -o sm.count=4 --report none --json " + json + " " + options, "two_kernels"), {}};
  EXPECT_EQ(result.outcome.out, "1\n3\n5\n") << "every launch is executed";
  std::ifstream in(json);
  result.kernels = Json::parse(in)["kernels"];
  return result;
}

TEST(ExecChosen, OthersAreExecutedWithoutTiming) {
  const Chosen all = chosen("--caches cold --kernel work"), some = chosen("--caches cold --kernel work --time chosen");
  EXPECT_EQ(all.outcome.status + some.outcome.status, 0);
  ASSERT_EQ(some.kernels.size(), 3u);
  EXPECT_EQ(some.kernels, all.kernels) << "cold, each launch has the times that it has among the others";
  EXPECT_EQ(all.outcome.err, "");
  EXPECT_THAT(some.outcome.err, HasSubstr("3 launches were executed without timing (--time chosen)\n"));
}

TEST(ExecChosen, CachesThatAreKeptLackWhatTheOthersLeave) {
  const Chosen all = chosen("--kernel work"), some = chosen("--kernel work --time chosen --launch-count 1");
  ASSERT_EQ(some.kernels.size(), 1u);
  EXPECT_NE(some.kernels[0]["metrics"], all.kernels[0]["metrics"]);
  EXPECT_THAT(some.outcome.err, HasSubstr("5 launches were executed without timing (--time chosen); the others do not "
                                          "find in the caches what these would have left"));
}

TEST(ExecChosen, LaunchesAreCountedAmongThoseThatMatch) {
  const Chosen all = chosen("--caches cold --kernel work");
  const Chosen second = chosen("--caches cold --kernel work --launch-skip 1 --launch-count 1 --time chosen");
  ASSERT_EQ(second.kernels.size(), 1u);
  EXPECT_EQ(second.kernels[0]["metrics"], all.kernels[1]["metrics"]);
  const Chosen none = chosen("--kernel rest --time chosen");
  EXPECT_EQ(none.kernels.size(), 0u);
  EXPECT_THAT(none.outcome.err, HasSubstr("6 launches were executed without timing (--time chosen): --kernel, "
                                          "--launch-skip and --launch-count choose none"));
}

TEST(ExecChosen, WrongUse) {
  EXPECT_EQ(exec("--config v100 --functional --time chosen", "two_kernels").status, 2);
  const Outcome pattern = exec("--config v100 --time chosen --kernel '('", "two_kernels");
  EXPECT_EQ(pattern.status, 2);
  EXPECT_EQ(pattern.out, "") << "the program has not begun";
}

}  // namespace
}  // namespace sassim
