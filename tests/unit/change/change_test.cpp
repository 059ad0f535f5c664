// SPDX-License-Identifier: Apache-2.0
#include "sim/change/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/change/budget.h"
#include "sim/change/limit.h"
#include "sim/change/line_changes.h"

namespace sassim::change {
namespace {

using report::KernelReport;
using report::LineStalls;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

KernelReport kernel(const std::string& name, double cycles, std::vector<LineStalls> lines = {}) {
  KernelReport made;
  made.name = name;
  made.metrics.read("gpc__cycles_elapsed.max", "cycle", cycles, true);
  made.metrics.read("dram__bytes.sum", "byte", 4096, true);
  made.lines = std::move(lines);
  return made;
}

LineStalls line(std::uint32_t pc, const char* text, std::uint64_t waits, std::uint32_t source = 0) {
  LineStalls made;
  made.pc = pc;
  made.text = text;
  made.stalls = {{"selected", 7}, {"wait", waits}};
  if (source != 0) made.file = "/home/somebody/scale.cu", made.source_line = source;
  return made;
}

TEST(Change, JoinsLaunchesByNameAndOrder) {
  const Comparison all =
      compare({kernel("a", 100), kernel("b", 10), kernel("a", 200)},
              {kernel("a", 50), kernel("a", 300), kernel("a", 1), kernel("c", 4), kernel("d", 4)}, {});
  ASSERT_EQ(all.kernels.size(), 2u);
  EXPECT_EQ(all.kernels[0].cycles.percent(), -50);
  EXPECT_EQ(all.kernels[1].launch, 1u);
  EXPECT_EQ(all.kernels[1].cycles.percent(), 50);
  EXPECT_THAT(all.only_before, ElementsAre("b"));
  EXPECT_THAT(all.only_after, ElementsAre("a", "c", "d"));
  EXPECT_EQ(all.cycles().before, 300);
  EXPECT_EQ(all.cycles().after, 350);
}

TEST(Change, SignaturesMayDiffer) {
  EXPECT_EQ(compare({kernel("_Z5scalePf", 10)}, {kernel("_Z5scalePfi", 9)}, {}).kernels.at(0).name, "scale");
}

TEST(Change, ASingleNameWithoutAPartnerWasRenamed) {
  const Comparison all = compare({kernel("a", 1), kernel("old", 2)}, {kernel("fresh", 2), kernel("a", 1)}, {});
  EXPECT_THAT(all.renamed, ElementsAre(Pair("old", "fresh")));
  EXPECT_EQ(all.kernels.at(1).name_after, "fresh");
  EXPECT_THAT(all.only_after, IsEmpty());
  EXPECT_THAT(to_text(all, false), HasSubstr("old and fresh are taken for one kernel"));
  // Not if their launches are not as many.
  EXPECT_THAT(compare({kernel("old", 2), kernel("old", 2)}, {kernel("fresh", 2)}, {}).kernels, IsEmpty());
}

TEST(Change, RenamesAreGiven) {
  const Comparison all =
      compare({kernel("x", 1), kernel("y", 2)}, {kernel("z", 2), kernel("w", 1)}, {{"x", "w"}, {"y", "z"}});
  EXPECT_EQ(all.kernels.at(0).name_after, "w");
  EXPECT_EQ(all.kernels.at(1).name_after, "z");
  EXPECT_THROW(compare({kernel("x", 1)}, {kernel("z", 2)}, {{"q", "z"}}), InputError);
  EXPECT_THROW(compare({kernel("x", 1)}, {kernel("z", 2)}, {{"x", "q"}}), InputError);
}

TEST(Change, WordsAreAlignedInOrder) {
  EXPECT_THAT(aligned({"a", "b", "c", "d"}, {"a", "x", "c", "y", "d"}),
              ElementsAre(Pair(0, 0), Pair(2, 2), Pair(3, 4)));
  EXPECT_THAT(aligned({"a", "a", "a"}, {"a", "a"}), ElementsAre(Pair(0, 0), Pair(1, 1)));
  EXPECT_THAT(aligned({}, {"a"}), IsEmpty());
  EXPECT_THAT(aligned({"x", "b", "c", "z"}, {"b", "q", "c"}), ElementsAre(Pair(1, 0), Pair(2, 2)));
}

TEST(Change, InstructionsAreJoinedByTheirOpcodes) {
  const Comparison all = compare(
      {kernel("a", 10, {line(0, "LDG.E R2, [R4]", 100), line(16, "@P0 FADD R1, R2, R3", 50), line(32, "EXIT", 5)})},
      {kernel("a", 9,
              {line(0, "LDG.E R8, [R6]", 20), line(16, "IADD3 R1, R2, R3, RZ", 9), line(32, "FADD R7, R2, R3", 50),
               line(48, "EXIT", 4)})},
      {});
  const std::vector<LineChange>& sass = all.kernels.at(0).sass;
  ASSERT_EQ(sass.size(), 3u) << "the addition waits as long as before";
  EXPECT_EQ(sass[0].text, "LDG.E R2, [R4]") << "the instruction at the place before";
  EXPECT_EQ(sass[0].before, 100);
  EXPECT_EQ(sass[0].after, 20);
  EXPECT_EQ(sass[1].before_place, "") << "new";
  EXPECT_EQ(sass[1].after_place, "0010");
  EXPECT_EQ(sass[2].before_place, "0020");
  EXPECT_EQ(sass[2].after_place, "0030");
  EXPECT_THAT(all.kernels[0].cuda, IsEmpty()) << "no source is known";
}

TEST(Change, LinesOfCudaFollowTheirInstructions) {
  const Comparison all = compare(
      {kernel("a", 10, {line(0, "LDG.E R2, [R4]", 100, 12), line(16, "FADD R1, R2, R3", 50, 13)})},
      {kernel("a", 9,
              {line(0, "LDG.E R2, [R4]", 20, 14), line(16, "MOV R1, R2", 30, 14), line(32, "FMUL R1, R2, R3", 9, 16)})},
      {});
  const std::vector<LineChange>& cuda = all.kernels.at(0).cuda;
  ASSERT_EQ(cuda.size(), 3u);
  EXPECT_EQ(cuda[0].before_place, "scale.cu:12");
  EXPECT_EQ(cuda[0].after_place, "scale.cu:14");
  EXPECT_EQ(cuda[0].before, 100);
  EXPECT_EQ(cuda[0].after, 50) << "with the new instruction of the line";
  EXPECT_EQ(cuda[1].after_place, "") << "gone";
  EXPECT_EQ(cuda[2].before_place, "") << "new";
}

TEST(Change, FromNothing) {
  EXPECT_EQ(percent_text({"x", 0, 5}), "from 0");
  EXPECT_EQ(percent_text({"x", 5, 5}), "no change");
  EXPECT_EQ(percent_text({"x", 8, 5}), "-37.5 %");
  EXPECT_TRUE(std::isinf(Change({"x", 0, 5}).percent()));
}

TEST(Change, SaysWhichKeysDiffer) {
  EXPECT_THAT(different_keys(R"({"name": "a", "sm": {"l1": {"size": 1, "ways": 4}}})",
                             R"({"name": "b", "sm": {"l1": {"size": 2, "ways": 4}, "x": true}})"),
              ElementsAre("sm.l1.size: 1 -> 2", "sm.x: none -> true"));
}

TEST(Limit, IsOfOneSideAndOfSomeKernels) {
  const Comparison all = compare({kernel("a", 100), kernel("b", 100)}, {kernel("a", 103), kernel("b", 90)}, {});
  EXPECT_THAT(Limit("cycles > +2%").broken(all),
              ElementsAre(HasSubstr("a #0: gpc__cycles_elapsed.max 100 -> 103 (+3.0 %)")));
  EXPECT_THAT(Limit("cycles > 3 %").broken(all), IsEmpty());
  EXPECT_THAT(Limit("cycles < -5%").broken(all), ElementsAre(HasSubstr("b #0")));
  EXPECT_THAT(Limit("b: cycles > +2%").broken(all), IsEmpty());
  EXPECT_THAT(Limit("dram__bytes.sum > +0%").broken(all), IsEmpty()) << "it did not change";
  EXPECT_THROW(Limit("dram__byte.sum > +0%").broken(all), InputError);
  EXPECT_THROW(Limit("c: cycles > +0%").broken(all), InputError);
}

TEST(Limit, HasOneForm) {
  for (const char* wrong : {"", "cycles", "cycles > 2", "cycles > %", "> 2%", "cycles > x%", "cycles more > 2%",
                            "cycles = 2%", "(: cycles > 2%"})
    EXPECT_THROW(Limit{wrong}, UsageError) << wrong;
}

}  // namespace
}  // namespace sassim::change

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
