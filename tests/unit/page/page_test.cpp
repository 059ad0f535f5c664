// SPDX-License-Identifier: Apache-2.0
#include "sim/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/report/bound.h"
#include "sim/report/sections.h"

namespace sassim::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

report::KernelReport kernel(std::string name, double cycles) {
  report::KernelReport report;
  report.name = std::move(name);
  report.metrics.read("gpc__cycles_elapsed.max", "cycle", cycles, false);
  return report;
}

nlohmann::json data_of(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(before) + before.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

report::RunReport run() {
  report::RunReport report;
  report.config_name = "v100";
  return report;
}

TEST(Page, NamesCannotBecomeMarkup) {
  RunPage page(run(), {});
  page.add(kernel("<script>alert(1)</script>", 5));
  const std::string text = page.finish(true);
  EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(text, HasSubstr("<title>sassim: &lt;script&gt;alert(1)"));
  EXPECT_EQ(data_of(text)["kernels"][0]["name"], "<script>alert(1)</script>");
}

TEST(Page, KeepsTheDetailsOfTheLongestLaunches) {
  RunPage page(run(), {});
  constexpr std::size_t kLaunches = RunPage::kMostDetails + 10;
  for (std::size_t i = 0; i < kLaunches; ++i) page.add(kernel("k", static_cast<double>(i % 7 == 0 ? 1000 + i : i)));
  const nlohmann::json data = data_of(page.finish(true));
  EXPECT_EQ(data["launches"].size(), kLaunches);
  EXPECT_EQ(data["kernels"].size(), RunPage::kMostDetails);
  EXPECT_TRUE(data["places"].contains("0"));   // long, the first
  EXPECT_FALSE(data["places"].contains("1"));  // one of the ten shortest
  EXPECT_FALSE(data["places"].contains("11"));
  EXPECT_TRUE(data["places"].contains("12"));
  const std::size_t place = data["places"]["12"];
  EXPECT_EQ(data["kernels"][place]["metrics"]["gpc__cycles_elapsed.max"], 12);
}

TEST(Page, OfEqualLaunchesTheFirstStay) {
  RunPage page(run(), {});
  for (std::size_t i = 0; i < RunPage::kMostDetails + 1; ++i) page.add(kernel("k", 5));
  const nlohmann::json data = data_of(page.finish(true));
  EXPECT_TRUE(data["places"].contains("0"));
  EXPECT_FALSE(data["places"].contains(std::to_string(RunPage::kMostDetails)));
}

// The page shows the rows of the terminal report, which come with its data.
TEST(Page, HasTheSectionsOfTheReport) {
  report::KernelReport report = kernel("k", 5);
  report.metrics.read("sm__issue_active.avg.pct_of_peak_sustained_elapsed", "%", 30, false);
  report.metrics.read("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", 30, false,
                      {"sm__issue_active.avg.pct_of_peak_sustained_elapsed"});
  report.metrics.read("sassim__warp_cycles_wait.sum", "cycle", 7, true);
  RunPage page(run(), {}, 4.5);
  page.add(report);
  const nlohmann::json data = data_of(page.finish(true));
  ASSERT_EQ(data["sections"]["list"].size(), report::sections().size());
  for (std::size_t i = 0; i < report::sections().size(); ++i) {
    EXPECT_EQ(data["sections"]["list"][i]["title"], report::sections()[i].title);
    EXPECT_EQ(data["sections"]["list"][i]["entries"].size(), report::sections()[i].entries.size());
  }
  EXPECT_EQ(data["expected_error"], 4.5);
  const nlohmann::json& tables = data["kernels"][0]["tables"];
  EXPECT_EQ(tables["parts"]["sm__throughput.avg.pct_of_peak_sustained_elapsed"][0]["label"], "issue slots");
  EXPECT_EQ(tables["states"][0]["reason"], "wait");
  EXPECT_EQ(data["launches"][0][9], report::bound_name(report));
}

TEST(Page, TotalsAreThoseOfTheListOfLaunches) {
  RunPage page(run(), {});
  for (const std::uint64_t end : {10, 15}) {  // side by side: together 15 cycles
    page.add(kernel("k", 10));
    report::KernelReport report = kernel("k", 10);
    report.beside = report::BesideReport{1, 2, end - 10, end};
    page.add(report);
  }
  const nlohmann::json data = data_of(page.finish(true));
  EXPECT_EQ(data["totals"]["cycles"], 35);
  EXPECT_EQ(data["totals"]["launches"], 4);
  EXPECT_EQ(data["launches"][1][9], "(side by side)");
}

TEST(Page, NamesOfFilesHaveTheFoldersThatTellThemApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(file_names({"/home/me/a.json"}), Names{"a.json"});
  EXPECT_EQ(file_names({"/home/me/a.json", "b.json", "b.json"}), (Names{"a.json", "b.json", "b.json"}));
  EXPECT_EQ(file_names({"/home/me/old/a.json", "/home/me/new/a.json"}), (Names{"old/a.json", "new/a.json"}));
  EXPECT_EQ(file_names({"a.json", "/a.json", "x/a.json"}), (Names{"a.json", "/a.json", "x/a.json"}));
}

TEST(Page, AStoppedRunSaysSo) {
  RunPage page(run(), {});
  page.add(kernel("k", 1));
  EXPECT_EQ(data_of(page.finish(false))["complete"], false);
  EXPECT_EQ(data_of(page.finish(false, "partial: so far"))["partial"], "partial: so far");
}

}  // namespace
}  // namespace sassim::page
