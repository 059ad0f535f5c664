// SPDX-License-Identifier: Apache-2.0
// Blocks that see what others of their launch write: are they found, and is what they did undone?
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
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
  bool met = false;
};

Added add_to_words(std::uint32_t stride, std::uint32_t blocks, std::uint32_t resident, Meeting meeting) {
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
  try {
    outcome.met = run(*kernel, launch, memory, {.meeting = meeting, .recorder = &outcome.starts}).blocks_met;
  } catch (const OrderMatters&) {
    outcome.met = true;
  }
  outcome.words = copy_out<std::uint32_t>(memory, words, count);
  return outcome;
}

TEST(Sharing, BlocksThatMeetAreFoundAndMemoryIsAsBefore) {
  const Added together = add_to_words(0, 8, 8, Meeting::stops);
  EXPECT_TRUE(together.met);
  EXPECT_EQ(together.words[0], 1000u);
  EXPECT_EQ(together.starts.again, 1) << "once for what is read and written";
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
  EXPECT_THROW(run(*kernel, launch, memory, {.meeting = Meeting::stops, .recorder = &starts}), OrderMatters);
  for (const std::uint32_t word : copy_out<std::uint32_t>(memory, words, 4 * 32)) EXPECT_EQ(word, 1000u);
}

TEST(Sharing, BlocksThatFollowEachOtherSeeWhatWasWritten) {
  EXPECT_EQ(add_to_words(0, 8, 1, Meeting::told).words[0], 1000u + 8 * 9 / 2);
}

TEST(Sharing, AWordOfItsOwnIsNotShared) {
  const Added apart = add_to_words(64, 8, 8, Meeting::stops);
  EXPECT_FALSE(apart.met);
  EXPECT_EQ(apart.starts.again, 1) << "once for what is read and written; nobody met";
  EXPECT_EQ(apart.starts.blocks.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(apart.words[16 * i], 1001u + i);
}

// A sector is as fine as it looks: to be wrong about it costs time only.
TEST(Sharing, NeighboursOfASectorGetTheSameResults) {
  const Added near = add_to_words(4, 8, 8, Meeting::told);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(near.words[i], 1001u + i);
}

// A kernel that goes on with what it saw first when it is only told.
TEST(Sharing, AWatcherThatIsOnlyToldChangesNothing) {
  const Added watched = add_to_words(0, 8, 8, Meeting::told), alone = add_to_words(0, 8, 8, Meeting::ignored);
  EXPECT_TRUE(watched.met);
  EXPECT_FALSE(alone.met);
  EXPECT_EQ(watched.words, alone.words);
  EXPECT_EQ(watched.starts.blocks, alone.starts.blocks);
  EXPECT_EQ(alone.starts.again, 0);
}

}  // namespace
}  // namespace sassim::emu
