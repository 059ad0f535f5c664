// SPDX-License-Identifier: Apache-2.0
#include "sim/change/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace sassim::change {
namespace {

using report::KernelReport;
using testing::HasSubstr;

KernelReport kernel(const std::string& name, double cycles, double bytes) {
  KernelReport made;
  made.name = name;
  made.metrics.read("gpc__cycles_elapsed.max", "cycle", cycles, true);
  made.metrics.read("gpu__time_duration.sum", "ns", cycles / 2, false);
  made.metrics.read("dram__bytes.sum", "byte", bytes, true);
  return made;
}

std::vector<Verdict> verdicts(const std::string& text, const std::vector<KernelReport>& kernels) {
  const Budgets budgets = read_budgets(text, "limits.yaml");
  return judge(budgets, budgets.gpus.at(0), kernels);
}

std::string refusal(const std::string& text) {
  try {
    verdicts(text, {kernel("_Z5scalePf", 100, 2048)});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Budget, HoldsEveryLaunchToItsLimits) {
  const auto all =
      verdicts("t4: {scale: {cycles: 100, dram__bytes.sum: 2KiB}}",
               {kernel("_Z5scalePf", 100, 2048), kernel("other", 999, 0), kernel("_Z5scalePf", 101, 2049)});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0].held && all[1].held) << "a limit may be reached";
  EXPECT_FALSE(all[2].held || all[3].held);
  EXPECT_EQ(all[2].launch, 1u);
  EXPECT_EQ(all[2].metric, "gpc__cycles_elapsed.max");
  EXPECT_THAT(to_text(all, false), HasSubstr("scale #1: dram__bytes.sum is 2049, limit: at most 2KiB\n2 of 4 limits"));
}

TEST(Budget, ARangeHasTwoEnds) {
  const auto held = [](double cycles) {
    return verdicts("t4: {scale: {duration: [1us, 2 us]}}", {kernel("scale", cycles, 0)}).at(0).held;
  };
  EXPECT_TRUE(held(2000) && held(4000));
  EXPECT_FALSE(held(1999) || held(4001));
}

TEST(Budget, AMistakeHasItsPlace) {
  EXPECT_THAT(refusal("t4: {scael: {cycles: 1}}"), HasSubstr("limits.yaml:1:6: no kernel that ran on t4 matches"));
  EXPECT_THAT(refusal("t4: {scale: {dram__byte.sum: 1}}"), HasSubstr("limits.yaml:1:14: kernel scale has no metric"));
  EXPECT_THAT(refusal("t4: {scale: {cycles: 1KiB}}"), HasSubstr("does not count in that unit, but in 'cycle'"));
  EXPECT_THAT(refusal("t4: {scale: {cycles: [2, 1]}}"), HasSubstr("limits.yaml:1:22: the least value is above"));
  EXPECT_THAT(refusal("t4: {scale: {cycles: [2]}}"), HasSubstr("expected GPU: {KERNEL"));
  EXPECT_THAT(refusal("t4: {scale: {cycles: 9k}}"), HasSubstr("'9k' is not a number"));
  EXPECT_THAT(refusal("t4: {}"), HasSubstr("t4 has no limits"));
  EXPECT_THAT(refusal("t4: {'(': {cycles: 1}}"), HasSubstr("limits.yaml:1:6"));
}

TEST(Budget, JUnitHasASuiteForEachGpu) {
  const std::vector<Verdict> all = {{"t4", "f<a>", 0, "cycles", "at most 1", 1, true},
                                    {"t4", "g", 2, "cycles", "at most 1", 5, false},
                                    {"v100", "g", 0, "cycles", "at most 1", 1, true}};
  const std::string text = to_junit(all);
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"t4\" tests=\"2\" failures=\"1\">"));
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"v100\" tests=\"1\" failures=\"0\">"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"t4.f&lt;a&gt;\" name=\"cycles, at most 1\"/>"));
  EXPECT_THAT(text, HasSubstr("<failure message=\"g #2: cycles is 5, limit: at most 1\"/>"));
}

}  // namespace
}  // namespace sassim::change
