// SPDX-License-Identifier: Apache-2.0
// Compare-and-swap loops: do warps get into each other's way as often as their clocks say?
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/emu/core/emulator.h"
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

/// How often block 1 asks before it sees what block 0 stores, which does `work` 16 times before; `nap` after each time.
std::uint64_t polls_during(const std::string& work, const std::string& nap = {}) {
  std::string code = R"(
  B------:R-:W0:-:S04 S2R R0, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R4, 0x1
  B------:R-:W-:-:S04 MOV R5, RZ
  B0-----:R-:W-:-:S04 ISETP.NE.AND P0, PT, R0, RZ, PT
  B------:R-:W-:-:S04 ISETP.NE.AND P1, PT, RZ, RZ, PT
  B------:R-:W1:-:S04 ATOMG.E.ADD.STRONG.GPU PT, R6, [R2+0x4], R4
  B-1----:R-:W-:-:S05 @P0 BRA ask
)";
  for (int i = 0; i < 16; ++i) code += work;
  code += R"(
  B------:R-:W-:-:S04 STG.E.STRONG.GPU [R2], R4
  B------:R-:W-:-:S05 EXIT
ask:
)" + nap + R"(
  B------:R-:W1:-:S04 LDG.E.STRONG.GPU R7, [R2]
  B-1----:R-:W-:-:S04 ISETP.EQ.AND P1, PT, R7, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA ask
  B------:R-:W-:-:S05 EXIT
)";
  const auto instructions = isa::assemble(code);
  const auto kernel = make_kernel("hand_over", 70, instructions, 8);
  DeviceMemory memory;
  const std::uint64_t words = memory.allocate(8);
  LaunchConfig launch{.grid = {2}, .block = {1}};
  launch.params = pack(words);
  launch.max_instructions = 100'000;
  CountAt count(static_cast<std::uint32_t>(instructions.size() - 4));
  run(*kernel, launch, memory, {.recorder = &count});
  return count.count;
}

// Sixteen loads one after the other take about 16 polls; those that no thread executes are not waited for.
TEST(Contention, LoadsOfNoThreadTakeNoTime) {
  const std::string use = "\n  B--2---:R-:W-:-:S04 IADD3 R5, R5, R8, RZ\n";
  const std::uint64_t without = polls_during(use);
  EXPECT_GE(polls_during("  B------:R-:W2:-:S04 LDG.E.STRONG.GPU R8, [R2]" + use), without + 12);
  EXPECT_LE(polls_during("  B------:R-:W2:-:S04 @P1 LDG.E.STRONG.GPU R8, [R2]" + use), without + 2);
}

// Sixteen loads take some 4500 cycles, which are two naps of a microsecond.
TEST(Contention, WhoSleepsAsksLess) {
  const std::string work =
      "\n  B------:R-:W2:-:S04 LDG.E.STRONG.GPU R8, [R2]\n  B--2---:R-:W-:-:S04 IADD3 R5, R5, R8, RZ\n";
  const std::uint64_t polls = polls_during(work, "  B------:R-:W-:-:S04 NANOSLEEP 0x3e8");
  EXPECT_GE(polls, 2u);
  EXPECT_LE(polls, 4u);
}

}  // namespace
}  // namespace sassim::emu
