// SPDX-License-Identifier: Apache-2.0
// Instruction and constant caches of one SM: plateaus over code size, misses at issue.
#include <gtest/gtest.h>

#include "tests/micro/sm/whole_gpu.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig with_fixed_memory(const char* name) {
  return config::load_config(std::string(SASSIM_SOURCE_DIR "/configs/chips/") + name + ".yaml",
                             {"memory.fixed_latency=200"});
}

/// Cycles per instruction of the last pass over `bytes` of NOPs.
double cpi(const config::GpuConfig& config, std::uint64_t bytes) {
  SassKernel kernel("loop:\nCS2R R2, SR_CLOCKLO ;\n" + nops(bytes) + "CS2R R4, SR_CLOCKLO ;\n@P0 BRA loop ;\nEXIT ;\n",
                    config.arch);
  kernel.loop("loop", 3);
  const auto clocks = run_sm(config, kernel).clock_of(0);
  return static_cast<double>(clocks.at(5) - clocks.at(4)) / static_cast<double>(isa::CodeLayout().index(bytes));
}

TEST(InstructionCaches, PlateausAtTheSizesOfL0AndL1) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = with_fixed_memory(name);
    const auto& front = config.sm.front_end;
    const double in_l0 = cpi(config, front.l0.size / 2);
    const double in_l1 = cpi(config, front.l0.size * 3 / 2);
    const double in_l2 = cpi(config, front.l1.size * 3 / 2);
    EXPECT_NEAR(cpi(config, front.l0.size * 3 / 4), in_l0, 0.05) << name;
    EXPECT_GT(in_l1, 1.3 * in_l0) << name;
    EXPECT_NEAR(cpi(config, front.l1.size * 3 / 4), in_l1, 0.15 * in_l1) << name;
    EXPECT_GT(in_l2, 1.3 * in_l1) << name;
    std::printf("%s CPI: L0 %.2f, L1 %.2f, L2 %.2f\n", name, in_l0, in_l1, in_l2);
  }
}

TEST(ConstantCaches, AMissAtIssueCostsTheWayToTheL15) {
  config::GpuConfig config = with_fixed_memory("ampere-test");
  config.sm.front_end.perfect = true;
  // The second operand's line (64 bytes on) was brought into the L1.5 with its neighbours by the first.
  SassKernel kernel(
      "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x180] ;\nB------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x180] ;\n"
      "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x1c0] ;\nB------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x1c4] ;\nEXIT ;\n",
      86);
  const SmRun run = run_sm(config, kernel);
  const auto at = [&](std::uint32_t line) { return run.issues_of(0, line).at(0); };
  EXPECT_EQ(at(1) - at(0), 4u);
  EXPECT_EQ(at(2) - at(1), 4u + config.sm.constant.fixed_miss_latency);
  EXPECT_EQ(at(3) - at(2), 4u);
  EXPECT_GT(run.warp_reason(StallReason::imc_miss), std::uint64_t{config.sm.constant.fixed_miss_latency});
}

TEST(ConstantCaches, CodeEvictsConstantsFromTheSharedL15) {
  const config::GpuConfig config = with_fixed_memory("t4");
  // Constants that only the L1.5 holds are scanned again after code of growing length.
  const auto misses = [&](std::uint64_t code) {
    std::string scan;
    for (int i = 0; i < 128; ++i) scan += "FADD R4, R5, c[0x3][" + std::to_string(64 * i) + "] ;\n";
    SassKernel kernel("loop:\n" + scan + nops(code) + "@P0 BRA loop ;\nEXIT ;\n", config.arch);
    kernel.loop("loop", 3);
    return run_sm(config, kernel).metrics["sassim__const_l15_misses.sum"];
  };
  const double cold = misses(1024);
  EXPECT_LE(misses(8 * 1024), 1.05 * cold);
  EXPECT_GT(misses(config.sm.front_end.l1.size), 2 * cold);
}

// Constant memory as the reports measure it with loads that depend on each other: latencies of the levels, plateaus
// over the array's size, the cost of distinct addresses, and the L1.5 that is also the L1 instruction cache.

constexpr std::uint64_t kBank = 3ull << 32;  // __constant__ arrays, which no launch brings near

const char* const kLoad = "B0-----:R-:W0:-:S02 LDC R2, c[0x3][R2] ;\n";

/// Cycles per load of the last of `passes` over `bytes`, one load each `stride`.
double chase_constants(const config::GpuConfig& config, std::uint64_t bytes, std::uint64_t stride, std::uint64_t passes,
                       int runs = 1) {
  const std::uint64_t loads = bytes / stride;
  SassKernel kernel(std::string("loop:\n") + kLoad + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT ;\n",
                    config.arch);
  kernel.loop("loop", loads * passes + 1);
  kernel.addresses([=](std::uint32_t, std::uint32_t, std::uint64_t i, int) { return kBank + i % loads * stride; });
  const IssueLog log = run_gpu(config, kernel, runs);
  const auto& at = log.of(0, 0, 0);
  return static_cast<double>(at[loads * passes] - at[loads * (passes - 1)]) / static_cast<double>(loads);
}

config::GpuConfig one_sm(const char* name) { return load(name, {"sm.count=1"}); }

TEST(ConstantMemory, LatencyOfEachLevel) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = one_sm(name);
    const auto& c = config.sm.constant;
    EXPECT_EQ(chase_constants(config, c.variable.size / 2, 64, 3), c.ldc_latency) << name;
    EXPECT_EQ(chase_constants(config, 8 * c.variable.size, 64, 3), c.l15_latency) << name;
  }
  // V100 report, table 3.1: 27, 89 and 245 cycles. A launch leaves the L2 as it was: the second finds the array there.
  EXPECT_EQ(one_sm("v100").sm.constant.ldc_latency, 27u);
  EXPECT_EQ(one_sm("v100").sm.constant.l15_latency, 89u);
  EXPECT_NEAR(chase_constants(one_sm("v100"), 16384, 512, 1, 2), 245, 0.03 * 245);
}

TEST(ConstantMemory, PlateausOverTheSizeOfTheArray) {
  for (const char* name : {"v100", "t4"}) {
    const config::GpuConfig config = one_sm(name);
    const auto& c = config.sm.constant;
    const std::uint64_t l1 = c.variable.size;
    for (const std::uint64_t bytes : {l1 / 4, l1 / 2, l1})
      EXPECT_EQ(chase_constants(config, bytes, 64, 3), c.ldc_latency) << name << " " << bytes;
    EXPECT_GT(chase_constants(config, l1 + l1 / 8, 64, 3), c.ldc_latency + 1) << name;
    for (const std::uint64_t bytes : {2 * l1, 4 * l1, 8 * l1, config.sm.front_end.l1.size / 2})
      if (bytes <= 65536) {  // a bank holds no more
        EXPECT_EQ(chase_constants(config, bytes, 64, 3), c.l15_latency) << name << " " << bytes;
      }
  }
  // 64 KiB do not fit the T4's 46 KiB.
  EXPECT_GT(chase_constants(one_sm("t4"), 65536, 64, 3), one_sm("t4").sm.constant.l15_latency + 10);
}

TEST(ConstantMemory, DistinctAddressesAreServedOneAfterTheOther) {
  for (const char* name : {"v100", "t4", "h200"}) {
    const config::GpuConfig config = one_sm(name);
    const auto latency = [&](int distinct) {
      SassKernel kernel(
          std::string("loop:\n") + kLoad + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB0-----:R-:W-:-:S05 EXIT ;\n",
          config.arch);
      kernel.loop("loop", 12).addresses([=](std::uint32_t, std::uint32_t, std::uint64_t, int lane) {
        return kBank + static_cast<std::uint64_t>(lane % distinct * 4);
      });
      const IssueLog log = run_gpu(config, kernel);
      const auto& at = log.of(0, 0, 0);
      return at[11] - at[10];
    };
    for (const int distinct : {1, 2, 4, 8, 16, 32})
      EXPECT_EQ(latency(distinct), config.sm.constant.ldc_latency + (distinct - 1) * config.sm.constant.ldc_pass)
          << name << " " << distinct;
  }
}

// Figure 9 of the T4 report: a scan of constants is warmed up, then FFMAs of growing length run, then the scan is
// timed. Misses rise from none to all.
TEST(ConstantMemory, CodeEvictsConstantsFromTheL15) {
  const config::GpuConfig config = one_sm("t4");
  constexpr std::uint64_t kArray = 16384, kLoads = kArray / 64;
  const auto scan_cycles = [&](std::uint64_t code) {
    std::string ffmas;
    for (std::uint64_t i = 0; i < isa::CodeLayout().index(code); ++i)
      ffmas += "B------:R-:W-:-:S02 FFMA R" + std::to_string(4 + i % 8) + ", R20, R21, R22 ;\n";
    SassKernel kernel("again:\nNOP ;\nscan:\n" + std::string(kLoad) + "B------:R-:W-:-:S05 @P0 BRA scan ;\n" + ffmas +
                          "B0-----:R-:W-:-:S05 @P0 BRA again ;\nEXIT ;\n",
                      config.arch);
    kernel.loop("scan", kLoads).loop("again", 3);
    kernel.addresses([=](std::uint32_t, std::uint32_t, std::uint64_t i, int) { return kBank + i % kLoads * 64; });
    const IssueLog log = run_gpu(config, kernel);
    const auto& at = log.of(0, 0, 1);
    return static_cast<double>(at[3 * kLoads - 1] - at[2 * kLoads]) / static_cast<double>(kLoads - 1);
  };
  const double hit = config.sm.constant.l15_latency;
  const std::uint64_t room = config.sm.front_end.l1.size - kArray;
  EXPECT_NEAR(scan_cycles(room / 4), hit, 0.05 * hit);
  EXPECT_NEAR(scan_cycles(room * 7 / 10), hit, 0.05 * hit);
  const double some = scan_cycles(room + kArray / 8), all = scan_cycles(3 * config.sm.front_end.l1.size);
  EXPECT_GT(some, 1.1 * hit);
  EXPECT_GT(all, 1.1 * some);
  EXPECT_NEAR(scan_cycles(4 * config.sm.front_end.l1.size), all, 0.05 * all);
}

// Figure 8 of the T4 report: an aggressor runs through more and more code; a victim, on another processing block or on
// another SM, repeats a sequence of one length. Where the victim slows down, the two share the cache that the aggressor
// fills. (In the report the aggressor also runs the victim's sequence; here its own is timed instead.)

struct Cpi {
  double aggressor, victim;
};

enum class Where { other_block, other_sm };

/// Of passes that begin when both have made one, and end before either has made its last.
double mean_cpi(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to, std::uint64_t begin,
                std::uint64_t end, std::uint64_t instructions) {
  double sum = 0, passes = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] >= begin && to[i] <= end) {
      sum += static_cast<double>(to[i] - from[i]);
      ++passes;
    }
  EXPECT_GT(passes, 0);
  return sum / passes / static_cast<double>(instructions - 1);
}

Cpi run_both(const config::GpuConfig& config, std::uint64_t victim, std::uint64_t aggressor, Where where) {
  const std::uint64_t n = isa::CodeLayout().index(victim), m = isa::CodeLayout().index(aggressor);
  // Enough of both for some to overlap, whatever they cost.
  const std::uint64_t passes = 4 + 12 * victim / aggressor, victim_passes = 4 + passes * 4 * aggressor / victim;
  SassKernel kernel("aggressor:\n" + nops(aggressor) + "@P0 BRA aggressor ;\nEXIT ;\nvictim:\n" + nops(victim) +
                        "@P0 BRA victim ;\nidle:\nEXIT ;\n",
                    config.arch);
  kernel.loop("aggressor", passes).loop("victim", victim_passes);
  if (where == Where::other_block)
    kernel.warps(4).entry([](std::uint32_t w) { return w == 0 ? "aggressor" : w == 1 ? "victim" : "idle"; });
  else
    kernel.blocks(2).entry_by_block([](std::uint64_t b, std::uint32_t) { return b == 0 ? "aggressor" : "victim"; });
  const IssueLog log = run_gpu(config, kernel);
  const std::uint64_t block = where == Where::other_sm ? 1 : 0;
  const std::uint32_t warp = where == Where::other_block ? 1 : 0;
  EXPECT_EQ(log.sm_of(0) == log.sm_of(block), where == Where::other_block);
  const std::uint32_t line = kernel.line_of("victim");
  const auto &a_from = log.of(0, 0, 0), &a_to = log.of(0, 0, static_cast<std::uint32_t>(m) - 1);
  const auto &v_from = log.of(block, warp, line), &v_to = log.of(block, warp, line + static_cast<std::uint32_t>(n) - 1);
  const std::uint64_t begin = std::max(a_to[0], v_to[0]), end = std::min(a_to.back(), v_to.back());
  return {mean_cpi(a_from, a_to, begin, end, m), mean_cpi(v_from, v_to, begin, end, n)};
}

config::GpuConfig two_sms(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), "sm.count=2");
  return load("t4", overrides);
}

constexpr double kUnaffected = 1.05;

/// A victim of three quarters of the L1, beside an aggressor with little code and with three times the L1's.
std::pair<Cpi, Cpi> around_the_l1(Where where) {
  const config::GpuConfig config = two_sms();
  const std::uint64_t l1 = config.sm.front_end.l1.size, victim = l1 * 3 / 4 / 128 * 128;
  const auto both = std::pair(run_both(config, victim, 1024, where), run_both(config, victim, 3 * l1, where));
  EXPECT_GT(both.second.aggressor, 1.3 * both.first.aggressor);
  return both;
}

TEST(InstructionSharing, EachProcessingBlockHasItsOwnL0) {
  const config::GpuConfig config = two_sms();
  const std::uint64_t l0 = config.sm.front_end.l0.size, victim = l0 * 3 / 4;
  const Cpi calm = run_both(config, victim, l0 / 2, Where::other_block);
  const Cpi cpi = run_both(config, victim, 3 * l0 / 2, Where::other_block);
  EXPECT_GT(cpi.aggressor, 1.3 * calm.aggressor);
  EXPECT_LT(cpi.victim, kUnaffected * calm.victim);
}

TEST(InstructionSharing, ProcessingBlocksShareTheL1) {
  const auto [calm, cpi] = around_the_l1(Where::other_block);
  EXPECT_GT(cpi.victim, 1.2 * calm.victim);
}

TEST(InstructionSharing, EachSmHasItsOwnL1) {
  const auto [calm, cpi] = around_the_l1(Where::other_sm);
  EXPECT_LT(cpi.victim, kUnaffected * calm.victim);
}

// With a smaller L2, to save time.
TEST(InstructionSharing, SmsShareTheL2) {
  const config::GpuConfig config = two_sms({"memory.l2.size=128KiB", "memory.l2.slices=8"});
  const std::uint64_t l2 = config.memory.l2.size, victim = l2 * 3 / 4;
  const Cpi calm = run_both(config, victim, 16384, Where::other_sm);
  const Cpi cpi = run_both(config, victim, 3 * l2, Where::other_sm);
  EXPECT_GT(cpi.aggressor, 1.3 * calm.aggressor);
  EXPECT_GT(cpi.victim, 1.2 * calm.victim);
}

}  // namespace
}  // namespace sassim::arch::test
