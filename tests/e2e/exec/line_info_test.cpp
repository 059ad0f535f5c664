// SPDX-License-Identifier: Apache-2.0
// Do reports of a program that was compiled with -lineinfo name its CUDA source: as text, JSON, CSV and on the page?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/exec/exec.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using Json = nlohmann::json;

const std::string kSource = SASSIM_SOURCE_DIR "/tests/e2e/exec/programs/line_info.cu";

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The number of the source's line with this mark.
std::uint32_t line_with(const std::string& mark) {
  const auto lines = lines_of(content(kSource));
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find("// [" + mark + "]") != std::string::npos) return static_cast<std::uint32_t>(i + 1);
  ADD_FAILURE() << "no line with " << mark;
  return 0;
}

/// In the text: the place above the first instruction with this opcode.
std::string place_above(const std::string& text, const std::string& opcode) {
  std::string place;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("line_info.cu:")) place = line;
    if (line.find(" " + opcode) != std::string::npos) return place;
  }
  return "no " + opcode;
}

void expect_places(const Json& kernel) {
  for (const auto& [opcode, mark] : {std::pair("LDG", "load"), std::pair("STG", "store")}) {
    bool found = false;
    for (const Json& line : kernel.at("lines")) {
      if (line.at("sass").get<std::string>().find(opcode) == std::string::npos) continue;
      found = true;
      EXPECT_EQ(line.at("source"), Json({{"file", kSource}, {"line", line_with(mark)}})) << line;
    }
    EXPECT_TRUE(found) << opcode;
  }
}

class LineInfo : public testing::TestWithParam<const char*> {};

TEST_P(LineInfo, EveryReportNamesTheSource) {
  TestFolder folder;
  const Outcome outcome = exec(std::string("--page source --config ") + GetParam() + " --json " + (folder / "r.json") +
                                   " --csv-source " + (folder / "s.csv") + " --html " + (folder / "p.html"),
                               "line_info");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const auto& [opcode, mark] : {std::pair("LDG", "load"), std::pair("STG", "store")})
    EXPECT_THAT(place_above(outcome.out, opcode),
                testing::MatchesRegex("line_info.cu:" + std::to_string(line_with(mark)) + "  .*// ." + mark + "."))
        << outcome.out;
  EXPECT_THAT(lines_of(outcome.out), testing::Contains("  " + kSource)) << "the path, once";

  expect_places(Json::parse(content(folder / "r.json")).at("kernels").at(0));
  for (const auto& [opcode, mark] : {std::pair("LDG", "load"), std::pair("STG", "store")})
    EXPECT_THAT(lines_of(content(folder / "s.csv")),
                testing::Contains(
                    testing::AllOf(testing::HasSubstr(opcode),
                                   testing::HasSubstr("," + kSource + "," + std::to_string(line_with(mark)) + ","))));

  const std::string page = content(folder / "p.html"), begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  expect_places(Json::parse(page.substr(from, page.find("</script>", from) - from)).at("kernels").at(0));
}

INSTANTIATE_TEST_SUITE_P(Gpus, LineInfo, testing::Values("v100", "h200"),
                         [](const auto& test) { return std::string(test.param); });

/// Beside the SASS the table has the sums of each line.
TEST(LineInfo, LinesOfCudaHaveTheSumsOfTheirSass) {
  TestFolder folder;
  const Outcome outcome = exec("--page source --config v100 --json " + (folder / "r.json"), "line_info");
  std::map<std::uint32_t, std::uint64_t> cycles;
  const Json lines = Json::parse(content(folder / "r.json")).at("kernels").at(0).at("lines");
  for (const Json& line : lines)
    for (const auto& [reason, count] : line.at("stalls").items())
      cycles[line.at("source").at("line").get<std::uint32_t>()] += count.get<std::uint64_t>();
  ASSERT_GT(cycles.size(), 1u);
  for (const auto& [number, sum] : cycles)
    EXPECT_THAT(lines_of(outcome.out), testing::Contains(testing::ContainsRegex(
                                           "^ +" + std::to_string(sum) +
                                           " +[0-9.]+ % +[0-9]+  line_info.cu:" + std::to_string(number) + "  ")));
}

TEST(LineInfo, AProgramWithoutItHasNoPlaces) {
  const Outcome outcome = exec("--page source --config v100", "clock_chain");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("FFMA"));
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr(".cu:")));
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("CUDA line")));
}

}  // namespace
}  // namespace sassim
