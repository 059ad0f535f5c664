// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/compare.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace sassim::validate {
namespace {

report::KernelReport simulated(const char* name, double cycles, double instructions) {
  report::KernelReport kernel;
  kernel.name = name;
  kernel.metrics.read("gpc__cycles_elapsed.max", "cycle", cycles, false);
  kernel.metrics.read("smsp__inst_executed.sum", "inst", instructions, false);
  return kernel;
}

ProfiledKernel profiled(const char* name, double cycles, double instructions) {
  return {name,
          "",
          "",
          {{"gpc__cycles_elapsed.max", cycles},
           {"sm__cycles_active.max", cycles - 100},
           {"smsp__inst_executed.sum", instructions}}};
}

TEST(BareName, DropsParametersTemplatesNamespacesAndMangling) {
  EXPECT_EQ(bare_name("vector_add(const float *, float *, int)"), "vector_add");
  EXPECT_EQ(bare_name("void ns::transpose<(int)1>(const float *)"), "transpose");
  EXPECT_EQ(bare_name("(anonymous namespace)::gather(const unsigned int *)"), "gather");
  EXPECT_EQ(bare_name("_Z10vector_addPKfS0_Pfi"), "vector_add");
  EXPECT_EQ(bare_name("_ZN12_GLOBAL__N_16gatherEPKj"), "gather");
  EXPECT_EQ(bare_name("jacobi"), "jacobi");
}

TEST(Compare, JoinsTheKthLaunchOfEachName) {
  auto result =
      compare({simulated("a", 110, 5), simulated("b", 1, 1), simulated("_Z1ai", 90, 5), simulated("c", 1, 1)},
              {profiled("a(int)", 100, 5), profiled("a(int)", 100, 5), profiled("b", 1, 1), profiled("d", 1, 1)});
  ASSERT_EQ(result.kernels.size(), 3u);
  EXPECT_EQ(result.kernels[2].name, "a");
  EXPECT_EQ(result.kernels[2].launch, 1u);
  EXPECT_EQ(result.only_simulated, std::vector<std::string>{"c"});
  EXPECT_EQ(result.only_hardware, std::vector<std::string>{"d"});
}

TEST(Compare, MeasuresCyclesAgainstTheActiveCyclesOfHardware) {
  auto result = compare({simulated("a", 110, 5)}, {profiled("a", 100, 5)});
  const Difference* cycles = result.kernels[0].find("cycles");
  ASSERT_NE(cycles, nullptr);
  EXPECT_DOUBLE_EQ(cycles->hardware, 100);
  EXPECT_NEAR(cycles->error, 0.10, 1e-12);
  EXPECT_EQ(result.kernels[0].find("DRAM bytes"), nullptr);
}

TEST(Compare, RefusesAnotherLaunchThanTheProfiledOne) {
  report::KernelReport ours = simulated("a", 110, 5);
  ours.grid = {64, 2, 1};
  ours.block = {256, 1, 1};
  ProfiledKernel theirs = profiled("a", 100, 5);
  theirs.grid = "(64, 2, 1)";
  theirs.block = "256, 1, 1";
  EXPECT_EQ(compare({ours}, {theirs}).kernels.size(), 1u);
  theirs.grid = "(128, 2, 1)";
  EXPECT_THROW(compare({ours}, {theirs}), InputError);
  theirs.grid = "(64, 2, 1)";
  theirs.block = "(128, 1, 1)";
  EXPECT_THROW(compare({ours}, {theirs}), InputError);
  theirs.block = "(256, 1, 1)";
  ours.slice_blocks = 8;
  EXPECT_THROW(compare({ours}, {theirs}), InputError) << "a slice is not the launch";
}

TEST(Compare, ShowsTheTruePercentageAndTheFloorBesideIt) {
  Quantity sectors{"sectors", Quantity::Kind::counter, {}, {}, 0.05, 256};
  const Difference small{&sectors, 20, 10, 10.0 / 256};
  EXPECT_TRUE(small.within());
  EXPECT_EQ(error_text(small), "+100.0 % (+3.9 % of the floor, 256)");
  EXPECT_EQ(error_text({&sectors, 1100, 1000, 0.1}), "+10.0 %");
  EXPECT_EQ(error_text({&sectors, 64, 0, 0.25}), "from 0 (+25.0 % of the floor, 256)");
  EXPECT_EQ(error_text({&sectors, 0, 0, 0}), "+0.0 %");
}

/// What has no tolerance is neither within nor beyond one, on the terminal and on the page.
TEST(Compare, SaysNotJudgedWhereItDoesNotJudge) {
  report::KernelReport ours = simulated("a", 110, 5);
  ours.metrics.read("sm__cycles_active.avg", "cycle", 134170, false);
  ProfiledKernel theirs = profiled("a", 100, 5);
  theirs.metrics["sm__cycles_active.avg"] = 43366;
  const Comparison result = compare({ours}, {theirs});
  EXPECT_EQ(error_text(*result.kernels[0].find("active cycles per SM")), "not judged");
  EXPECT_NE(to_text(result, true).find("134170  not judged"), std::string::npos) << to_text(result, true);
  EXPECT_NE(to_html(result, "t").find(R"("text":"not judged","judged":false)"), std::string::npos);
}

TEST(Compare, FlagsRightCyclesWithWrongCounters) {
  auto result = compare({simulated("a", 101, 6), simulated("b", 150, 6), simulated("c", 101, 5)},
                        {profiled("a", 100, 5), profiled("b", 100, 5), profiled("c", 100, 5)});
  EXPECT_TRUE(result.kernels[0].right_for_wrong_reason());
  EXPECT_FALSE(result.kernels[1].right_for_wrong_reason());
  EXPECT_FALSE(result.kernels[2].right_for_wrong_reason());
  EXPECT_NE(to_text(result, false).find("1 of 3 kernels have right cycles with wrong counters"), std::string::npos);
}

TEST(Compare, SummarisesMeanNinetiethPercentileAndWorst) {
  std::vector<report::KernelReport> ours;
  std::vector<ProfiledKernel> theirs;
  for (int i = 1; i <= 10; ++i) {
    std::string name = "k" + std::to_string(i);
    ours.push_back(simulated(name.c_str(), 100 + i, 5));
    theirs.push_back(profiled(name.c_str(), 100, 5));
  }
  auto summary = compare(ours, theirs).summary();
  ASSERT_FALSE(summary.empty());
  EXPECT_EQ(summary[0].quantity, "cycles");
  EXPECT_EQ(summary[0].kernels, 10u);
  EXPECT_EQ(summary[0].within, 10u);
  EXPECT_NEAR(summary[0].mean, 0.055, 1e-12);
  EXPECT_NEAR(summary[0].p90, 0.09, 1e-12);
  EXPECT_NEAR(summary[0].worst, 0.10, 1e-12);
  EXPECT_EQ(summary[0].worst_kernel, "k10");
}

TEST(Compare, TextSaysUnitsAndWhatWithinMeans) {
  const std::string text = to_text(compare({simulated("k", 101, 5)}, {profiled("k", 100, 5)}), false);
  EXPECT_EQ(text.find("kernel: cycles                  hardware   simulated       error\nk  "), 0u) << text;
  EXPECT_NE(text.find("\ncycles                             1       1     1.0 %     1.0 %     1.0 %  k\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(within: an error of at most 10 % for cycles;"), std::string::npos) << text;
}

TEST(Compare, PageEscapesNames) {
  auto result = compare({simulated("a&b", 1, 1)}, {profiled("a&b", 1, 1)});
  std::string page = to_html(result, "<run>");
  EXPECT_NE(page.find(R"("summary":[{"quantity":"cycles","kernels":1,"within":1,)"), std::string::npos);
  EXPECT_NE(page.find(R"("name":"a&b")"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;run&gt;</title>"), std::string::npos);
  EXPECT_EQ(page.find("<run>"), std::string::npos);
}

}  // namespace
}  // namespace sassim::validate
