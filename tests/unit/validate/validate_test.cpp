// SPDX-License-Identifier: Apache-2.0
#include "sim/validate/validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/support/test_folder.h"

namespace sassim::validate {
namespace {

Target target(const char* id, double expected, Tolerance tolerance, const char* benchmark = "prog") {
  Target row;
  row.id = std::string("g.") + id;
  row.quantity = row.answer = id;
  row.unit = "cycles";
  row.source = "paper";
  row.expected = expected;
  row.tolerance = tolerance;
  row.benchmark = benchmark;
  return row;
}

Target stated(const char* id, double expected, const char* key) {
  Target row = target(id, expected, {}, "");
  row.answer.clear();
  row.key = key;
  return row;
}

/// The rows of a GPU that has a file of its own in validation/published.
std::vector<Target> published_rows_of(const std::string& gpu) {
  const std::string file = SASSIM_SOURCE_DIR "/validation/published/" + gpu + ".yaml";
  return load_published(std::filesystem::exists(file) ? file : file + ".xz", gpu);
}

const config::GpuConfig kGpu;
ProgramOutput nothing(const std::string&) { return {}; }
Citations no_citations() { return {{}, "", "g"}; }

KnownGap gap(std::map<std::string, double, std::less<>> rows, KnownGap::Kind kind = KnownGap::Kind::difference) {
  return {kind, "g", "why", "2026", std::move(rows)};
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
  Validation validation = validate(targets, kGpu, [&](const std::string& command) -> ProgramOutput {
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
  EXPECT_NE(
      to_text(validation, false).find("predicted: 1 of 2 rows within tolerance (50.0 %), mean absolute error 15.0 %"),
      std::string::npos);
}

TEST(Validate, ComparesWhatTheConfigurationStates) {
  config::GpuConfig gpu;
  gpu.memory.l2.size = 4 << 20;
  const std::vector<Target> targets{stated("size", 4096, "memory.l2.size / KiB"), target("run", 10, {1, 0})};
  const auto run = [](const std::string&) -> ProgramOutput { return {{{"run", 10}}, ""}; };
  const Validation right = validate(targets, gpu, run);
  EXPECT_EQ(right.stated(), 1u);
  EXPECT_EQ(right.stated_within(), 1u);
  EXPECT_EQ(right.measured(), 1u);
  EXPECT_TRUE(right.all_within());
  gpu.memory.l2.size = 3 << 20;
  Validation wrong = validate(targets, gpu, run);
  EXPECT_EQ(wrong.stated_within(), 0u);
  EXPECT_EQ(wrong.within(), 1u);
  EXPECT_FALSE(wrong.all_within());
  EXPECT_NE(to_text(wrong, false).find("g.size"), std::string::npos);
  EXPECT_EQ(to_json(wrong)["targets"][0]["answer"], "stated");
  EXPECT_EQ(to_json(wrong)["targets"][1]["answer"], "measured");
  EXPECT_EQ(to_json(wrong)["targets"][0]["within"], false);
  trace_origins(wrong, no_citations());
  EXPECT_EQ(summary(wrong)["published"]["echo"]["rows"], 1);
  EXPECT_EQ(summary(wrong)["published"]["echo"]["within"], 0);
  EXPECT_EQ(summary(wrong)["published"]["predicted"]["rows"], 1);
  EXPECT_EQ(summary(wrong)["out_of_tolerance"][0], "g.size");
  EXPECT_NE(to_html(wrong, "t").find("echo: memory.l2.size / KiB"), std::string::npos);
  EXPECT_NE(to_html(wrong, "t").find("\",\"echo, a value"), std::string::npos) << "a line each";
  EXPECT_EQ(wrong.mape(), 0) << "of measured targets only";
}

TEST(Validate, ComparesBothEndsOfARange) {
  Target row = stated("l1", 32, "min(sm.occupancy.carveouts) / KiB .. max(sm.occupancy.carveouts) / KiB");
  row.expected_to = 96;
  config::GpuConfig gpu;
  gpu.sm.occupancy.carveouts = {32 << 10, 64 << 10, 96 << 10};
  EXPECT_TRUE(validate({row}, gpu, nothing).all_within());
  EXPECT_EQ(simulated_text(validate({row}, gpu, nothing).outcomes[0]), "32..96");
  gpu.sm.occupancy.carveouts = {32 << 10, 64 << 10};
  EXPECT_FALSE(validate({row}, gpu, nothing).all_within());
  gpu.sm.occupancy.carveouts = {16 << 10, 96 << 10};
  EXPECT_FALSE(validate({row}, gpu, nothing).all_within());
  row.key = "sm.l1.size";
  EXPECT_THROW(validate({row}, gpu, nothing), InputError);
}

TEST(Validate, KeepsToBounds) {
  config::GpuConfig gpu;
  gpu.sm.count = 80;
  const auto holds = [&](Relation relation, double expected) {
    Target row = stated("n", expected, "sm.count");
    row.relation = relation;
    return validate({row}, gpu, nothing).all_within();
  };
  EXPECT_TRUE(holds(Relation::at_most, 80));
  EXPECT_TRUE(holds(Relation::at_most, 81));
  EXPECT_FALSE(holds(Relation::at_most, 79));
  EXPECT_TRUE(holds(Relation::at_least, 80));
  EXPECT_FALSE(holds(Relation::at_least, 81));
  EXPECT_TRUE(holds(Relation::below, 81));
  EXPECT_FALSE(holds(Relation::below, 80));
  EXPECT_FALSE(holds(Relation::equal, 81));
}

TEST(Validate, ConvertsWhatAProgramPrints) {
  config::GpuConfig gpu;
  gpu.sm.count = 80;
  gpu.clock.sm = 1'380'000'000;
  Target row = target("bw", 11040, {});
  row.convert = "answer * sm.count * clock.sm / 1e9";
  const auto run = [](const std::string&) -> ProgramOutput { return {{{"bw", 100}}, ""}; };
  const Validation validation = validate({row}, gpu, run);
  EXPECT_DOUBLE_EQ(*validation.outcomes[0].simulated, 11040);
  row.convert = "answer * sm.cout";
  EXPECT_THROW(validate({row}, gpu, run), InputError);
}

std::vector<Target> load_text(const std::string& rows) {
  const TestFolder folder;
  std::ofstream(folder / "rows.yaml") << "targets:\n" << rows;
  return load_published(folder / "rows.yaml", "g");
}

constexpr const char* kRow = "- {id: g.x, gpu: g, unit: KiB, source: s, ";

TEST(Targets, ReadsNumbersRangesAndBounds) {
  const auto rows = load_text(std::string(kRow) + "value: 4, answered_by: config, key: sm.count}\n" + kRow +
                              "value: 32..128, answered_by: config, key: a .. b}\n" + kRow +
                              "value: '>=64', answered_by: config, key: a}\n" + kRow +
                              "value: up to 96, answered_by: config, key: a}\n" + kRow +
                              "value: non-LRU, number: 1, relation: below, benchmark: p, answer: i}\n" + kRow +
                              "value: 70, answered_by: none, reason: no such property}\n");
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_DOUBLE_EQ(*rows[0].expected, 4);
  EXPECT_DOUBLE_EQ(*rows[1].expected, 32);
  EXPECT_DOUBLE_EQ(*rows[1].expected_to, 128);
  EXPECT_DOUBLE_EQ(*rows[2].expected, 64);
  EXPECT_EQ(rows[2].relation, Relation::at_least);
  EXPECT_DOUBLE_EQ(*rows[3].expected, 96);
  EXPECT_EQ(rows[3].relation, Relation::equal);
  EXPECT_DOUBLE_EQ(*rows[4].expected, 1);
  EXPECT_EQ(rows[4].relation, Relation::below);
  EXPECT_EQ(rows[5].reason, "no such property");
}

TEST(Targets, WhatAGroupSaysBelongsToEachOfItsRows) {
  const auto rows = load_text(
      "- gpu: g\n  unit: KiB\n  source: s\n  tolerance: {abs: 0, rel: 0.1}\n  answered_by: config\n  rows:\n"
      "  - {id: g.a, value: 4, key: sm.count}\n  - {id: g.b, value: 5, key: sm.count, unit: MiB}\n"
      "  - {id: h.c, value: 6, key: sm.count, gpu: h}\n");
  ASSERT_EQ(rows.size(), 2u) << "the third is another GPU's";
  EXPECT_EQ(rows[0].id + " " + rows[0].unit + " " + rows[0].source, "g.a KiB s");
  EXPECT_EQ(rows[1].id + " " + rows[1].unit + " " + rows[1].source, "g.b MiB s");
  EXPECT_DOUBLE_EQ(rows[1].tolerance.rel, 0.1);
  for (const char* wrong : {"- {gpu: g, rows: 3}", "- {gpu: g, unti: s, rows: []}", "- {gpu: g, rows: [7]}",
                            "- {gpu: g, rows: [{id: g.a, rows: []}]}"})
    EXPECT_THROW(load_text(std::string(wrong) + "\n"), InputError) << wrong;
}

TEST(Targets, RefusesRowsThatSayTooLittleOrWhatNobodyReads) {
  for (const char* rest : {
           "value: 4}",                                                         // nothing answers it
           "value: 4, answered_by: config}",                                    // without its key
           "value: 4, answered_by: opcode table}",                              // no such answer
           "value: 4, answered_by: none}",                                      // without a reason
           "value: 4, key: sm.count}",                                          // nobody would read the key
           "value: 4, benchmark: p}",                                           // without what it prints
           "value: 4, benchmark: p, answer: i, answered_by: none, reason: r}",  // twice
           "value: blue, answered_by: config, key: sm.count}",                  // a word, and no number
           "value: 1..x, answered_by: config, key: a .. b}",                    // half a range
           "value: 4, relation: near, answered_by: config, key: sm.count}",
           "value: 4, answered_by: config, key: sm.count, convert: answer}",
           "value: 4, answered_by: config, key: sm.count, tolerence: {abs: 1, rel: 0}}",
       })
    EXPECT_THROW(load_text(std::string(kRow) + rest + "\n"), InputError) << rest;
}

TEST(Targets, EveryPublishedRowOfAGpuWithAConfigurationIsAnsweredOrSaysWhyNot) {
  const std::string folder = SASSIM_SOURCE_DIR "/validation/published/";
  std::size_t rows = 0, keys = 0;
  for (const auto& [file, gpu] : {std::pair{"t4.yaml.xz", "t4"},
                                  {"v100.yaml.xz", "v100"},
                                  {"v100.yaml.xz", "v100-sxm2"},
                                  {"h200.yaml.xz", "h200"},
                                  {"ampere.yaml.xz", "a100"},
                                  {"ampere.yaml.xz", "a100-80"},
                                  {"ampere.yaml.xz", "a100-pcie"},
                                  {"ampere.yaml.xz", "a40"},
                                  {"ampere.yaml.xz", "rtx3070"},
                                  {"ampere.yaml.xz", "rtx3090"},
                                  {"volkov.yaml.xz", "8800gtx"},
                                  {"volkov.yaml.xz", "gtx280"},
                                  {"volkov.yaml.xz", "gtx480"},
                                  {"other.yaml.xz", "rtx4090"}}) {
    const config::GpuConfig config =
        config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + gpu + ".yaml");
    for (const Target& row : load_published(folder + file, gpu)) {
      ++rows;
      EXPECT_EQ(row.benchmark.empty() + row.key.empty() + row.reason.empty(), 2) << row.id;
      EXPECT_FALSE(row.source.empty()) << row.id;
      keys += !row.key.empty();
      const std::size_t benchmark_end = row.benchmark.find(' ');
      if (const std::string program = row.benchmark.substr(0, benchmark_end); program.ends_with(".sass")) {
        EXPECT_TRUE(std::ifstream(SASSIM_SOURCE_DIR "/validation/programs/sass/" + program).good()) << row.id;
      }
    }
  }
  EXPECT_EQ(rows, 103u + 163u + 11u + 44u + 18u + 27u + 15u + 10u + 5u + 114u + 53u + 53u + 55u + 4u);
  EXPECT_GT(keys, 80u);
}

// What was measured on several boards of one die is a row of each of their configurations.
TEST(Targets, ARowMayBelongToSeveralConfigurations) {
  const std::string file = SASSIM_SOURCE_DIR "/validation/published/ampere.yaml.xz";
  for (const char* gpu : {"rtx3080", "rtx3090", "rtxa6000"}) {
    const std::vector<Target> rows = load_published(file, gpu);
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Target& row) {
      return row.id == "ampere-ga102.raw.load_global_32.regular";
    })) << gpu;
  }
  EXPECT_TRUE(load_published(file, "ampere-ga102").empty());
}

/// What the configurations state that is known to differ: in validation/known-gaps.yaml.
TEST(Targets, ConfigurationsStateWhatWasPublished) {
  for (const char* gpu : {"t4", "v100", "h200"}) {
    std::vector<Target> rows = published_rows_of(gpu);
    std::erase_if(rows, [](const Target& row) { return row.key.empty(); });
    Validation validation =
        validate(rows, config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + gpu + ".yaml"), nothing);
    explain(validation, load_known_gaps(SASSIM_SOURCE_DIR "/validation/known-gaps.yaml"), gpu);
    EXPECT_EQ(validation.stated(), rows.size());
    for (const Outcome& outcome : validation.outcomes)
      EXPECT_TRUE(outcome.within() || !outcome.known_gap.empty())
          << outcome.target.id << ": " << expected_text(outcome.target) << ", stated " << simulated_text(outcome);
  }
}

TEST(Targets, HardwareFilesGiveTargetsWithTolerances) {
  auto targets = load_hardware(SASSIM_SOURCE_DIR "/validation/measured/h200.json.xz", "h200");
  auto at = std::find_if(targets.begin(), targets.end(), [](const Target& t) { return t.id == "h200.lat.ffma"; });
  ASSERT_NE(at, targets.end());
  EXPECT_DOUBLE_EQ(*at->expected, 4);
  EXPECT_EQ(at->benchmark, "instruction_latency");
  EXPECT_TRUE(at->tolerance.accepts(4, 4.4));
  EXPECT_FALSE(at->tolerance.accepts(4, 5)) << "a latency of an instruction is exact";
  EXPECT_FALSE(at->full);
}

TEST(Targets, HardwareFilesSayHowLongARunWas) {
  const TestFolder folder;
  std::ofstream(folder / "g.json")
      << R"({"schema": "sassim-hardware/1", "values": {"a": {"median": 1, "run": "short", "full": {"median": 2}},
             "b": {"median": 3, "run": "full"}, "c": {"median": 4, "run": "short"}}})";
  const auto load = [&] { return load_hardware(folder / "g.json", "g"); };
  std::vector<Target> all = load();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].full_value, 2);
  EXPECT_TRUE(all[1].full);
  for (Target& row : all) row.benchmark = "prog";
  std::vector<Target> short_run = all, full_run = all;
  select(short_run, {{"prog", ""}});
  EXPECT_EQ(short_run[0].expected, 1);
  select(full_run, {{"prog full=1", "a"}, {"prog full=1", "b"}, {"prog full=1", "c"}});
  ASSERT_EQ(full_run.size(), 2u) << "c has no value of a full run";
  EXPECT_EQ(full_run[0].expected, 2);
  EXPECT_EQ(full_run[1].expected, 3);
}

TEST(Targets, OnlyCyclesMayBeOneOff) {
  EXPECT_TRUE(tolerance_for("atomic.shared.same.8", "cycles").accepts(5, 6));
  EXPECT_FALSE(tolerance_for("atomicthr.s2.r1", "atomics/cycle").accepts(0.73, 0.91));
  EXPECT_FALSE(tolerance_for("volkov.mem.a0.w32", "groups/cycle/SM").accepts(0.051, 0.039));
}

TEST(Validate, GivesTheSameForAnyNumberOfJobs) {
  std::vector<Target> targets;
  for (const char* id : {"a", "b", "c", "d", "e"}) targets.push_back(target(id, 10, {1, 0}, id));
  auto run = [](const std::string& command) -> ProgramOutput { return {{{command, command[0] - 'a' + 9.0}}, ""}; };
  EXPECT_EQ(to_json(validate(targets, kGpu, run, 4)).dump(), to_json(validate(targets, kGpu, run, 1)).dump());
}

Validation three_rows() {
  auto run = [](const std::string&) -> ProgramOutput { return {{{"a.1", 20}, {"a.2", 10}, {"b", 10}}, ""}; };
  return validate({target("a.1", 10, {}), target("a.2", 10, {}), target("b", 10, {})}, kGpu, run);
}

TEST(KnownGaps, StayFailuresAndAreToldApartAndStaleOnesAreFound) {
  Validation validation = three_rows();
  KnownGap other = gap({{"g.a.1", 200}});
  other.gpu = "h";
  explain(validation, {gap({{"g.a.1", 100}}), gap({{"g.b", 5}}), other}, "g");
  EXPECT_EQ(validation.within(), 2u);
  EXPECT_EQ(validation.known_gaps(), 1u);
  EXPECT_FALSE(validation.all_within());
  EXPECT_EQ(validation.outcomes[0].known_gap, "why");
  EXPECT_EQ(validation.outcomes[1].known_gap, "");
  EXPECT_EQ(validation.stale_gaps, std::vector<std::string>{"g.b"});
  EXPECT_NE(to_text(validation, false).find("1 row with a known gap: why"), std::string::npos);
  EXPECT_EQ(summary(validation)["all"]["known_gaps"], 1);
}

TEST(KnownGaps, DoNotExplainMoreThanTheirBound) {
  Validation validation = three_rows();
  explain(validation, {gap({{"g.a.1", 99}})}, "g");
  EXPECT_EQ(validation.known_gaps(), 0u);
  EXPECT_EQ(validation.outcomes[0].exceeded, 99);
  EXPECT_NE(to_text(validation, false).find("g.a.1: the error of 100.0 % is beyond the 99 %"), std::string::npos);
}

TEST(KnownGaps, ContradictionsOfSourcesAreNoFailuresAndInNoMean) {
  Validation validation = three_rows();
  explain(validation, {gap({{"g.a.1", 100}}, KnownGap::Kind::contradiction)}, "g");
  EXPECT_TRUE(validation.all_within());
  EXPECT_EQ(validation.mape(), 0);
  EXPECT_EQ(validation.known_gaps(), 0u);
  EXPECT_EQ(validation.contradictions(), 1u);
  EXPECT_EQ(validation.score(Origin::predicted).rows, 2u);
  EXPECT_TRUE(summary(validation)["out_of_tolerance"].empty());
  const auto all = summary(validation)["all"];
  EXPECT_EQ(all["contradictions"], 1);
  EXPECT_FALSE(all.contains("known_gaps") || all.contains("echo")) << all << ": what is zero is left out";
  EXPECT_NE(to_text(validation, false).find("1 row on which sources contradict each other: why"), std::string::npos);
}

TEST(KnownGaps, RefuseWhatIsNoWholeIdOrComesTwice) {
  const TestFolder folder;
  for (const char* rows : {"{g.a.*: 5}", "{g.a: 0}", "{a: 5}", "{}", "{g.b: 5}"}) {
    std::ofstream(folder / "gaps.yaml") << "gaps:\n- {gpu: g, since: s, reason: r, rows: {g.b: 1}}\n"
                                        << "- {gpu: g, since: s, reason: r, rows: " << rows << "}\n";
    EXPECT_THROW(load_known_gaps(folder / "gaps.yaml"), InputError) << rows;
  }
}

TEST(KnownGaps, EveryRowIsATargetThatIsAnswered) {
  const std::string data = SASSIM_SOURCE_DIR "/validation/";
  std::set<std::string> ids;
  const auto add = [&](const std::vector<Target>& targets) {
    for (const Target& row : targets)
      if (row.reason.empty() && !row.full) ids.insert(row.id);
  };
  for (const char* gpu : {"t4", "v100", "h200"}) add(published_rows_of(gpu));
  for (const char* gpu : {"a40", "a100-pcie", "a100-80", "a100", "rtx3070"})
    add(load_published(data + "published/ampere.yaml.xz", gpu));
  add(load_published(data + "published/other.yaml.xz", "rtx4090"));
  for (const char* gpu : {"k80", "m60", "p100", "p4"})
    add(load_published(data + "published/citadel-older.yaml.xz", gpu));
  for (const char* gpu : {"8800gtx", "gtx480", "gtx680", "gtx980"})
    add(load_published(data + "published/volkov.yaml.xz", gpu));
  add(load_hardware(data + "measured/h200.json.xz", "h200"));
  for (const KnownGap& known : load_known_gaps(data + "known-gaps.yaml"))
    for (const auto& [id, bound] : known.rows) EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(KnownGaps, ThePageIsTheOneThatTheCommandWrites) {
  std::ifstream page(SASSIM_SOURCE_DIR "/validation/results/known-gaps.md");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(page), {}),
            known_gaps_page(load_known_gaps(SASSIM_SOURCE_DIR "/validation/known-gaps.yaml")));
}

TEST(Subsets, NameOnlyCommandsOfTargets) {
  std::vector<Target> targets;
  for (const char* gpu : {"t4", "v100", "h200"})
    for (Target& row : published_rows_of(gpu)) targets.push_back(row);
  for (Target& row : load_hardware(SASSIM_SOURCE_DIR "/validation/measured/h200.json.xz", "h200"))
    targets.push_back(row);
  for (const char* name : {"quick", "memory-mix"}) {
    for (const SubsetCommand& command : load_subset(SASSIM_SOURCE_DIR "/validation/subsets.yaml", name)) {
      EXPECT_TRUE(std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return command.runs_for(t); }))
          << command.command;
    }
  }
}

TEST(Subsets, RunAProgramInParts) {
  std::vector<Target> targets{target("mix.a1.w8", 10, {1, 0}, "mix"), target("mix.a1.w8.latency", 20, {1, 0}, "mix"),
                              target("mix.a1.w80", 30, {1, 0}, "mix"), target("alone", 40, {1, 0}, "other"),
                              target("lost", 40, {1, 0}, "another")};
  select(targets, {{"mix alpha=1 warps=8", "mix.a1.w8"}, {"other", ""}});
  std::vector<std::string> commands;
  for (const Target& row : targets) commands.push_back(row.benchmark);
  EXPECT_EQ(commands, (std::vector<std::string>{"mix alpha=1 warps=8", "mix alpha=1 warps=8", "other"}));
}

TEST(Subsets, SayWhatIsWrong) {
  const std::string path = testing::TempDir() + "/subsets.yaml";
  std::ofstream(path) << "one:\n- [a, b]\ntwo: word\n";
  EXPECT_THROW(load_subset(path, "one"), InputError);
  EXPECT_THROW(load_subset(path, "two"), InputError);
  EXPECT_THROW(load_subset(path, "three"), InputError);
}

}  // namespace
}  // namespace sassim::validate
