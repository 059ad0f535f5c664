// SPDX-License-Identifier: Apache-2.0
// Peak rates per SM (CUDA guide, arithmetic throughput), Volkov's arithmetic case, schedulers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// Warp instructions per cycle of the lines [first, last) in the steady part of the run.
double steady_rate(const SmRun& run, std::uint32_t first, std::uint32_t last) {
  std::map<std::uint64_t, std::uint64_t> leaves;  // warp and thread block to its last issue of these lines
  for (const SmRun::Issue& issue : run.issues)
    if (issue.line >= first && issue.line < last) leaves[issue.block << 32 | issue.warp] = issue.cycle;
  std::uint64_t end = run.cycles.value;  // while all warps run
  for (const auto& [warp, cycle] : leaves) end = std::min(end, cycle);
  const std::uint64_t begin = end / 4;
  std::uint64_t count = 0;
  for (const SmRun::Issue& issue : run.issues)
    if (issue.line >= first && issue.line < last && issue.cycle >= begin && issue.cycle < end) ++count;
  return static_cast<double>(count) / static_cast<double>(end - begin);
}

struct Rate {
  const char* sass;
  unsigned per_lane;  ///< results per thread
  unsigned v100, t4, h200;
};

// Operands without bank conflicts: three different registers never are, with one port per bank.
constexpr Rate kRates[] = {
    {"HFMA2 R4, R20, R21, R20", 2, 128, 128, 128},  // an H200 has the guide's 256 with the next row's side by side
    {"HFMA2.MMA R4, R20, R21, R20", 2, 128, 128, 128},
    {"FFMA R4, R20, R21, R20", 1, 64, 64, 128},
    {"FADD R4, R20, R21", 1, 64, 64, 128},
    {"DFMA R4, R20, R22, R20", 1, 32, 2, 64},
    {"DADD R4, R20, R22", 1, 32, 2, 64},
    {"MUFU.RSQ R4, R20", 1, 16, 16, 16},
    {"IADD3 R4, R20, R21, RZ", 1, 64, 64, 64},
    {"ISETP.GE.AND P0, PT, R20, R21, PT", 1, 64, 64, 64},
    {"IMNMX R4, R20, R21, PT", 1, 64, 64, 64},
    {"IMAD R4, R20, R21, R22", 1, 64, 64, 64},
    {"SHF.L.U32 R4, R20, 0x1, RZ", 1, 64, 64, 64},
    {"LOP3.LUT R4, R20, R21, RZ, 0xc0, !PT", 1, 64, 64, 64},
    {"BREV R4, R20", 1, 16, 16, 16},
    {"POPC R4, R20", 1, 16, 16, 16},
    {"FLO.U32 R4, R20", 1, 16, 16, 16},
    {"SHFL.IDX PT, R4, R20, R21, 0x1f", 1, 32, 16 /* by the counters of a board; the guide says 32 */, 32},
    {"VOTE.ALL R4, PT, P0", 1, 64, 64, 64},
    {"F2I R4, R20", 1, 16, 16, 16 /* measured on an H200; the guide says 64 */},
    {"F2F.F32.F64 R4, R20", 1, 16, 2, 16},
};

TEST(PeakRates, EveryRowOfTheGuide) {
  for (const auto& [name, expected] : {std::pair{"v100", &Rate::v100}, {"t4", &Rate::t4}, {"h200", &Rate::h200}}) {
    const config::GpuConfig config = without_code_misses(name);
    for (const Rate& rate : kRates) {
      std::string text;
      for (int i = 0; i < 256; ++i) text += std::string(rate.sass) + " ;\n";
      SassKernel kernel(text + "EXIT ;\n", config.arch);
      kernel.warps(16);
      const double results = steady_rate(run_sm(config, kernel), 0, 256) * 32 * rate.per_lane;
      EXPECT_NEAR(results, rate.*expected, 0.01 * (rate.*expected)) << name << " " << rate.sass;
    }
  }
}

// Measured on an H200 (h200/instructions.md#instruction-latencies): what the guide has no row for. Conversions to 64
// bits take 9 cycles there and 8 in the model (known gaps).
TEST(PeakRates, OfAnH200sConversions) {
  const config::GpuConfig config = without_code_misses("h200");
  for (const auto& [sass, interval] : {std::pair{"F2F.F64.F32 R4, R20", 8},
                                       {"I2F.F64 R4, R20", 8},
                                       {"F2I.F64.TRUNC R4, R20", 8},
                                       {"HADD2.F32 R4, -RZ, R20.H0_H0", 2}}) {
    std::string text;
    for (int i = 0; i < 256; ++i) text += std::string(sass) + " ;\n";
    SassKernel kernel(text + "EXIT ;\n", config.arch);
    kernel.warps(16);
    EXPECT_NEAR(steady_rate(run_sm(config, kernel), 0, 256) * interval, 4, 0.05) << sass;
  }
}

// Multiply-adds of halves per SM and cycle. V100 and T4: 512 (CUDA guide, eight tensor cores of 64). H200: the data
// sheet's 2048 for warp groups; what a single warp's instructions reach is measured
// (h200/instructions.md#instruction-latencies).
TEST(PeakRates, TensorInstructionsByShape) {
  struct TensorRate {
    const char* config;
    const char* text;  ///< as compilers write it, four at a time
    unsigned multiply_adds;
    double expected;
  };
  constexpr TensorRate kTensorRates[] = {
      {"v100",
       "HMMA.884.F32.F32.STEP0 R32, R24.reuse.ROW, R28.reuse.COL, R32 ;\n"
       "HMMA.884.F32.F32.STEP1 R34, R24.reuse.ROW, R28.reuse.COL, R34 ;\n"
       "HMMA.884.F32.F32.STEP2 R8, R24.reuse.ROW, R28.reuse.COL, R8 ;\n"
       "HMMA.884.F32.F32.STEP3 R10, R24.ROW, R28.COL, R10 ;\n",
       256, 512},
      {"t4",
       "HMMA.1688.F32 R16, R6, R10.reuse, R16 ;\nHMMA.1688.F32 R20, R6, R10, R20 ;\n"
       "HMMA.1688.F32 R16, R4, R12.reuse, R16 ;\nHMMA.1688.F32 R20, R4, R12, R20 ;\n",
       1024, 512},
      {"h200",
       "HMMA.16816.F32 R8, R4, R18, R8 ;\nHMMA.16816.F32 R12, R4, R16, R12 ;\n"
       "HMMA.16816.F32 R8, R4, R18, R8 ;\nHMMA.16816.F32 R12, R4, R16, R12 ;\n",
       2048, 2048 * 4 / 6.0},
      {"h200",
       "HMMA.1688.F32 R8, R4, R18, R8 ;\nHMMA.1688.F32 R12, R4, R16, R12 ;\n"
       "HMMA.1688.F32 R8, R4, R18, R8 ;\nHMMA.1688.F32 R12, R4, R16, R12 ;\n",
       1024, 1024 * 4 / 4.0},
  };
  for (const TensorRate& rate : kTensorRates) {
    const config::GpuConfig config = without_code_misses(rate.config);
    std::string text;
    for (int i = 0; i < 32; ++i) text += rate.text;
    SassKernel kernel(text + "EXIT ;\n", config.arch);
    kernel.warps(16);
    EXPECT_NEAR(steady_rate(run_sm(config, kernel), 0, 128) * rate.multiply_adds, rate.expected, 0.01 * rate.expected)
        << rate.config << " " << rate.text;
  }
}

// min(n / latency, peak) for each processing block's warps.
TEST(Volkov, ArithmeticFollowsLatencyThenThroughput) {
  struct Kind {
    const char* sass;
    isa::OpClass op;
    double interval;
  };
  const config::GpuConfig config = without_code_misses("v100");
  for (const Kind& kind :
       {Kind{"FADD R4, R4, R5", isa::OpClass::fp32, 2}, {"MUFU.RSQ R4, R4", isa::OpClass::mufu, 8}}) {
    const double latency = config.sm.pipes.ops[static_cast<std::size_t>(kind.op)].latency;
    for (std::uint32_t warps = 1; warps <= 64; ++warps) {
      std::string text;
      for (int i = 0; i < 200; ++i) text += std::string(kind.sass) + " ;\n";
      SassKernel kernel(text + "EXIT ;\n", 70);
      kernel.info().has_encodings = false;
      kernel.blocks(warps);
      double expected = 0;
      for (std::uint32_t block = 0; block < 4; ++block) {
        const std::uint32_t warps_of_block = (warps + 3 - block) / 4;
        expected += std::min(warps_of_block / latency, 1 / kind.interval);
      }
      EXPECT_NEAR(steady_rate(run_sm(config, kernel), 0, 200), expected, 0.02 * expected)
          << kind.sass << " " << warps << " warps";
    }
  }
}

// The same for loads from shared memory: an SM takes one per cycle (V100) or every two (T4), each block one every four.
TEST(Volkov, SharedLoadsFollowLatencyThenThroughput) {
  for (const auto& [name, interval] : {std::pair{"v100", 1.0}, {"t4", 2.0}}) {
    const config::GpuConfig config = without_code_misses(name);
    const double latency = config.sm.shared.latency;
    for (std::uint32_t warps = 1; warps <= config.sm.occupancy.warps; ++warps) {
      std::string text;
      for (int i = 0; i < 200; ++i) text += "B0-----:R-:W0:-:S02 LDS R2, [R2] ;\n";
      SassKernel kernel(text + "B0-----:R-:W-:-:S05 EXIT ;\n", config.arch);
      kernel.warps(1).blocks(warps);
      double expected = 0;
      for (std::uint32_t block = 0; block < 4; ++block) {
        const std::uint32_t warps_of_block = (warps + 3 - block) / 4;
        expected += std::min(warps_of_block / latency, 1.0 / config.sm.memory_io.address_interval);
      }
      expected = std::min(expected, 1 / interval);
      EXPECT_NEAR(steady_rate(run_sm_with_memory(config, kernel), 0, 200), expected, 0.02 * expected)
          << name << " " << warps << " warps";
    }
  }
}

/// Shuffles and loads from shared memory take turns at the one array of an H200: together one per cycle. Where shuffles
/// have a pipe of their own, each kind has its rate.
TEST(PeakRates, ShufflesTakePassesOfTheDataStage) {
  std::string text;
  for (int i = 0; i < 128; ++i)
    text += "B------:R-:W0:-:S01 LDS R4, [R2] ;\nB------:R-:W1:-:S01 SHFL.IDX PT, R5, R20, R21, 0x1f ;\n";
  for (const auto& [name, expected] : {std::pair{"h200", 1.0}, {"v100", 2.0}}) {
    const config::GpuConfig config = without_code_misses(name);
    SassKernel kernel(text + "B01----:R-:W-:-:S05 EXIT ;\n", config.arch);
    kernel.warps(16);
    const SmRun run = run_sm_with_memory(config, kernel);
    EXPECT_NEAR(steady_rate(run, 0, 256), expected, 0.03 * expected) << name;
  }
}

/// GFLOPS of two warps in a loop of `length` FFMA.
double ffma_pair(const config::GpuConfig& config, int length, std::uint32_t a, std::uint32_t b) {
  std::string body;
  for (int i = 0; i < length; ++i)
    body +=
        "B------:R-:W-:-:S02 FFMA R" + std::to_string(4 + i % 8) + ", R20, R21, R" + std::to_string(4 + i % 8) + " ;\n";
  SassKernel kernel("loop:\n" + body +
                        "B------:R-:W-:-:S02 IMAD.MOV.U32 R30, RZ, RZ, R31 ;\nB------:R-:W-:-:S04 IADD3 R0, R0, 0x1, "
                        "RZ ;\nB------:R-:W-:Y:S13 ISETP.GE.AND P0, PT, R0, R1, PT ;\n"
                        "B------:R-:W-:-:S05 @P0 BRA loop ;\nidle:\nEXIT ;\n",
                    config.arch);
  kernel.warps(8).loop("loop", 40).entry([=](std::uint32_t warp) { return warp == a || warp == b ? "" : "idle"; });
  const double rate = steady_rate(run_sm(config, kernel), 0, length);
  return rate * 64 * static_cast<double>(config.clock.sm) / 1e9;
}

// Table 1 of the T4 report, table 2.1 of the V100 report. They do not print their loops, of which one warp alone
// reaches three quarters of its scheduler's rate: those here are as long as the end of a loop asks for that.
TEST(Schedulers, WarpsWithEqualNumbersModulo4ShareOne) {
  struct Expected {
    const char* name;
    int length;
    double same, other;
  };
  for (const Expected& e : {Expected{"v100", 40, 42.1, 66.0}, {"t4", 40, 47.2, 72.8}}) {
    const config::GpuConfig config = without_code_misses(e.name);
    for (std::uint32_t a = 0; a < 4; ++a)
      for (std::uint32_t b = 4; b < 8; ++b) {
        const double expected = a == b % 4 ? e.same : e.other;
        EXPECT_NEAR(ffma_pair(config, e.length, a, b), expected, 0.05 * expected)
            << e.name << " warps " << a << " and " << b;
      }
    EXPECT_NEAR(ffma_pair(config, e.length, 0, 4) / ffma_pair(config, e.length, 0, 5), 0.64, 0.03) << e.name;
  }
}

// FFMA R6, R97, R99, RX against FFMA R6, R98, R99, RX: only three sources in one bank cost anything.
TEST(RegisterBanks, OnlyThreeSourcesInOneBankConflict) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = without_code_misses(name);
    const auto cpi = [&](const std::string& first, int x) {
      std::string text;
      for (int i = 0; i < 256; ++i) text += "FFMA R6, " + first + ", R99, R" + std::to_string(x) + " ;\n";
      SassKernel kernel(text + "EXIT ;\n", config.arch);
      kernel.registers(104);
      return 1 / steady_rate(run_sm(config, kernel), 0, 256);
    };
    for (int x = 20; x < 26; ++x) {
      EXPECT_NEAR(cpi("R97", x), x % 2 == 1 ? 3.0 : 2.0, 0.02) << name << " R" << x;
      EXPECT_NEAR(cpi("R98", x), 2.0, 0.02) << name << " R" << x;
    }
  }
}

// A MUFU reads its register through the ports of the FFMA behind it, a cycle later for each bank that both want (H200:
// 16.25 cycles for one and 14 others, 15.25 where the banks differ; a store's two even registers two cycles).
TEST(RegisterBanks, InstructionsForTheQueuesTakePortsFromWhatFollows) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](const std::string& queued) {
    std::string text;
    for (int group = 0; group < 16; ++group) {
      text += "NOP ;\n" + queued + " ;\n";
      for (int i = 0; i < 13; ++i) text += "FFMA R" + std::to_string(50 + i % 4) + ", R44, RZ, RZ ;\n";
    }
    SassKernel kernel(text + "EXIT ;\n", config.arch);
    kernel.registers(64);
    return 15 / steady_rate(run_sm(config, kernel), 0, 225);
  };
  EXPECT_NEAR(cycles("MUFU.EX2 R20, R41"), 15, 0.1);
  EXPECT_NEAR(cycles("MUFU.EX2 R20, R40"), 16, 0.1);
  EXPECT_NEAR(cycles("POPC R20, R40"), 16, 0.1);
}

}  // namespace
}  // namespace sassim::arch::test
