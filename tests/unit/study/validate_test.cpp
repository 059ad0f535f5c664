// SPDX-License-Identifier: Apache-2.0
#include "sim/study/validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace sassim::study {
namespace {

Target target(const char* id, double expected, Tolerance tolerance, const char* benchmark = "prog") {
  return {std::string("g.") + id, id, "cycles", "paper", expected, tolerance, benchmark, id, ""};
}

TEST(Tolerance, TakesTheLargerOfAbsoluteAndRelative) {
  Tolerance tolerance{1, 0.02};
  EXPECT_TRUE(tolerance.accepts(28, 29));
  EXPECT_FALSE(tolerance.accepts(28, 29.1));
  EXPECT_TRUE(tolerance.accepts(200, 204));
  EXPECT_FALSE(tolerance.accepts(200, 204.5));
  EXPECT_FALSE((Tolerance{0, 0}.accepts(25, 26)));
}

TEST(ReadValues, TakesScalarLinesAndSkipsTheRest) {
  auto values = read_values(
      "hello\n{\"id\": \"a.b\", \"value\": 4.5, \"unit\": \"cycles\"}\n{\"id\": \"s\", \"values\": [1, 2], \"unit\": "
      "\"x\"}\n"
      "{\"id\": \"broken\", \"value\":\n{\"id\": \"c\", \"value\": 7, \"unit\": \"\"}");
  EXPECT_EQ(values.size(), 2u);
  EXPECT_DOUBLE_EQ(values.at("a.b"), 4.5);
  EXPECT_DOUBLE_EQ(values.at("c"), 7);
}

TEST(Validate, RunsEachProgramOnceAndJudges) {
  int runs = 0;
  std::vector<Target> targets{target("right", 10, {1, 0}), target("wrong", 10, {1, 0}), target("absent", 10, {1, 0}),
                              target("dead", 10, {1, 0}, "other x=1"), target("none", 10, {1, 0}, "")};
  targets.back().reason = "no program";
  Validation validation = validate(targets, [&](const std::string& command) -> ProgramOutput {
    ++runs;
    if (command == "other x=1") return {{}, "the run ended with status 4"};
    return {{{"right", 11}, {"wrong", 12}}, ""};
  });
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(validation.measured(), 2u);
  EXPECT_EQ(validation.within(), 1u);
  EXPECT_NEAR(validation.mape(), 0.15, 1e-12);
  EXPECT_EQ(validation.outcomes[2].why_not, "not in the range that was run");
  EXPECT_EQ(validation.outcomes[3].why_not, "the run ended with status 4");
  EXPECT_EQ(validation.outcomes[4].why_not, "no program");

  auto json = to_json(validation);
  EXPECT_EQ(json["targets"].size(), 2u);
  EXPECT_EQ(json["unmeasured"].size(), 3u);
  EXPECT_EQ(json["summary"]["within"], 1);
  EXPECT_EQ(json["targets"][1]["within"], false);
  EXPECT_NE(to_text(validation, false).find("1 of 2 measured targets within tolerance"), std::string::npos);
}

TEST(Targets, EveryPublishedRowOfAGpuWithAConfigurationSaysWhatAnswersIt) {
  const std::string folder = SASSIM_SOURCE_DIR "/validation/published/";
  std::size_t rows = 0;
  for (const auto& [file, gpu] :
       {std::pair{"t4.yaml", "t4"}, {"v100.yaml", "v100"}, {"v100.yaml", "v100-sxm2"}, {"h200.yaml", "h200"}}) {
    for (const Target& row : load_published(folder + file, gpu)) {
      ++rows;
      EXPECT_FALSE(row.benchmark.empty() && row.reason.empty()) << row.id;
      EXPECT_FALSE(row.source.empty()) << row.id;
    }
  }
  EXPECT_EQ(rows, 103u + 163u + 11u + 44u);
}

TEST(Targets, HardwareFilesGiveTargetsWithTolerances) {
  auto targets = load_hardware(SASSIM_SOURCE_DIR "/validation/hardware/h200.json", "h200");
  auto at = std::find_if(targets.begin(), targets.end(), [](const Target& t) { return t.id == "h200.lat.ffma"; });
  ASSERT_NE(at, targets.end());
  EXPECT_DOUBLE_EQ(*at->expected, 4);
  EXPECT_EQ(at->benchmark, "instruction_latency");
  EXPECT_TRUE(at->tolerance.accepts(4, 5));
}

TEST(Validate, GivesTheSameForAnyNumberOfJobs) {
  std::vector<Target> targets;
  for (const char* id : {"a", "b", "c", "d", "e"}) targets.push_back(target(id, 10, {1, 0}, id));
  auto run = [](const std::string& command) -> ProgramOutput { return {{{command, command[0] - 'a' + 9.0}}, ""}; };
  EXPECT_EQ(to_json(validate(targets, run, 4)).dump(), to_json(validate(targets, run, 1)).dump());
}

TEST(KnownGaps, StayFailuresAndAreToldApartAndStaleOnesAreFound) {
  auto run = [](const std::string&) -> ProgramOutput { return {{{"a.1", 20}, {"a.2", 10}, {"b", 10}}, ""}; };
  Validation validation = validate({target("a.1", 10, {}), target("a.2", 10, {}), target("b", 10, {})}, run);
  explain(validation,
          {{"g.a.*", "g", "why", "+100 %", "2026"}, {"g.b", "g", "gone", "?", "2026"}, {"g.a*", "h", "", "", ""}}, "g");
  EXPECT_EQ(validation.within(), 2u);
  EXPECT_EQ(validation.known_gaps(), 1u);
  EXPECT_EQ(validation.outcomes[0].known_gap, "why");
  EXPECT_EQ(validation.outcomes[1].known_gap, "");
  EXPECT_EQ(validation.stale_gaps, std::vector<std::string>{"g.b"});
  EXPECT_NE(to_text(validation, false).find("1 known gap: why"), std::string::npos);
  EXPECT_EQ(summary(validation)["all"]["known_gaps"], 1);
}

TEST(KnownGaps, EveryPatternMatchesATargetThatAProgramAnswers) {
  const std::string data = SASSIM_SOURCE_DIR "/validation/";
  std::vector<Target> targets;
  for (const char* gpu : {"t4", "v100", "h200"})
    for (Target& row : load_published(data + "published/" + gpu + ".yaml", gpu)) targets.push_back(row);
  for (Target& row : load_hardware(data + "hardware/h200.json", "h200")) targets.push_back(row);
  for (const KnownGap& gap : load_known_gaps(data + "known-gaps.yaml")) {
    EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
      return !target.benchmark.empty() && target.id.starts_with(gap.gpu + ".") && gap.matches(target.id);
    })) << gap.pattern;
  }
}

TEST(KnownGaps, ThePageIsTheOneThatTheCommandWrites) {
  std::ifstream page(SASSIM_SOURCE_DIR "/docs/known-gaps.md");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(page), {}),
            known_gaps_page(load_known_gaps(SASSIM_SOURCE_DIR "/validation/known-gaps.yaml")));
}

TEST(Subsets, QuickNamesOnlyCommandsOfTargets) {
  std::vector<Target> targets;
  for (const char* gpu : {"t4", "v100", "h200"})
    for (Target& row : load_published(std::string(SASSIM_SOURCE_DIR "/validation/published/") + gpu + ".yaml", gpu))
      targets.push_back(row);
  for (Target& row : load_hardware(SASSIM_SOURCE_DIR "/validation/hardware/h200.json", "h200")) targets.push_back(row);
  for (const std::string& command : load_subset(SASSIM_SOURCE_DIR "/validation/subsets.yaml", "quick")) {
    EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.benchmark == command; }))
        << command;
  }
}

}  // namespace
}  // namespace sassim::study
