// SPDX-License-Identifier: Apache-2.0
// Blocks that see what others of their launch write: are they found, is what they did undone, and do they then run side
// by side as on a GPU?
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/emu/order/rough_l1.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

class Starts : public Recorder {
 public:
  void block_started(BlockId id, Dim3) override { blocks.push_back(id.value); }
  void step(BlockId, std::uint32_t, const trace::Step&) override {}
  void block_finished(BlockId) override { ++finished; }
  void started_again() override {
    ++again;
    blocks.clear();
    finished = 0;
  }
  std::vector<std::uint64_t> blocks;
  int again = 0;
  std::size_t finished = 0;
};

/// Every block adds its number plus one to the word at `words` + `stride` x its number.
struct Added {
  std::vector<std::uint32_t> words;
  Starts starts;
};

Added add_to_words(std::uint32_t stride, std::uint32_t blocks, std::uint32_t resident) {
  const auto kernel = make_kernel("adds", 70, isa::assemble(R"(
  B------:R-:W-:-:S04 S2R R0, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 IMAD.WIDE R2, R0, c[0x0][0x168], R2
  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]
  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, R0
  B------:R-:W-:-:S01 STG.E.SYS [R2], R4
  B------:R-:W-:-:S05 EXIT
)"),
                                  12);
  DeviceMemory memory;
  const std::size_t count = std::size_t{blocks} * std::max(stride, 4u) / 4;
  const std::uint64_t words = copy_in(memory, std::vector<std::uint32_t>(count, 1000));
  LaunchConfig launch{.grid = {blocks}, .block = {1}};
  launch.params = pack(words, stride);
  launch.resident_blocks = resident;
  launch.sm_count = resident;
  Added outcome;
  run(*kernel, launch, memory, {.recorder = &outcome.starts});
  outcome.words = copy_out<std::uint32_t>(memory, words, count);
  return outcome;
}

TEST(Sharing, BlocksThatRunTogetherAllReadWhatWasThere) {
  const Added together = add_to_words(0, 8, 8);
  EXPECT_GE(together.words[0], 1001u) << "one block's number more than before the launch, whichever wrote last";
  EXPECT_LE(together.words[0], 1008u);
  EXPECT_EQ(together.starts.again, 2) << "the word is read and written; by several blocks";
  EXPECT_EQ(together.starts.blocks.size(), 8u);
  EXPECT_EQ(together.starts.finished, 8u);
}

// All read the first word, which block 0 writes; what the others write nobody reads.
TEST(Sharing, ALoadOfWhatAnotherBlockWroteIsFound) {
  const auto kernel = make_kernel("reads", 70, isa::assemble(R"(
  B------:R-:W-:-:S04 S2R R0, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 IMAD.WIDE R6, R0, 0x80, R2
  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]
  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ
  B------:R-:W-:-:S01 STG.E.SYS [R6], R4
  B------:R-:W-:-:S05 EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t words = copy_in(memory, std::vector<std::uint32_t>(4 * 32, 1000));
  LaunchConfig launch{.grid = {4}, .block = {1}};
  launch.params = pack(words);
  launch.resident_blocks = launch.sm_count = 4;
  Starts starts;
  run(*kernel, launch, memory, {.recorder = &starts});
  EXPECT_EQ(starts.again, 2) << "the allocation is read and written; a word by two blocks";
  const auto outcome = copy_out<std::uint32_t>(memory, words, 4 * 32);
  for (std::size_t block = 0; block < 4; ++block)
    EXPECT_EQ(outcome[32 * block], 1001u) << "side by side nobody sees what block 0 has written";
}

TEST(Sharing, BlocksThatFollowEachOtherSeeWhatWasWritten) {
  EXPECT_EQ(add_to_words(0, 8, 1).words[0], 1000u + 8 * 9 / 2);
}

TEST(Sharing, AWordOfItsOwnIsNotShared) {
  const Added apart = add_to_words(64, 8, 8);
  EXPECT_EQ(apart.starts.again, 1) << "once for what is read and written; nobody met";
  EXPECT_EQ(apart.starts.blocks.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(apart.words[16 * i], 1001u + i);
}

// A sector is as fine as it looks: to be wrong about it costs time only.
TEST(Sharing, NeighboursOfASectorGetTheSameResults) {
  const Added near = add_to_words(4, 8, 8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(near.words[i], 1001u + i);
}

class Clocks : public ClockSource {
 public:
  std::uint64_t read(const TimeRead&) override { return ++reads; }
  void started_again() override { reads = 0; }
  std::uint64_t reads = 0;
};

TEST(Sharing, ClocksThatWereReadBeforeDoNotCount) {
  const auto kernel = make_kernel("clock", 70, isa::assemble(R"(
  B------:R-:W-:-:S04 CS2R.32 R0, SR_CLOCKLO
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]
  B0-----:R-:W-:-:S01 STG.E.SYS [R2], R0
  B------:R-:W-:-:S05 EXIT
)"),
                                  8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {4}, .block = {1}};
  launch.params = pack(memory.allocate(4));
  Clocks clocks;
  const RunResult result = run(*kernel, launch, memory, {.clock = &clocks});
  EXPECT_EQ(clocks.reads, 4u);
  EXPECT_EQ(result.time_reads, 4u);
  EXPECT_EQ(result.warp_instructions, 4u * 6);
}

/// Block 0 reads a word, again after a while with `between` before, and past the L1; block 1 writes 7 to it meanwhile.
std::vector<std::uint32_t> read_again(const std::string& between) {
  const auto kernel = make_kernel("stale", 70, isa::assemble(R"(
  B------:R-:W-:-:S04 S2R R0, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R8, 0x7
  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R0, RZ, PT
  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]
  B0-----:R-:W-:-:S04 MOV R10, 0x400
wait:
  B------:R-:W-:-:S04 IADD3 R10, R10, -0x1, RZ
  B------:R-:W-:-:S04 ISETP.NE.AND P1, PT, R10, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA wait
  B------:R-:W-:-:S01 @P0 STG.E.SYS [R2], R8
  B------:R-:W-:-:S05 @P0 EXIT
  B------:R-:W-:-:S04 MOV R10, 0x400
longer:
  B------:R-:W-:-:S04 IADD3 R10, R10, -0x1, RZ
  B------:R-:W-:-:S04 ISETP.NE.AND P1, PT, R10, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA longer
)" + between + R"(
  B------:R-:W0:-:S01 LDG.E.SYS R5, [R2]
  B------:R-:W1:-:S01 LDG.E.STRONG.GPU R6, [R2]
  B01----:R-:W-:-:S01 STG.E.SYS [R2+0x80], R4
  B------:R-:W-:-:S01 STG.E.SYS [R2+0x84], R5
  B------:R-:W-:-:S01 STG.E.SYS [R2+0x88], R6
  B------:R-:W-:-:S05 EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t words = memory.allocate(256);
  LaunchConfig launch{.grid = {2}, .block = {1}};
  launch.params = pack(words);
  launch.resident_blocks = launch.sm_count = 2;
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, words + 0x80, 3);
}

TEST(Sharing, TheL1HasWhatWasThereBefore) { EXPECT_EQ(read_again(""), (std::vector<std::uint32_t>{0, 0, 7})); }

TEST(Sharing, AFenceEmptiesTheL1) {
  const std::vector<std::uint32_t> fresh{0, 7, 7};
  EXPECT_EQ(read_again("  B------:R-:W-:-:S04 CCTL.IVALL\n"), fresh);
  EXPECT_EQ(read_again("  B------:R-:W-:-:S04 MEMBAR.SC.GPU\n"), fresh);
  EXPECT_NE(read_again("  B------:R-:W-:-:S04 MEMBAR.SC.CTA\n"), fresh);
}

TEST(RoughL1, KeepsALineUntilFourOthersOfItsSetWereUsed) {
  DeviceMemory memory;
  constexpr std::uint64_t kApart = 416 * 128;
  const std::uint64_t base = copy_in(memory, std::vector<std::uint32_t>(5 * kApart / 4, 1));
  RoughL1 l1;
  std::uint64_t instruction = 0;
  const auto load = [&](std::uint64_t way) { return l1.load(memory, base + way * kApart, ++instruction).miss; };
  for (std::uint64_t way = 0; way < 4; ++way) EXPECT_TRUE(load(way));
  for (std::uint64_t way = 0; way < 4; ++way) EXPECT_FALSE(load(way));
  EXPECT_TRUE(load(4));
  EXPECT_FALSE(load(1));
  EXPECT_TRUE(load(0)) << "the one not used for longest has gone";
}

TEST(RoughL1, StoresChangeWhatItHoldsAndAtomicsDropIt) {
  DeviceMemory memory;
  const std::uint64_t word = copy_in(memory, std::vector<std::uint32_t>(8, 1));
  RoughL1 l1;
  const auto value = [&] {
    std::uint32_t now = 0;
    std::memcpy(&now, l1.load(memory, word, 1).at, sizeof now);
    return now;
  };
  EXPECT_EQ(value(), 1u);
  const std::uint32_t two = 2, three = 3;
  l1.store(word, reinterpret_cast<const std::byte*>(&two), sizeof two);
  EXPECT_EQ(value(), 2u);
  memory.write(word, &three, sizeof three);
  EXPECT_EQ(value(), 2u);
  l1.drop(word);
  EXPECT_EQ(value(), 3u);
}

}  // namespace
}  // namespace sassim::emu
