// SPDX-License-Identifier: Apache-2.0
// The bounds of chapter 3 of Volkov's dissertation: throughput worksheet and program execution graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/isa/assembly.h"
#include "sim/model/contention_fit.h"
#include "sim/model/execution_graph.h"
#include "sim/model/throughput_model.h"
#include "sim/model/worksheet.h"

namespace sassim::model {
namespace {

using ::testing::ElementsAre;

// Tables 3.2, 3.3 and 3.4. The printed 12.3 cycles per load are 12.308 before rounding, so its 61.5, 123.0 and 184.5
// cycles are 61.54, 123.08 and 184.62 here.
TEST(Worksheet, IsTable34) {
  InstructionCounts warp;
  warp.core = 100;
  warp.sfu = 5;
  warp.shared = warp.shared_two_way = 10;
  warp.memory = warp.memory_stride_two = 5;
  warp.dual_issues = 5;
  ASSERT_EQ(warp.total(), 135);
  const Worksheet sheet = throughput_worksheet({}, warp);

  EXPECT_DOUBLE_EQ(sheet.find("CUDA cores")->cycles(), 25);
  EXPECT_DOUBLE_EQ(sheet.find("SFU units")->cycles(), 5);
  const auto& banks = *sheet.find("Shared memory banks");
  EXPECT_DOUBLE_EQ(banks.uses[0].cycles(), 10);
  EXPECT_DOUBLE_EQ(banks.uses[1].cycles(), 20);
  EXPECT_DOUBLE_EQ(banks.cycles(), 30);
  const auto& memory = *sheet.find("Memory system");
  EXPECT_NEAR(memory.uses[0].cpi, 12.3, 0.05);
  EXPECT_NEAR(memory.uses[1].cpi, 24.6, 0.05);
  EXPECT_NEAR(memory.uses[0].cycles(), 61.5, 0.05);
  EXPECT_NEAR(memory.uses[1].cycles(), 123.0, 0.1);
  EXPECT_NEAR(memory.cycles(), 184.5, 0.15);
  const auto& scheduler = *sheet.find("Warp scheduler");
  EXPECT_DOUBLE_EQ(scheduler.uses[0].cycles(), 31.25);
  EXPECT_DOUBLE_EQ(scheduler.uses[1].cycles(), 1.25);
  EXPECT_DOUBLE_EQ(scheduler.uses[2].cycles(), 3.75);
  EXPECT_DOUBLE_EQ(scheduler.cycles(), 36.25);
  EXPECT_EQ(sheet.tightest().name, "Memory system");
  EXPECT_NEAR(sheet.warp_throughput(), 0.00542, 0.000005);
}

std::vector<isa::Decoded> decoded(std::string_view text) {
  std::vector<isa::Decoded> all;
  for (const isa::Instruction& instruction : isa::assemble(text)) all.push_back(isa::decode(instruction, 70));
  return all;
}

/// The Kepler GPU's latencies of section 3.8.
LatencyRules kepler() {
  LatencyRules rules;
  rules.dependence = [](const isa::Decoded& producer) { return producer.op == isa::OpClass::load ? 301.0 : 9.0; };
  rules.next_issue = [](const isa::Decoded&) { return 3.0; };
  rules.pairs = [](const isa::Decoded& first, const isa::Decoded& second) {
    return first.op != isa::OpClass::load || second.op != isa::OpClass::load;
  };
  rules.replacement = 201;
  return rules;
}

// Listing 3.5, with LEA, which does the same in today's instruction set, where Kepler had ISCADD.
constexpr std::string_view kVectorAdd = R"(
  MOV R1, c[0x0][0x44]
  S2R R3, SR_TID.X
  S2R R0, SR_CTAID.X
  IMAD R2, R0, c[0x0][0x28], R3
  LEA R3, R2, c[0x0][0x140], 0x2
  LEA R0, R2, c[0x0][0x144], 0x2
  LD R3, [R3]
  LD R0, [R0]
  LEA R2, R2, c[0x0][0x148], 0x2
  FADD R3, R3, R0
  ST [R2], R3
  EXIT
)";

// Section 3.8 and Figure 3.5: a longest path of 544 cycles, four dual issues, eight issues.
TEST(ExecutionGraph, VectorAddTakes544Cycles) {
  const std::vector<isa::Decoded> code = decoded(kVectorAdd);
  const ExecutionGraph graph(code, kepler());
  EXPECT_DOUBLE_EQ(graph.longest_path(), 544);
  EXPECT_EQ(graph.issues(), 8u);
  using Kind = ExecutionGraph::EdgeKind;
  double length = 0;
  std::vector<Kind> kinds;
  for (const auto& edge : graph.critical_path()) {
    length += edge.cycles;
    kinds.push_back(edge.kind);
  }
  EXPECT_DOUBLE_EQ(length, 544);
  EXPECT_EQ(kinds.back(), Kind::replacement);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::dependence), 5);  // S2R, IMAD, LEA, LD and FADD are waited for
}

// Section 3.8: 12 instructions less 4 dual issues at 1 issue per cycle and scheduler; 154 GB/s over 3 x 128 bytes per
// warp. The estimate is min(n x 6.35, 154) GB/s.
TEST(ExecutionGraph, VectorAddThroughput) {
  const ExecutionGraph graph(decoded(kVectorAdd), kepler());
  const double bytes_per_warp = 3 * 128, sms = 8, clock_ghz = 1.124;
  EXPECT_NEAR(bytes_per_warp * sms * clock_ghz / graph.longest_path(), 6.35, 0.005);
  EXPECT_NEAR(154 / (sms * clock_ghz) / bytes_per_warp, 0.0445, 0.0002);
  EXPECT_DOUBLE_EQ(4.0 / static_cast<double>(graph.issues()), 0.5);
}

// Listing 3.1: dependent instructions on Kepler issue at 0, 301, 325, 334 and 343.
TEST(ExecutionGraph, IssuesDependentInstructionsAsListing31) {
  LatencyRules rules = kepler();
  rules.dependence = [](const isa::Decoded& producer) {
    return producer.op == isa::OpClass::load ? 301.0 : producer.op == isa::OpClass::load_shared ? 24.0 : 9.0;
  };
  rules.replacement = 0;
  const ExecutionGraph graph(decoded("LD R1, [R1]\nLDS R1, [R1]\nFADD R1, R1, R2\nMUFU.RSQ R1, R1\nST [R3], R1\n"),
                             rules);
  EXPECT_THAT(graph.issue_times(), ElementsAre(0, 301, 325, 334, 343, 343));
}

// Listing 3.2: independent instructions on Fermi, adds 6 cycles apart and stores 34.
TEST(ExecutionGraph, IssuesIndependentInstructionsAsListing32) {
  LatencyRules rules;
  rules.dependence = [](const isa::Decoded&) { return 18.0; };
  rules.next_issue = [](const isa::Decoded& first) { return first.writes_memory ? 34.0 : 6.0; };
  EXPECT_THAT(ExecutionGraph(decoded("FADD R1, R1, R1\nFADD R2, R2, R2\nFADD R3, R3, R3\n"), rules).issue_times(),
              ElementsAre(0, 6, 12, 12));
  EXPECT_THAT(ExecutionGraph(decoded("ST [R1], R1\nST [R2], R2\nST [R3], R3\n"), rules).issue_times(),
              ElementsAre(0, 34, 68, 68));
}

TEST(ExecutionGraph, FollowsPredicates) {
  LatencyRules rules = kepler();
  rules.pairs = {};
  rules.replacement = 0;
  const ExecutionGraph graph(decoded("ISETP.EQ.AND P0, PT, R1, R2, PT\n@P0 FADD R3, R4, R5\n"), rules);
  EXPECT_THAT(graph.issue_times(), ElementsAre(0, 9, 9));
}

TEST(ExecutionGraph, NoInstructionsNoTime) { EXPECT_EQ(ExecutionGraph({}, kepler()).longest_path(), 0); }

TEST(ContentionFit, FindsTheCurveThatMadeThePoints) {
  const Contention made{300, 32, 170};
  std::vector<LatencySample> samples;
  for (double gbs = 4; gbs < 150; gbs += 10) samples.push_back({gbs, made.a + made.b * gbs / (made.c - gbs)});
  const Contention found = fit_contention(samples);
  EXPECT_NEAR(found.a, made.a, 0.5);
  EXPECT_NEAR(found.b, made.b, 0.5);
  EXPECT_NEAR(found.c, made.c, 0.5);
}

}  // namespace
}  // namespace sassim::model

// Huang et al. (2014) against sections 7.5 to 7.8 of Volkov's dissertation.
namespace sassim::model {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double ipc(const char* model, const HardwareParameters& gpu, const Mix& mix, double warps) {
  return make_model(model)->predict(gpu, mix, warps);
}
Mix loads_and(double alpha) { return {alpha, MixKind::mem, 1}; }

// Section 7.5: at full occupancy 48/513 IPC, or 252 GB/s, on Fermi with alpha 0; 341 adds per cycle on Maxwell with
// adds alone. Neither can be.
TEST(HuangRoundRobin, HasNoThroughputLimit) {
  const HardwareParameters& fermi = published_gpu("fermi");
  EXPECT_NEAR(memory_gbs(fermi, loads_and(0), ipc("huang-rr", fermi, loads_and(0), 48)), 252, 0.5);
  const HardwareParameters& maxwell = published_gpu("maxwell");
  EXPECT_NEAR(32 * ipc("huang-rr", maxwell, loads_and(kInfinite), 64), 341, 0.5);
}

// Section 7.5 quotes 115 adds per cycle at full occupancy on Kepler with alpha 32, for Huang's model and his own. That
// is 32 lanes times all instructions; by his own formula (32 alpha n / (mem_lat + alpha alu_lat)) the adds alone are
// 111.3.
TEST(HuangRoundRobin, AgreesWithVolkovWhereNothingSaturates) {
  const HardwareParameters& gpu = published_gpu("kepler");
  const double both = ipc("huang-rr", gpu, loads_and(32), 64);
  EXPECT_NEAR(32 * both, 115, 0.5);
  EXPECT_NEAR(adds_per_cycle(loads_and(32), both), 32 * 32 * 64 / (301.0 + 32 * 9), 1e-9);
  EXPECT_DOUBLE_EQ(both, ipc("volkov", gpu, loads_and(32), 64));
  EXPECT_DOUBLE_EQ(both, ipc("huang-gto", gpu, loads_and(32), 64));  // section 7.6: no difference between the policies
}

// Section 7.6: IPC = n / max(lat, (n - 1)(1 - 1 / lat) + 1) in both limits; with many warps of adds the issue rate is
// exceeded by 20 % on Maxwell and by 4 % with the paper's arithmetic latency of 25.
TEST(HuangGreedy, ExceedsTheIssueRate) {
  HardwareParameters gpu = published_gpu("maxwell");
  for (double n : {4.0, 20.0, 64.0}) {
    const double per_scheduler = n / 4;
    EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), n),
                4 * per_scheduler / std::max(6.0, (per_scheduler - 1) * (1 - 1 / 6.0) + 1), 1e-9);
    EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(0), n), n / 368, 1e-9);
  }
  EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), 1e6) / gpu.issue_rate, 1.20, 0.001);
  gpu.alu.latency = 25;
  EXPECT_NEAR(ipc("huang-gto", gpu, loads_and(kInfinite), 1e6) / gpu.issue_rate, 1.04, 0.002);
}

/// The synthetic processor of Huang et al., Table I: 16 cores at 1 GHz, 192 GB/s, 300 cycles.
HardwareParameters synthetic() {
  HardwareParameters gpu;
  gpu.sms = 16;
  gpu.clock_ghz = 1;
  gpu.issue_rate = 1;
  gpu.pin_gbs = 192;
  gpu.mem = {300, 1};
  gpu.alu = {25, 1};
  return gpu;
}

// Section 7.7: with 29 warps of loads, Bandwidth_delay is about -11 and CPI about -0.7; singular at 28.1 warps.
TEST(HuangBandwidth, GoesNegativeOnThePapersOwnProcessor) {
  const HardwareParameters gpu = synthetic();
  const double cpi = 1 / ipc("huang-rr-bw", gpu, loads_and(0), 29);
  EXPECT_NEAR(cpi - 300.0 / 29, -11, 0.5);
  EXPECT_NEAR(cpi, -0.7, 0.05);
  EXPECT_GT(ipc("huang-rr-bw", gpu, loads_and(0), 28.1), 0);
  EXPECT_LT(1 / ipc("huang-rr-bw", gpu, loads_and(0), 28.2), 0);
}

// Section 7.7: on Fermi with alpha 32 and 34 warps about -12 adds per cycle and SM, with both policies.
TEST(HuangBandwidth, GoesNegativeOnFermi) {
  const HardwareParameters& gpu = published_gpu("fermi");
  for (const char* model : {"huang-rr-bw", "huang-gto-bw"})
    EXPECT_NEAR(adds_per_cycle(loads_and(32), ipc(model, gpu, loads_and(32), 34)), -12, 0.5) << model;
}

// Section 7.8: stride-2 loads on Fermi with 17 warps: Bandwidth_delay about -120, CPI about -89, for both policies.
TEST(HuangBandwidth, GoesNegativeWithStrideTwo) {
  const HardwareParameters& gpu = published_gpu("fermi");
  const Mix stride_two{0, MixKind::mem, 2};
  for (const char* model : {"huang-rr-bw", "huang-gto-bw"}) {
    const double cpi = 1 / ipc(model, gpu, stride_two, 17);
    EXPECT_NEAR(cpi, -89, 0.5) << model;
    EXPECT_NEAR(cpi - 513.0 / 17, -120, 0.5) << model;
  }
}

}  // namespace
}  // namespace sassim::model
