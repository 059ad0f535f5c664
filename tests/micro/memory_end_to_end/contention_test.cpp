// SPDX-License-Identifier: Apache-2.0
// The four scenarios of contention of the V100 report (figure 4.1) and the T4 report (figure 16): atomicAdd() without
// use of its result, by blocks of 1024 threads. The H200's rates are measured (validation/measured/h200.json.xz,
// atomic.*).
#include <gtest/gtest.h>

#include "tests/micro/memory_end_to_end/chase.h"

namespace sassim::arch::test {
namespace {

/// Atomic operations per cycle in the steady state; `word` says where a thread of a block adds.
double rate(const config::GpuConfig& config, std::uint32_t blocks,
            const std::function<std::uint64_t(std::uint64_t block, std::uint64_t thread)>& word,
            const char* operation = "RED.E.ADD.STRONG.GPU", LaneMask lanes = LaneMask::all()) {
  const auto cycles = [&](std::uint64_t rounds) {
    SassKernel kernel("loop:\nB------:R-:W-:-:S02 " + std::string(operation) +
                          " [R2.64], R8 ;\nB------:R-:W-:-:S05 @P0 BRA loop ;\nEXIT ;\n",
                      config.arch);
    kernel.loop("loop", rounds).warps(32).blocks(blocks).active([=](std::uint32_t) { return lanes; });
    kernel.addresses_by_block([&](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
      return 0x20000000 + 4 * word(block, warp * 32 + static_cast<std::uint64_t>(lane));
    });
    const auto source = kernel.source();
    Gpu gpu(config);
    return static_cast<double>(gpu.run(*source).cycles.value);
  };
  return 8.0 * 32 * lanes.count() * blocks / (cycles(12) - cycles(4));
}

struct Rates {
  double sequential, own_line, one_address, address_per_block, one_block;
};

/// As many SMs as there are blocks.
Rates rates(const char* name, std::uint32_t blocks) {
  const auto config = gpu_config(name, {"sm.count=" + std::to_string(blocks)});
  return {rate(config, 1, [](std::uint64_t, std::uint64_t thread) { return thread; }),
          rate(config, 1, [](std::uint64_t, std::uint64_t thread) { return thread * 32; }),
          rate(config, blocks, [](std::uint64_t, std::uint64_t) { return 0; }),
          rate(config, blocks, [](std::uint64_t block, std::uint64_t) { return block * 1024; }),
          rate(config, 1, [](std::uint64_t, std::uint64_t) { return 0; })};
}

TEST(EndToEndAtomics, TheFourScenariosOfContentionKeepTheirOrder) {
  for (const char* name : {"t4", "v100", "h200"}) {
    const Rates r = rates(name, 20);
    std::printf("%s: sequential %.2f, own line %.2f, one address %.2f, one per block %.2f, one block %.2f\n", name,
                r.sequential, r.own_line, r.one_address, r.address_per_block, r.one_block);
    EXPECT_GT(r.sequential, 2 * r.own_line) << name << ": scenario 1 without contention, against 2";
    EXPECT_GT(r.own_line, r.one_address) << name << ": all blocks on one address are slowest";
    EXPECT_GT(r.address_per_block, 5 * r.one_address) << name << ": blocks do not disturb each other";
    EXPECT_NEAR(r.one_address, r.one_block, 0.1 * r.one_block) << name << ": whatever the number of blocks";
  }
}

// One lane of each warp of all SMs on one word: measured 0.67 requests per cycle of whole numbers, 0.29 of
// floating-point numbers; a whole line of each warp on one line 0.21 of either (h200/waiting.md#reductions).
TEST(EndToEndAtomics, FloatingPointReductionsOfOneWordAreSlower) {
  const auto config = gpu_config("h200", {"sm.count=20"});
  const auto one_word = [](std::uint64_t, std::uint64_t) { return std::uint64_t{0}; };
  const auto one_line = [](std::uint64_t, std::uint64_t thread) { return thread % 32; };
  const char* const real = "RED.E.ADD.F32.FTZ.RN.STRONG.GPU";
  const double whole_word = rate(config, 20, one_word, "RED.E.ADD.STRONG.GPU", LaneMask{1});
  const double real_word = rate(config, 20, one_word, real, LaneMask{1});
  const double whole_line = rate(config, 20, one_line) / 32, real_line = rate(config, 20, one_line, real) / 32;
  EXPECT_NEAR(whole_word, 0.67, 0.25 * 0.67);
  EXPECT_NEAR(real_word, 0.29, 0.1 * 0.29);
  EXPECT_GT(whole_word, 1.7 * real_word);
  EXPECT_NEAR(whole_line, 0.21, 0.15 * 0.21);
  EXPECT_NEAR(real_line, 0.21, 0.15 * 0.21);
}

// Of one block, R threads add to one address and the others to addresses of their own.
TEST(EndToEndAtomics, TheMoreThreadsMeetTheSlower) {
  const auto config = gpu_config("v100", {"sm.count=1"});
  double before = 1e9;
  for (const std::uint64_t together : {1, 32, 256, 1024}) {
    const double now =
        rate(config, 1, [=](std::uint64_t, std::uint64_t thread) { return thread < together ? 0 : thread; });
    EXPECT_LE(now, 1.02 * before) << together;
    before = now;
  }
}

}  // namespace
}  // namespace sassim::arch::test
