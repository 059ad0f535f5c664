// SPDX-License-Identifier: Apache-2.0
// Compare-and-swap loops: do warps get into each other's way as often as their clocks say?
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/emu/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

class CountAt : public Recorder {
 public:
  explicit CountAt(std::uint32_t index) : index_(index) {}
  void step(BlockId, std::uint32_t, const trace::Step& step) override { count += step.index == index_; }
  std::uint64_t count = 0;

 private:
  std::uint32_t index_;
};

struct Loop {
  std::string code;
  std::uint32_t swap;  ///< index of the compare-and-swap
};

/// Lane 0 of each warp adds one: read, add, swap, again if another was faster.
Loop adds(const std::string& load, const std::string& swap) {
  return {R"(
  B------:R-:W-:-:S04 S2R R0, SR_LANEID
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R0, RZ, PT
  B------:R-:W-:-:S04 @P0 BRA done
again:
  B------:R-:W0:-:S01 )" +
              load +
              R"(
  B0-----:R-:W-:-:S04 IADD3 R5, R4, 0x1, RZ
  B------:R-:W1:-:S01 )" +
              swap + R"(
  B-1----:R-:W-:-:S04 ISETP.NE.AND P1, PT, R6, R4, PT
  B------:R-:W-:-:S05 @P1 BRA again
done:
  B------:R-:W-:-:S05 EXIT
)",
          7};
}

const Loop kShared = adds("LDS R4, [RZ]", "ATOMS.CAS R6, [RZ], R4, R5");
const Loop kGlobal = adds("LDG.E.STRONG.SYS R4, [R2]", "ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R4, R5");

struct Tries {
  std::uint64_t swaps = 0;
  std::uint32_t sum = 0;
};

Tries run_loop(const Loop& loop, std::uint32_t blocks, std::uint32_t warps) {
  const auto kernel = make_kernel("adds", 70, isa::assemble(loop.code), 8);
  DeviceMemory memory;
  const std::uint64_t word = memory.allocate(4);
  LaunchConfig launch{.grid = {blocks}, .block = {32 * warps}, .dynamic_shared = 128};
  launch.params = pack(word);
  launch.max_instructions = 10'000'000;
  CountAt count(loop.swap);
  run(*kernel, launch, memory, {.recorder = &count});
  return {count.count, copy_out<std::uint32_t>(memory, word, 1)[0]};
}

// Warps that start together read the same value, and one swap of each round succeeds: the first of 8 after one try, the
// last after 8.
TEST(Contention, WarpsInStepFailInTurn) { EXPECT_EQ(run_loop(kShared, 1, 8).swaps, 8u * 9 / 2); }

TEST(Contention, OneWarpNeverFails) { EXPECT_EQ(run_loop(kShared, 5, 1).swaps, 5u); }

TEST(Contention, BlocksCompeteOnGlobalMemory) {
  const Tries alone = run_loop(kGlobal, 1, 1), many = run_loop(kGlobal, 16, 1);
  EXPECT_EQ(alone.swaps, 1u);
  EXPECT_EQ(many.sum, 16u);
  EXPECT_GT(many.swaps, 24u);
  EXPECT_LE(many.swaps, 16u * 17 / 2);
}

TEST(Contention, IsTheSameInEveryRun) { EXPECT_EQ(run_loop(kGlobal, 40, 3).swaps, run_loop(kGlobal, 40, 3).swaps); }

// All blocks of a cooperative launch, and more blocks than fit, take part.
TEST(Contention, MoreBlocksThanFit) {
  const auto kernel = make_kernel("adds", 70, isa::assemble(kGlobal.code), 8);
  DeviceMemory memory;
  const std::uint64_t word = memory.allocate(4);
  LaunchConfig launch{.grid = {50}, .block = {64}};
  launch.params = pack(word);
  launch.resident_blocks = 3;
  run(*kernel, launch, memory);
  EXPECT_EQ(copy_out<std::uint32_t>(memory, word, 1)[0], 100u);
}

}  // namespace
}  // namespace sassim::emu
