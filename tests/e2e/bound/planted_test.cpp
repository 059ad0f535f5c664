// SPDX-License-Identifier: Apache-2.0
// Kernels with a known defect (tests/data/planted): the report names it, and removing it by --what-if helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "sim/change/change.h"
#include "sim/config/loader.h"
#include "sim/explore/what_if.h"
#include "sim/replay/run.h"
#include "sim/report/bound.h"
#include "sim/trace/open.h"

namespace sassim {
namespace {

struct Planted {
  const char* trace;
  report::Cause cause;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.trace; }

report::KernelReport simulate(const std::string& trace, const char* gpu, const std::vector<std::string>& overrides) {
  const std::string path = std::string(SASSIM_BINARY_DIR "/") + trace + ".sast";
  return replay::run(config::load_config(gpu, overrides), trace::open(path), {}).kernels.at(0);
}

double cycles_of(const report::KernelReport& kernel) { return kernel.metrics["gpc__cycles_elapsed.max"]; }

bool removes(report::Cause cause, const std::string& idealisation) {
  const auto& names = report::cause_row(cause).what_if;
  return std::find(names.begin(), names.end(), idealisation) != names.end();
}

class PlantedDefect : public testing::TestWithParam<Planted> {};

TEST_P(PlantedDefect, IsNamedAndWhatIfAgrees) {
  const std::string trace = std::string("tests/data/planted/") + GetParam().trace;
  const report::KernelReport kernel = simulate(trace, "t4", {});
  const report::Bound bound = report::find_bound(kernel);
  const report::CauseRow& expected = report::cause_row(GetParam().cause);
  EXPECT_EQ(report::cause_row(bound.cause).name, expected.name) << bound.sentence;
  // The size of the chip and the registers of the program help many kernels; they count only where they are the answer.
  std::map<std::string, double> recovered;
  for (const explore::Idealisation& what : explore::idealisations(config::load_config("t4"))) {
    if (!what.part && what.name != expected.what_if.front()) continue;
    recovered[what.name] = 1 - cycles_of(simulate(trace, "t4", what.overrides)) / cycles_of(kernel);
  }
  std::string all;
  double best = 0;
  for (const auto& [name, part] : recovered) {
    all += name + " " + std::to_string(part) + "\n";
    best = std::max(best, part);
  }
  EXPECT_GE(recovered[std::string(expected.what_if.front())], 0.2) << all;
  EXPECT_GE(recovered[std::string(expected.what_if.front())], best / 2) << all;
}

/// The same kernel without the defect (tests/data/planted/mended).
TEST_P(PlantedDefect, IsTheCauseThatWentWhereItIsMended) {
  const std::string folder = "tests/data/planted/", name = GetParam().trace;
  const change::Comparison comparison =
      change::compare({simulate(folder + name, "t4", {})}, {simulate(folder + "mended/" + name, "t4", {})}, {});
  ASSERT_EQ(comparison.kernels.size(), 1u);
  const change::KernelChange& kernel = comparison.kernels[0];
  EXPECT_LT(kernel.cycles.percent(), -10) << change::to_text(comparison, false);
  ASSERT_FALSE(kernel.causes.empty());
  EXPECT_EQ(report::cause_row(kernel.causes[0].cause).name, report::cause_row(GetParam().cause).name)
      << change::to_text(comparison, false);
  EXPECT_LT(kernel.causes[0].after, kernel.causes[0].before / 2);
}

struct Bundled {
  const char* gpu;
  const char* trace;
};

void PrintTo(const Bundled& bundled, std::ostream* out) { *out << bundled.gpu << " " << bundled.trace; }

class BundledTrace : public testing::TestWithParam<Bundled> {};

/// A few of the traces of validation/results/causes.md, which tools/lab/causes checks in the same way. They have
/// different first causes.
TEST_P(BundledTrace, HasTheFirstCauseThatWhatIfFinds) {
  constexpr double kLeast = 10, kNear = 5, kEstimate = 20;  // percent, and points
  const auto [gpu, trace] = GetParam();
  const report::KernelReport kernel = simulate(trace, gpu, {});
  const report::Bound bound = report::find_bound(kernel);
  double best = 0, own = 0;
  for (const explore::Idealisation& what : explore::idealisations(config::load_config(gpu))) {
    const bool of_cause = removes(bound.cause, what.name);
    if (!of_cause && !what.part) continue;
    const double gain = 100 * (1 - cycles_of(simulate(trace, gpu, what.overrides)) / cycles_of(kernel));
    best = std::max(best, gain);
    if (of_cause) own = std::max(own, gain);
  }
  EXPECT_GE(own, kLeast) << bound.sentence;
  EXPECT_GE(own, best - kNear) << bound.sentence;
  EXPECT_NEAR(bound.causes.at(0).gain, own, kEstimate) << bound.sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Subset, BundledTrace,
    testing::Values(Bundled{"t4", "traces/sm_75/scatter_add"}, Bundled{"v100", "traces/sm_70/histogram_shared"},
                    Bundled{"v100", "traces/sm_70/histogram_global"}, Bundled{"t4", "traces/sm_75/saxpy"},
                    Bundled{"v100", "traces/sm_70/mandelbrot"}, Bundled{"h200", "traces/sm_90/sgemm_naive"}),
    [](const auto& test) {
      const std::string trace = test.param.trace;
      return std::string(test.param.gpu) + "_" + trace.substr(trace.rfind('/') + 1);
    });

/// The page has every bundled trace, and what it says of them is good enough.
TEST(BundledTraces, AreAllOnThePageWithTheCausesThatWhatIfFinds) {
  std::ifstream in(SASSIM_SOURCE_DIR "/validation/results/causes.md");
  const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::size_t traces = 0, agree = 0;
  for (const auto& [arch, gpu] : {std::pair("sm_70", "v100"), std::pair("sm_75", "t4"), std::pair("sm_90", "h200")})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(SASSIM_BINARY_DIR "/traces/") + arch)) {
      const std::string row = std::string("\n| ") + gpu + " | " + entry.path().stem().string() + " | ";
      const std::size_t at = page.find(row);
      ASSERT_NE(at, std::string::npos) << "run tools/lab/causes: " << row;
      const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
      std::vector<std::string> cells;
      std::istringstream parts(line);
      for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
      ASSERT_EQ(cells.size(), 8u) << line;
      ++traces;
      agree += cells[6] == " yes " ? 1 : 0;
    }
  EXPECT_GE(static_cast<double>(agree), 0.95 * static_cast<double>(traces));
}

/// Those that are about one wait or phase leave nothing of it.
TEST(Idealisations, RemoveWhatTheyAreAbout) {
  const std::map<std::string, const char*> gone = {{"instant results", "sassim__warp_cycles_wait.sum"},
                                                   {"open barriers", "sassim__warp_cycles_barrier.sum"},
                                                   {"perfect constant cache", "sassim__warp_cycles_imc_miss.sum"},
                                                   {"no launch", "sassim__phase_launch.cycles"}};
  for (const char* gpu : {"t4", "h200"}) {
    const std::string trace =
        std::string("traces/") + (gpu == std::string("t4") ? "sm_75" : "sm_90") + "/bitonic_shared-2";
    const report::KernelReport kernel = simulate(trace, gpu, {});
    std::size_t found = 0;
    for (const explore::Idealisation& what : explore::idealisations(config::load_config(gpu))) {
      const auto metric = gone.find(what.name);
      if (metric == gone.end()) continue;
      ++found;
      EXPECT_GT(kernel.metrics[metric->second], 0) << what.name;
      const report::KernelReport without = simulate(trace, gpu, what.overrides);
      EXPECT_EQ(without.metrics[metric->second], 0) << what.name << " on " << gpu;
      EXPECT_EQ(without.warp_instructions, kernel.warp_instructions) << what.name << " on " << gpu;
    }
    EXPECT_EQ(found, gone.size());
  }
}

struct Said {
  const char* name;
  const char* trace;
  const char* gpu;
  const char* second;  ///< the end of the second sentence's beginning: what is named, and what warps wait for
};

void PrintTo(const Said& said, std::ostream* out) { *out << said.trace; }

class SecondSentence : public testing::TestWithParam<Said> {};

/// It names what the first sentence blames, and the instruction that the stalled line really waits for.
TEST_P(SecondSentence, FollowsFromTheCause) {
  const std::string path = std::string(SASSIM_BINARY_DIR "/") + GetParam().trace;
  const auto kernels = replay::run(config::load_config(GetParam().gpu), trace::open(path), {}).kernels;
  const report::Bound bound = report::find_bound(kernels.at(0));
  EXPECT_THAT(bound.where.sentence, testing::ContainsRegex(GetParam().second)) << bound.sentence;
  EXPECT_THAT(bound.sentence, testing::HasSubstr(bound.where.sentence));
}

#define PLANTED "tests/data/planted/"
INSTANTIATE_TEST_SUITE_P(
    All, SecondSentence,
    testing::Values(
        Said{"hot_atomics", PLANTED "hot_atomics.sast", "t4",
             "^All atomics come from 4 lines of RED.E.ADD.F32.*, such as 0090; warps wait [0-9]+ % of their cycles for "
             "them, longest at 00d0 EXIT .drain.$"},
        Said{"atomics_of_many_sectors", "traces/sm_70/histogram_global.sast", "v100",
             "^4 lines of RED.E.ADD.STRONG.GPU have all of the extra sectors, 01b0 the most, with 1[0-9].[0-9] sectors "
             "per "
             "request; warps wait [0-9]+ % of their cycles for them, longest at 01d0 EXIT .drain.$"},
        Said{"bank_conflicts", PLANTED "bank_conflicts.sast", "t4",
             "^8 lines of LDS.U have all of the extra passes, 0260 the most, with 32.0 passes per request; warps wait "
             "9[0-9] "
             "% of their cycles for them, longest at 0290 LDS.U"},
        Said{"uncoalesced", PLANTED "uncoalesced.sast", "t4",
             "^4 lines of LDG.E.SYS have all of the extra sectors, 0070 the most, with 32.0 sectors per request; warps "
             "wait [0-9]+ % of their cycles for them, longest at 0070 LDG.E.SYS R0, .R2. .lg_throttle.$"},
        Said{"scattered_stores", "traces/sm_75/transpose_naive-large.sast", "t4",
             "^4 lines of STG.E.SYS have all of the extra sectors.*for them, longest at 0190 EXIT .drain.$"},
        Said{"dram", PLANTED "dram.sast", "t4",
             "^Warps wait longest for LDG.E.128.SYS R8, .R2. at 0060: [0-9]+ % of their cycles, at 0080 FADD R8, R8, 1 "
             ".long_scoreboard.$"},
        Said{"fp64", PLANTED "fp64.sast", "t4",
             "^Warps wait longest for DFMA R8.* at 01c0: .*at 01d0 DFMA .*.short_scoreboard.; all such waits are "
             "9[0-9] %$"},
        Said{
            "latency", PLANTED "latency.sast", "t4",
            "^Warps wait longest for LDG.E.SYS R6, .R6. at 0140: .*at 0150 IMAD.WIDE .*; all such waits are 9[0-9] %$"},
        Said{"low_occupancy", PLANTED "low_occupancy.sast", "t4",
             "^Warps wait longest for LDG.E.SYS R195, .R8. at 10d0"},
        Said{"divergence", PLANTED "divergence.sast", "t4", "^Warps wait longest at 0b90 BSYNC B0: .*.wait.; all such"},
        Said{"instruction_cache", PLANTED "instruction_cache.sast", "t4",
             "^The 12037 instructions that it executes are 188.1 KiB of code$"},
        Said{"behind_the_launch", "traces/sm_75/sgemm_tiled.sast", "t4", "^Warps wait longest for LDG.E"}),
    [](const auto& test) { return test.param.name; });

using report::Cause;
INSTANTIATE_TEST_SUITE_P(
    All, PlantedDefect,
    testing::Values(Planted{"bank_conflicts", Cause::bank_conflicts}, Planted{"uncoalesced", Cause::uncoalesced},
                    Planted{"low_occupancy", Cause::occupancy}, Planted{"tail", Cause::tail},
                    Planted{"divergence", Cause::divergence}, Planted{"hot_atomics", Cause::atomics},
                    Planted{"dram", Cause::dram}, Planted{"latency", Cause::latency},
                    Planted{"instruction_cache", Cause::instruction_cache}, Planted{"fp64", Cause::fp64}),
    [](const auto& test) { return test.param.trace; });

}  // namespace
}  // namespace sassim
