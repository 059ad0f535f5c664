// SPDX-License-Identifier: Apache-2.0
// Dependent-issue latencies of the V100 report (table 4.1) and the T4 report (table 6), from chains of instructions.
#include <gtest/gtest.h>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

struct Case {
  const char* sass;   ///< depends on itself
  const char* guard;  ///< makes the last clock depend on the result, where that is a predicate
  unsigned v100, t4;  ///< DSETP: the T4 report lists it at 5 as well
};

constexpr Case kCases[] = {
    {"IADD3 R4, R4, 0x1, RZ", "", 4, 4},
    {"SHF.L.U32 R4, R4, 0x1, RZ", "", 4, 4},
    {"LOP3.LUT R4, R4, R5, RZ, 0xc0, !PT", "", 4, 4},
    {"SEL R4, R4, R5, P0", "", 4, 4},
    {"MOV R4, R4", "", 4, 4},
    {"FADD R4, R4, R5", "", 4, 4},
    {"FFMA R4, R4, R5, R6", "", 4, 4},
    {"FMUL R4, R4, R5", "", 4, 4},
    {"ISETP.GE.AND P0, PT, R4, R5, P0", "@P0 ", 4, 4},
    {"FSET.BF.GE.AND R4, R4, R5, PT", "", 4, 4},
    {"FSETP.GE.AND P0, PT, R4, R5, P0", "@P0 ", 4, 4},
    {"IMAD R4, R4, R5, R6", "", 5, 5},
    {"FMNMX R4, R4, R5, PT", "", 5, 5},
    {"DSETP.GE.AND P0, PT, R4, R6, P0", "@P0 ", 5, 54},
    {"HADD2 R4, R4, R5", "", 6, 6},
    {"HMUL2 R4, R4, R5", "", 6, 6},
    {"HFMA2 R4, R4, R5, R6", "", 6, 6},
    {"DADD R4, R4, R6", "", 8, 48},
    {"DMUL R4, R4, R6", "", 8, 48},
    {"DFMA R4, R4, R6, R8", "", 8, 54},
    {"POPC R4, R4", "", 10, 15},
    {"FLO.U32 R4, R4", "", 14, 15},
    {"BREV R4, R4", "", 14, 15},
    {"MUFU.RSQ R4, R4", "", 14, 15},
};

std::uint64_t chain(const config::GpuConfig& config, const Case& c, int length) {
  std::string text = "CS2R R40, SR_CLOCKLO ;\n";
  for (int i = 0; i < length; ++i) text += std::string(c.sass) + " ;\n";
  text += std::string(c.guard) + "CS2R R4, SR_CLOCKLO ;\nEXIT ;\n";
  SassKernel kernel(text, config.arch);
  kernel.info().has_encodings = false;  // dependences by register
  const auto clocks = run_sm(config, kernel).clock_of(0);
  return clocks.at(1) - clocks.at(0);
}

TEST(Latency, V100Table41AndT4Table6) {
  for (const auto& [name, expected] : {std::pair{"v100", &Case::v100}, {"t4", &Case::t4}}) {
    const config::GpuConfig config = without_code_misses(name);
    for (const Case& c : kCases) {
      EXPECT_EQ(chain(config, c, 16) - chain(config, c, 8), 8u * (c.*expected)) << name << " " << c.sass;
    }
  }
}

// The published method for variable latency: the consumer waits for a counter between two clocks.
TEST(Latency, ByDependenceCounterBetweenTwoClocks) {
  for (const auto& [name, expected] : {std::pair{"v100", &Case::v100}, {"t4", &Case::t4}}) {
    const config::GpuConfig config = without_code_misses(name);
    for (const char* sass : {"MUFU.RSQ R4, R4", "POPC R4, R4", "FLO.U32 R4, R4"}) {
      const SmRun run = run_sm(config, SassKernel(std::string("B------:R-:W0:-:S02 ") + sass +
                                                      " ;\nB0-----:R-:W-:-:S04 IADD3 R5, R4, 0x1, RZ ;\nEXIT ;\n",
                                                  config.arch));
      for (const Case& c : kCases) {
        if (std::string(c.sass) != sass) continue;
        EXPECT_EQ(run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0), c.*expected) << name << " " << sass;
      }
    }
  }
}

}  // namespace
}  // namespace sassim::arch::test
