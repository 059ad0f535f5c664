// SPDX-License-Identifier: Apache-2.0
#include "sim/plot/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "sim/plot/plot_axis.h"

namespace sassim::plot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> labels(const AxisRange& range) {
  std::vector<std::string> all;
  for (const Tick& tick : range.ticks())
    if (!tick.label.empty()) all.push_back(tick.label);
  return all;
}

Axis axis(Scale scale) { return {"a", "", scale, {}, {}, false, {}}; }

TEST(AxisRange, LinearTicksAreOneTwoFive) {
  EXPECT_THAT(labels(AxisRange(axis(Scale::linear), {0, 64})),
              ElementsAre("0", "10", "20", "30", "40", "50", "60", "70"));
  EXPECT_THAT(labels(AxisRange(axis(Scale::linear), {0.01, 0.09})),
              ElementsAre("0.00", "0.02", "0.04", "0.06", "0.08", "0.10"));
  EXPECT_THAT(labels(AxisRange(axis(Scale::linear), {-3, 7})), ElementsAre("-4", "-2", "0", "2", "4", "6", "8"));
}

TEST(AxisRange, StartsAtZeroUnlessThatWouldHideTheDifferences) {
  EXPECT_EQ(labels(AxisRange(axis(Scale::linear), {20, 64})).front(), "0");
  EXPECT_EQ(labels(AxisRange(axis(Scale::linear), {900, 1000})).front(), "900");
}

TEST(AxisRange, TakesThousandsOutOfLargeNumbers) {
  const AxisRange range(axis(Scale::linear), {0, 3'000'000});
  EXPECT_EQ(range.thousands(), 2);
  EXPECT_EQ(labels(range).back(), "3.0");
}

TEST(AxisRange, LogarithmicTicksAreDecadesOrPowersOfTwo) {
  EXPECT_THAT(labels(AxisRange(axis(Scale::log10), {3, 2000})), ElementsAre("1", "10", "100", "1000", "10000"));
  EXPECT_THAT(labels(AxisRange(axis(Scale::log10), {20, 300})),
              ElementsAre("10", "20", "50", "100", "200", "500", "1000"));
  EXPECT_THAT(labels(AxisRange(axis(Scale::log2), {1, 16})), ElementsAre("1", "2", "4", "8", "16"));
}

TEST(AxisRange, ZeroHasAPlaceBeforeALogarithmicScale) {
  const AxisRange range(axis(Scale::log2), {0, 1, 2, 4, 512});
  EXPECT_TRUE(range.broken());
  EXPECT_EQ(range.place(0), 0);
  EXPECT_GT(range.place(1), 0.05);
  EXPECT_NEAR(range.place(4) - range.place(2), range.place(2) - range.place(1), 1e-12);
  EXPECT_TRUE(std::isnan(range.place(-1)));
  EXPECT_THAT(labels(range)[0], "0");
}

TEST(AxisRange, BytesAndNames) {
  Axis bytes = axis(Scale::log2);
  bytes.bytes = true;
  EXPECT_THAT(labels(AxisRange(bytes, {16384, 1 << 20})),
              ElementsAre("16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB", "1 MiB"));
  Axis names = axis(Scale::linear);
  names.categories = {"lru", "volta"};
  EXPECT_THAT(labels(AxisRange(names, {0, 1})), ElementsAre("lru", "volta"));
}

TEST(AxisRange, OddRangesHaveTicksToo) {
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::log10})
    for (const std::vector<double>& values :
         {std::vector<double>{}, {0}, {5}, {0, 0}, {7, 7}, {std::nan("")}, {1e-9, 1e12}}) {
      const AxisRange range(axis(scale), values);
      EXPECT_FALSE(range.ticks().empty());
      for (const Tick& tick : range.ticks()) EXPECT_TRUE(std::isfinite(tick.at));
    }
}

Plot example() {
  Plot plot;
  plot.title = "Throughput <1>";
  plot.x = {"Warps", "per SM", Scale::linear, {}, {}, false, {}};
  plot.y = {"Throughput", "GB/s", Scale::linear, {}, 100, false, {}};
  plot.series = {{"simulated", SeriesKind::simulated, {{4, 10}, {8, 20}}, 0},
                 {"measured", SeriesKind::hardware, {{4, 11}, {8, 19}}, 0},
                 {"roofline", SeriesKind::model, {{4, 12}, {8, 1000}}, {}}};
  return plot;
}

std::size_t small_ticks(const AxisRange& range) {
  return static_cast<std::size_t>(
      std::count_if(range.ticks().begin(), range.ticks().end(), [](const Tick& tick) { return tick.label.empty(); }));
}

TEST(AxisRange, HasMinorTicks) {
  EXPECT_EQ(small_ticks(AxisRange(axis(Scale::linear), {0, 64})), 7u * 4);  // tens in fifths
  EXPECT_EQ(small_ticks(AxisRange(axis(Scale::linear), {0, 15})), 8u * 3);  // twos in quarters
  EXPECT_GT(small_ticks(AxisRange(axis(Scale::log2), {0.8, 1.3})), 2u);
  EXPECT_THAT(labels(AxisRange(axis(Scale::log2), {0.8, 1.3})), ElementsAre("0.8", "0.9", "1.0", "1.1", "1.2", "1.3"));
}

TEST(AxisRange, ZeroHasNoSign) {
  for (const std::vector<double>& values : {std::vector<double>{-1, 1}, {-0.3, 0.1}, {-1e-9, 1e-9}, {-5, 0}})
    for (const std::string& label : labels(AxisRange(axis(Scale::linear), values)))
      EXPECT_FALSE(label.starts_with("-0") && label.find_first_of("123456789") == std::string::npos) << label;
}

TEST(AxisRange, ZeroBytesHaveNoSign) {
  Axis bytes = axis(Scale::linear);
  bytes.bytes = true;
  EXPECT_EQ(labels(AxisRange(bytes, {0, 4096})).front(), "0 B");
}

TEST(AxisRange, ValuesAtTheEndDoNotLieOnTheFrame) {
  Axis percent = axis(Scale::linear);
  percent.from = 0;
  percent.to = 100;
  const AxisRange touching(percent, {0, 50, 100});
  EXPECT_GT(touching.place(0), 0.02);
  EXPECT_LT(touching.place(100), 0.98);
  EXPECT_EQ(labels(touching).front(), "0");
  EXPECT_EQ(labels(touching).back(), "100");
  const AxisRange within(percent, {20, 50});
  EXPECT_EQ(within.place(0), 0);
  EXPECT_EQ(within.place(100), 1);
}

TEST(Plot, TellsElevenModelsApart) {
  Plot plot = example();
  plot.series.clear();
  for (std::size_t i = 0; i < 11; ++i)
    plot.series.push_back({"m" + std::to_string(i), SeriesKind::model, {{0, 1.0 + i}, {1, 1.0 + i}}, 2 + i % 5, i % 4});
  const std::string svg = plot_svg(plot);
  std::set<std::string> looks;
  for (std::size_t at = svg.find("stroke=\"#"); at != std::string::npos; at = svg.find("stroke=\"#", at + 1)) {
    const std::string element = svg.substr(at, svg.find('>', at) - at);
    const std::size_t dash = element.find("stroke-dasharray=\"");
    if (dash != std::string::npos) looks.insert(element.substr(8, 7) + element.substr(dash));
  }
  EXPECT_EQ(looks.size(), 11u);
}

TEST(Plot, SaysWhatItHoldsFor) {
  Plot plot = example();
  const std::string without = plot_svg(plot);
  plot.note = "for the configured L1";
  EXPECT_THAT(plot_svg(plot), HasSubstr(">for the configured L1<"));
  EXPECT_NE(plot_svg(plot).substr(0, 200), without.substr(0, 200));  // the page is taller
}

TEST(Plot, NamesAxesUnitsAndSeries) {
  const std::string svg = plot_svg(example());
  for (const char* text :
       {">Warps (per SM)<", ">Throughput (GB/s)<", ">simulated<", ">measured<", ">roofline<", ">Throughput &lt;1&gt;<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Plot, TellsKindsApart) {
  const std::string svg = plot_svg(example());
  // Two points and a legend each: filled for the simulator, hollow for hardware, of one colour.
  EXPECT_EQ(count(svg, "fill=\"#0072b2\" stroke=\"#0072b2\""), 3u);
  EXPECT_EQ(count(svg, "fill=\"#ffffff\" stroke=\"#0072b2\""), 3u);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 3\""), 2u);
}

TEST(Plot, CutsLinesAtTheFrame) {
  const std::string svg = plot_svg(example());
  EXPECT_THAT(svg, Not(HasSubstr(",-")));  // nothing above the page
}

TEST(Plot, BreaksLinesAtWhatIsNotANumber) {
  Plot plot = example();
  plot.series = {{"m", SeriesKind::model, {{0, 1}, {1, 2}, {2, std::nan("")}, {3, 2}, {4, 1}}, {}}};
  EXPECT_EQ(count(plot_svg(plot), "stroke-dasharray"), 3u);  // two pieces and the legend
}

TEST(Plot, IsTheSameEveryTimeInBothFormats) {
  EXPECT_EQ(plot_svg(example()), plot_svg(example()));
  const std::string png = plot_png(example());
  EXPECT_EQ(png, plot_png(example()));
  EXPECT_THAT(png, StartsWith("\x89PNG"));
  EXPECT_GT(png.size(), 5000u);
}

TEST(Plot, WritesBothFilesOrSaysWhyNot) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "sassim-plot-test";
  std::filesystem::create_directories(folder);
  write_plot(folder / "a.b", example());
  std::ostringstream svg;
  svg << std::ifstream(folder / "a.b.svg").rdbuf();
  EXPECT_EQ(svg.str(), plot_svg(example()));
  EXPECT_TRUE(std::filesystem::exists(folder / "a.b.png"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(write_plot(folder / "x", example()), InputError);
}

}  // namespace
}  // namespace sassim::plot
