// SPDX-License-Identifier: Apache-2.0
#include "sim/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sassim::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

KernelReport kernel(std::string name, double cycles) {
  KernelReport report;
  report.name = std::move(name);
  report.metrics.set("gpc__cycles_elapsed.max", "cycle", "", cycles);
  return report;
}

nlohmann::json data_of(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(before) + before.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

RunReport run() {
  RunReport report;
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

TEST(Page, AStoppedRunSaysSo) {
  RunPage page(run(), {});
  page.add(kernel("k", 1));
  EXPECT_EQ(data_of(page.finish(false))["complete"], false);
  EXPECT_EQ(data_of(page.finish(false, "partial: so far"))["partial"], "partial: so far");
}

}  // namespace
}  // namespace sassim::report
