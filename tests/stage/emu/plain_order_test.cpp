// SPDX-License-Identifier: Apache-2.0
// Kernels whose warps wait for each other, in the emulator's plain order: everybody gets on, the same way in every run.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

class Order : public Recorder {
 public:
  void block_started(BlockId id, Dim3) override { started.push_back(id.value); }
  void step(BlockId id, std::uint32_t warp, const trace::Step& step) override {
    hash = (hash ^ id.value << 40 ^ std::uint64_t{warp} << 32 ^ step.index) * 0x100000001b3u;
  }
  std::vector<std::uint64_t> started;
  std::uint64_t hash = 0xcbf29ce484222325u;
};

/// Lane 0 of each warp takes the lock at [R2], adds one to the word behind it, and gives the lock back.
std::string locked_sum(bool shared) {
  const std::string address = shared ? "[RZ]" : "[R2]", next = shared ? "[0x4]" : "[R2+0x4]";
  const std::string atomic = shared ? "ATOMS" : "ATOMG.E", type = shared ? "" : ".STRONG.GPU PT,";
  return R"(
  S2R R0, SR_LANEID
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R8, 0x1
  MOV R9, RZ
  ISETP.NE.AND P0, PT, R0, RZ, PT
  @P0 EXIT
take:
  )" + atomic +
         ".CAS" + type + " R6, " + address + R"(, R9, R8
  ISETP.NE.AND P1, PT, R6, RZ, PT
  @P1 BRA take
  )" + (shared ? "LDS R4, " : "LDG.E.STRONG.GPU R4, ") +
         next + R"(
  IADD3 R4, R4, 0x1, RZ
  )" + (shared ? "STS " : "STG.E.STRONG.GPU ") +
         next + R"(, R4
  )" + atomic +
         ".EXCH" + type + " R6, " + address + R"(, R9
  STG.E.STRONG.GPU [R2+0x8], R4
  EXIT
)";
}

struct Sum {
  std::uint32_t word, last;
  Order order;
};

Sum run_locked(bool shared, std::uint32_t blocks, std::uint32_t warps, std::uint32_t resident, bool cooperative) {
  const auto kernel = make_kernel("locked", 70, isa::assemble(locked_sum(shared)), 8);
  DeviceMemory memory;
  const std::uint64_t words = memory.allocate(12);
  LaunchConfig launch{.grid = {blocks}, .block = {32 * warps}, .dynamic_shared = 128};
  launch.params = pack(words);
  launch.resident_blocks = resident;
  launch.cooperative = cooperative;
  launch.max_instructions = 10'000'000;
  Sum sum{};
  run(*kernel, launch, memory, {.recorder = &sum.order});
  const auto values = copy_out<std::uint32_t>(memory, words, 3);
  sum.word = values[1];
  sum.last = values[2];
  return sum;
}

TEST(PlainOrder, WarpsOfABlockGetALockInTurn) { EXPECT_EQ(run_locked(true, 1, 8, 0, false).last, 8u); }

TEST(PlainOrder, BlocksGetALockInTurn) {
  EXPECT_EQ(run_locked(false, 50, 2, 3, false).word, 100u) << "more blocks than fit";
  EXPECT_EQ(run_locked(false, 8, 2, 0, true).word, 16u);
}

TEST(PlainOrder, BlocksBeginInTheOrderOfTheirNumbers) {
  const std::vector<std::uint64_t> started = run_locked(false, 50, 2, 3, false).order.started;
  ASSERT_EQ(started.size(), 50u);
  for (std::size_t i = 0; i < started.size(); ++i) EXPECT_EQ(started[i], i);
}

TEST(PlainOrder, IsTheSameInEveryRun) {
  EXPECT_EQ(run_locked(false, 40, 3, 0, false).order.hash, run_locked(false, 40, 3, 0, false).order.hash);
}

/// Each block waits until the block of `wanted` has stored to its word. Block 0 waits for the last.
std::uint32_t run_ring(std::uint32_t blocks, std::uint32_t resident, bool cooperative) {
  const auto kernel = make_kernel("ring", 70, isa::assemble(R"(
  S2R R0, SR_CTAID.X
  MOV R2, c[0x0][0x160]
  MOV R3, c[0x0][0x164]
  MOV R8, 0x1
  IADD3 R5, R0, 0x1, RZ
  ISETP.EQ.AND P0, PT, R5, c[0x0][0x168], PT
  IMAD.WIDE R6, R0, 0x4, R2
  IMAD.WIDE R10, R5, 0x4, R2
  @P0 BRA store
spin:
  LDG.E.STRONG.SYS R4, [R10]
  ISETP.EQ.AND P1, PT, R4, RZ, PT
  @P1 BRA spin
store:
  STG.E.SYS [R6], R8
  EXIT
)"),
                                  12);
  DeviceMemory memory;
  const std::uint64_t flags = memory.allocate(std::uint64_t{4} * blocks);
  LaunchConfig launch{.grid = {blocks}, .block = {32}};
  launch.params = pack(flags, blocks);
  launch.resident_blocks = resident;
  launch.cooperative = cooperative;
  launch.max_instructions = 100'000'000;
  run(*kernel, launch, memory);
  std::uint32_t sum = 0;
  for (const std::uint32_t flag : copy_out<std::uint32_t>(memory, flags, blocks)) sum += flag;
  return sum;
}

TEST(PlainOrder, BlocksThatWaitForLaterOnesSeeThemRun) {
  EXPECT_EQ(run_ring(64, 64, false), 64u);
  EXPECT_EQ(run_ring(200, 0, true), 200u);
}

TEST(PlainOrder, ABlockThatHasNoRoomIsNotWaitedForInVain) {
  try {
    run_ring(64, 8, false);
    FAIL() << "the eighth block waits for one that can never begin";
  } catch (const NoProgress& stop) {
    EXPECT_NE(std::string(stop.what()).find("makes no progress"), std::string::npos) << stop.what();
  }
}

}  // namespace
}  // namespace sassim::emu
