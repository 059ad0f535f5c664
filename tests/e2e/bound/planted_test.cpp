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
