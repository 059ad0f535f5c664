// SPDX-License-Identifier: Apache-2.0
// Kernels with a known defect (tests/data/planted): the report names it, and removing it by --what-if helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/config/loader.h"
#include "sim/report/bound.h"
#include "sim/study/run.h"
#include "sim/study/what_if.h"
#include "sim/trace/open.h"

namespace sassim {
namespace {

struct Planted {
  const char* trace;
  report::Cause cause;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.trace; }

report::KernelReport simulate(const std::string& trace, const std::vector<std::string>& overrides) {
  const std::string path = std::string(SASSIM_SOURCE_DIR) + "/tests/data/planted/" + trace + ".sast";
  return study::run(config::load_config("t4", overrides), trace::open(path), {}).kernels.at(0);
}

double cycles_of(const report::KernelReport& kernel) { return kernel.metrics["gpc__cycles_elapsed.max"]; }

class PlantedDefect : public testing::TestWithParam<Planted> {};

TEST_P(PlantedDefect, IsNamedAndWhatIfAgrees) {
  const report::KernelReport kernel = simulate(GetParam().trace, {});
  const report::Bound bound = report::find_bound(kernel);
  const report::CauseRow& expected = report::cause_row(GetParam().cause);
  EXPECT_EQ(report::cause_row(bound.cause).name, expected.name) << bound.sentence;
  // The size of the chip and the registers of the program help many kernels; they count only where they are the answer.
  const std::vector<std::string> not_parts = {"all of these", "double SMs", "no register limit"};
  std::map<std::string, double> recovered;
  for (const study::Idealisation& what : study::idealisations(config::load_config("t4"))) {
    const bool part = std::find(not_parts.begin(), not_parts.end(), what.name) == not_parts.end();
    if (!part && what.name != expected.what_if) continue;
    recovered[what.name] = 1 - cycles_of(simulate(GetParam().trace, what.overrides)) / cycles_of(kernel);
  }
  std::string all;
  double best = 0;
  for (const auto& [name, part] : recovered) {
    all += name + " " + std::to_string(part) + "\n";
    best = std::max(best, part);
  }
  if (expected.what_if.empty()) {  // no part of the hardware is to blame
    EXPECT_LT(best, 0.3) << all;
  } else {
    EXPECT_GE(recovered[std::string(expected.what_if)], 0.2) << all;
    EXPECT_GE(recovered[std::string(expected.what_if)], best / 2) << all;
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
  const std::string path = std::string(SASSIM_SOURCE_DIR "/") + GetParam().trace;
  const auto kernels = study::run(config::load_config(GetParam().gpu), trace::open(path), {}).kernels;
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
        Said{
            "atomics_that_drain", "traces/sm_70/histogram_global.sast", "v100",
            "^All atomics come from 4 lines of RED.E.ADD.STRONG.GPU, such as 0190; warps wait [0-9]+ % of their cycles "
            "for them, longest at 01d0 EXIT .drain.$"},
        Said{"bank_conflicts", PLANTED "bank_conflicts.sast", "t4",
             "^8 lines of LDS.U have all of the extra passes, 0260 the most, with 32.0 passes per request; warps wait "
             "9[0-9] "
             "% of their cycles for them, longest at 0290 LDS.U"},
        Said{"uncoalesced", PLANTED "uncoalesced.sast", "t4",
             "^4 lines of LDG.E.SYS have all of the extra sectors, 0070 the most, with 32.0 sectors per request; warps "
             "wait [0-9]+ % of their cycles for them, longest at 0070 LDG.E.SYS R0, .R2. .lg_throttle.$"},
        Said{"scattered_reductions", "traces/sm_75/scatter_add.sast", "t4",
             "^RED.E.ADD.STRONG.GPU .R4., R7 at 00b0 has all of the extra sectors, with 3[12].. sectors per request"},
        Said{"scattered_stores", "traces/sm_75/transpose_naive-large.sast", "t4",
             "^4 lines of STG.E.SYS have all of the extra sectors.*for them, longest at 0190 EXIT .drain.$"},
        Said{"dram", PLANTED "dram.sast", "t4",
             "^Warps wait longest for LDG.E.128.SYS R8, .R2. at 0060: 9[0-9] % of their cycles, at 0080 FADD R8, R8, 1 "
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
        Said{"tail", PLANTED "tail.sast", "t4", "^$"}, Said{"small_grid", "traces/sm_75/sgemm_tiled.sast", "t4", "^$"}),
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
