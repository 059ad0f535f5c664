// SPDX-License-Identifier: Apache-2.0
// Threads that part and meet again: convergence barriers, locks between lanes and between blocks, deadlocks, budgets.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"
#include "tests/unit/emu/steps.h"

namespace sassim::emu {
namespace {

TEST(Divergence, SidesOfABranchMeetAtTheBarrier) {
  const auto kernel = make_kernel("branch", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  BSSY B0, join
  ISETP.LT.AND P0, PT, R0, 0x8, PT
  @P0 BRA low
  MOV R2, 0x64
  BRA meet
low:
  MOV R2, 0xc8
meet:
  BSYNC B0
join:
  VOTE.ANY R3, PT, PT
  IADD3 R2, R2, R3, RZ
  MOV R4, c[0x0][0x160]
  MOV R5, c[0x0][0x164]
  MOV R6, 0x4
  IMAD.WIDE R4, R0, R6, R4
  STG.E.SYS [R4], R2
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(128);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(out);
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  EXPECT_EQ(steps.mask_at(4), 0xffffff00u);
  EXPECT_EQ(steps.mask_at(6), 0x000000ffu);
  EXPECT_EQ(steps.mask_at(8), 0xffffffffu) << "all together after BSYNC";
  const auto values = copy_out<std::uint32_t>(memory, out, 32);
  EXPECT_EQ(values[0], 0xc8u - 1);
  EXPECT_EQ(values[31], 0x64u - 1);
}

TEST(Divergence, TheTraceHoldsHowManyValuesAMatchAndMasksAWarpsyncHas) {
  for (const auto& [bits, masks] : {std::pair{0u, 1u}, {3u, 4u}, {31u, 32u}}) {
    const auto kernel = make_kernel("masks", 90, isa::assemble(R"(
  S2R R0, SR_LANEID
  LOP3.LUT R1, R0, )" + std::to_string(bits) + R"(, RZ, 0xc0, !PT
  MATCH.ANY R2, R1
  WARPSYNC R2
  WARPSYNC.ALL
  EXIT
)"),
                                    8);
    DeviceMemory memory;
    LaunchConfig launch{.grid = {1}, .block = {32}};
    launch.params = pack(std::uint64_t{0});
    Steps steps;
    run(*kernel, launch, memory, {.recorder = &steps});
    ASSERT_EQ(steps.said.size(), 2u);
    EXPECT_EQ(steps.said[0].first, 2u);
    EXPECT_EQ(steps.said[0].second, masks);
    EXPECT_EQ(steps.said[1].first, 3u);
    EXPECT_EQ(steps.said[1].second, masks);
  }
}

// while (!done) if (atomicCAS(lock, 0, 1) == 0) { ++*counter; atomicExch(lock, 0); done = true; }
constexpr const char* kSpinLock = R"(
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R6, c[0x0][0x168]
  MOV R7, c[0x0][0x16c]
again:
  MOV R4, RZ
  MOV R5, 0x1
  ATOMG.E.CAS.STRONG.GPU PT, R0, [R2], R4, R5
  BSSY B0, after
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 BRA skip
  LDG.E.STRONG.SYS R8, [R6]
  IADD3 R8, R8, 0x1, RZ
  STG.E.SYS [R6], R8
  ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R2], RZ
skip:
  BSYNC B0
after:
  @P0 BRA again
  EXIT
)";

TEST(Divergence, ALockBetweenLanesAndBlocksMakesProgress) {
  const auto kernel = make_kernel("lock", 70, isa::assemble(kSpinLock), 16);
  DeviceMemory memory;
  const std::uint64_t lock = memory.allocate(4), counter = memory.allocate(4);
  LaunchConfig launch{.grid = {5}, .block = {96}};
  launch.max_instructions = 10'000'000;
  launch.params = pack(lock, counter);
  run(*kernel, launch, memory);
  EXPECT_EQ(copy_out<std::uint32_t>(memory, counter, 1)[0], 5u * 96u);
}

// Lane 0 waits for a flag that lane 1 sets on the other side of the branch.
TEST(Divergence, ASpinningLaneLetsTheOtherSideRun) {
  const auto kernel = make_kernel("flag", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R5, 0x1
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 BRA setter
spin:
  LDG.E.STRONG.SYS R4, [R2]
  ISETP.EQ.AND P1, PT, R4, RZ, PT
  @P1 BRA spin
  EXIT
setter:
  STG.E.SYS [R2], R5
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t flag = memory.allocate(4);
  LaunchConfig launch{.grid = {1}, .block = {2}};
  launch.max_instructions = 100'000;
  launch.params = pack(flag);
  EXPECT_NO_THROW(run(*kernel, launch, memory));
}

/// Runs a block of `threads` and returns the word that the kernel leaves in its parameter.
std::uint32_t result_of(const char* code, std::uint32_t threads) {
  const auto kernel = make_kernel("kernel", 70, isa::assemble(code), 8);
  DeviceMemory memory;
  const std::uint64_t out = memory.allocate(4);
  LaunchConfig launch{.grid = {1}, .block = {threads}, .dynamic_shared = 128};
  launch.params = pack(out);
  launch.max_instructions = 2'000'000;
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, out, 1)[0];
}

// while (atomicCAS(lock, 0, 1) != 0); ++count; atomicExch(lock, 0). The compiler lets the thread that has got the lock
// wait, at the end of the loop, for those that spin for it. Only YIELD says that they need not be waited for.
TEST(Divergence, TheOwnerOfALockDoesNotWaitForThoseThatYield) {
  EXPECT_EQ(result_of(R"(
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R7, 0x1
  BSSY B0, got
spin:
  ATOMS.CAS R4, [RZ], RZ, R7
  YIELD
  ISETP.NE.AND P0, PT, R4, RZ, PT
  @P0 BRA spin
  BSYNC B0
got:
  LDS R6, [0x4]
  IADD3 R6, R6, 0x1, RZ
  STS [0x4], R6
  STG.E.SYS [R2], R6
  ATOMS.EXCH RZ, [RZ], RZ
  EXIT
)",
                      64),
            64u);
}

// Block 0 waits for the last block: they must run side by side.
TEST(Divergence, ABlockMayWaitForALaterOne) {
  const auto kernel = make_kernel("blocks", 70, isa::assemble(R"(
  S2R R0, SR_CTAID.X
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  ISETP.EQ.AND P0, PT, R0, 0x7, PT
  @P0 BRA setter
spin:
  LDG.E.STRONG.SYS R4, [R2]
  ISETP.EQ.AND P1, PT, R4, RZ, PT
  @P1 BRA spin
  EXIT
setter:
  STG.E.SYS [R2], R0
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  const std::uint64_t flag = memory.allocate(4);
  LaunchConfig launch{.grid = {8}, .block = {32}};
  launch.max_instructions = 20'000'000;
  launch.params = pack(flag);
  EXPECT_NO_THROW(run(*kernel, launch, memory));
}

TEST(Divergence, AnEndlessKernelEndsWithAReport) {
  const auto kernel = make_kernel("endless", 70, isa::assemble("loop:\n  BRA loop\n"), 0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.max_instructions = 10'000;
  try {
    run(*kernel, launch, memory);
    FAIL();
  } catch (const NoProgress& stop) {
    const std::string text = stop.what();
    EXPECT_NE(text.find("endless"), std::string::npos) << text;
    EXPECT_NE(text.find("block (0,0,0) warp 0"), std::string::npos) << text;
    EXPECT_NE(text.find("BRA"), std::string::npos) << text;
  }
}

TEST(Divergence, ADeadlockIsNoticed) {
  // Half of the block waits at barrier 1 for 64 threads; the other half has left.
  const auto kernel = make_kernel("stuck", 70, isa::assemble(R"(
  S2R R0, SR_TID.X
  ISETP.GE.AND P0, PT, R0, 0x20, PT
  @P0 EXIT
  BAR.SYNC 0x1, 0x40
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {64}};
  EXPECT_THROW(run(*kernel, launch, memory), NoProgress);
}

std::vector<std::uint32_t> masks_of(const std::string& code, std::uint32_t index) {
  const auto kernel = make_kernel("kernel", 70, isa::assemble(code), 8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}, .dynamic_shared = 128};
  launch.params = pack(std::uint64_t{0});
  launch.max_instructions = 100'000;
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  return masks_at(steps, index);
}
using Masks = std::vector<std::uint32_t>;

// What follows was seen on an H200, by the masks and clocks of each step (h200/instructions.md#yield).
TEST(Divergence, WhoLeavesALoopDoesNotWaitForThoseThatYieldInIt) {
  const std::string loop = R"(
  S2R R0, SR_LANEID
  SHF.R.U32.HI R0, RZ, 0x3, R0
  MOV R1, RZ
  BSSY B0, out
again:
  YIELD
  ISETP.LT.AND P0, PT, R1, R0, PT
  IADD3 R1, R1, 0x1, RZ
  @P0 BRA again
  BSYNC B0
out:
  MOV R2, R1
  EXIT
)";
  EXPECT_EQ(masks_of(loop, 9), (Masks{0xff, 0xff00, 0xff0000, 0xff000000}));
  std::string quiet = loop;
  quiet.replace(quiet.find("YIELD"), 5, "NOP  ");
  EXPECT_EQ(masks_of(quiet, 9), (Masks{0xffffffff}));
}

/// Lanes below `first`, below 16 and the others take sides; the first and the last side yield.
std::string three_sides(int first) {
  return R"(
  S2R R0, SR_LANEID
  BSSY B0, meet
  ISETP.LT.AND P0, PT, R0, )" +
         std::to_string(first) + R"(, PT
  @P0 BRA one
  ISETP.LT.AND P0, PT, R0, 0x10, PT
  @P0 BRA two
  YIELD
  BRA over
one:
  YIELD
  BRA over
two:
  NOP
over:
  BSYNC B0
meet:
  MOV R2, RZ
  EXIT
)";
}

// The last side yields while the second waits and the first has yielded: the first goes on, and when it has arrived the
// two that wait go on together.
TEST(Divergence, ThreadsOfThePoolTakeTurnsBeforeABarrierGivesUp) {
  EXPECT_EQ(masks_of(three_sides(4), 12), (Masks{0xffff, 0xffff0000}));
  EXPECT_EQ(masks_of(three_sides(12), 12), (Masks{0xffff, 0xffff0000}));
}

// All but those that yield wait, at two barriers: the first one gives up, the inner one waits on.
TEST(Divergence, OneBarrierGivesUpWhenAllButTheYieldingWait) {
  const std::string code = R"(
  S2R R0, SR_LANEID
  BSSY B0, outer
  ISETP.LT.AND P0, PT, R0, 0x16, PT
  @!P0 BRA last
  BSSY B1, inner
  ISETP.LT.AND P0, PT, R0, 0xb, PT
  @P0 BRA quit
  BRA joined
quit:
  YIELD
joined:
  BSYNC B1
inner:
  MOV R1, RZ
last:
  BSYNC B0
outer:
  MOV R2, RZ
  EXIT
)";
  EXPECT_EQ(masks_of(code, 10), (Masks{0x3fffff}));
  EXPECT_EQ(masks_of(code, 12), (Masks{0xffc00000, 0x3fffff}));
}

// Each thread adds twice to one of four words by compare-and-swap. The masks are the H200's (`cas_word`): the second
// loop uses the first one's barrier, whose mask mixes threads of both, so that every third group that leaves waits.
TEST(Divergence, RetryLoopsComeApartAsOnAnH200) {
  std::string code = R"(
  S2R R6, SR_LANEID
  LOP3.LUT R0, R6, 0x3, RZ, 0xc0, !PT
  SHF.L.U32 R0, R0, 0x2, RZ
)";
  for (const char* label : {"one", "two"})
    code += std::string("  BSSY B0, end_") + label + "\n" + label + R"(:
  YIELD
  LDS R4, [R0]
  IADD3 R5, R4, 0x1, RZ
  ATOMS.CAS R5, [R0], R4, R5
  ISETP.NE.AND P0, PT, R5, R4, PT
  @P0 BRA )" +
            label + "\n  BSYNC B0\nend_" + label + ":\n";
  code += "  EXIT\n";
  const auto kernel = make_kernel("adds", 70, isa::assemble(code), 8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}, .dynamic_shared = 128};
  launch.params = pack(std::uint64_t{0});
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  Masks loads;
  for (const auto& [index, mask] : steps.masks)
    if (index == 5 || index == 13) loads.push_back(mask);
  EXPECT_EQ(loads,
            (Masks{0xffffffff, 0xfffffff0, 0x000000ff, 0xffffff00, 0x00000ff0, 0xfffff000, 0x0000ff00, 0xffff0000,
                   0x000ff000, 0xfff00000, 0x00ff0000, 0xff000000, 0x0ff00000, 0xf0000000, 0xff000000, 0xf0000000}));
}

// As on an H200 (validation/measured/h200/shared-memory.md#shared-memory): 32 words, all in two banks.
TEST(Divergence, ASpinSwapsForOneLaneOfEachBank) {
  const auto kernel = make_kernel("spin", 70, isa::assemble(R"(
  S2R R6, SR_LANEID
  SHF.L.U32 R0, R6, 0x6, RZ
  BSSY B0, done
again:
  LDS R4, [R0]
  IADD3 R5, R4, 0x1, RZ
  ATOMS.CAST.SPIN R5, [R0], R4, R5
  ISETP.EQ.U32.AND P0, PT, R5, 0x1, PT
  @!P0 BRA again
  BSYNC B0
done:
  LDS R4, [R0]
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}, .dynamic_shared = 2048};
  launch.params = pack(std::uint64_t{0});
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  Masks loads;
  for (const auto& [index, mask] : steps.masks)
    if (index == 3) loads.push_back(mask);
  ASSERT_EQ(loads.size(), 16u);
  for (std::uint32_t turn = 0; turn < 16; ++turn) EXPECT_EQ(loads[turn], ~0u << 2 * turn);
}

// The same for words of eight bytes, 32 bytes apart: they lie in eight of 32 banks.
TEST(Divergence, ASpinOnWideWordsHasWideBanks) {
  const auto kernel = make_kernel("spin", 70, isa::assemble(R"(
  S2R R8, SR_LANEID
  SHF.L.U32 R0, R8, 0x5, RZ
  MOV R7, RZ
  BSSY B0, done
again:
  LDS.64 R4, [R0]
  IADD3 R6, R4, 0x1, RZ
  ATOMS.CAST.SPIN.64 R6, [R0], R4, R6
  ISETP.EQ.U32.AND P0, PT, R6, 0x1, PT
  MOV R7, RZ
  @!P0 BRA again
  BSYNC B0
done:
  EXIT
)"),
                                  8);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}, .dynamic_shared = 1024};
  launch.params = pack(std::uint64_t{0});
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  Masks loads;
  for (const auto& [index, mask] : steps.masks)
    if (index == 4) loads.push_back(mask);
  EXPECT_EQ(loads, (Masks{~0u, ~0u << 8, ~0u << 16, ~0u << 24}));
}

TEST(Divergence, BreakLeavesTheBarrier) {
  const auto kernel = make_kernel("break", 70, isa::assemble(R"(
  S2R R0, SR_LANEID
  BSSY B0, join
  ISETP.LT.AND P0, PT, R0, 0x4, PT
  @P0 BREAK B0
  @P0 EXIT
  BSYNC B0
join:
  VOTE.ANY R3, PT, PT
  EXIT
)"),
                                  0);
  DeviceMemory memory;
  LaunchConfig launch{.grid = {1}, .block = {32}};
  Steps steps;
  run(*kernel, launch, memory, {.recorder = &steps});
  EXPECT_EQ(steps.mask_at(6), 0xfffffff0u);
}

}  // namespace
}  // namespace sassim::emu
