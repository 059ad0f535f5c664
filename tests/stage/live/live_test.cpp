// SPDX-License-Identifier: Apache-2.0
// Warps that are executed when they are timed: what they compute, that it is the same for any number of threads and any
// epoch, and that the trace of a live run takes as long as the run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "arch/gpu/gpu.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "sim/live/live_launch.h"
#include "sim/trace/memory_trace.h"
#include "tests/unit/emu/harness.h"

namespace sassim::live {
namespace {

/// Lane 0 of each warp takes a lock, adds one to a word that it reads past the L1, and gives the lock back.
constexpr const char* kLock = R"(
  B------:R-:W0:-:S04 S2R R0, SR_LANEID
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R8, 0x1
  B------:R-:W-:-:S04 MOV R9, RZ
  B0-----:R-:W-:-:S04 ISETP.NE.AND P0, PT, R0, RZ, PT
  B------:R-:W-:-:S05 @P0 EXIT
take:
  B------:R-:W1:-:S02 ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R9, R8
  B------:R-:W2:-:S02 RED.E.ADD.STRONG.GPU [R2+0x8], R8
  B-1----:R-:W-:-:S04 ISETP.NE.AND P1, PT, R6, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA take
  B------:R-:W0:-:S02 LDG.E.STRONG.GPU R4, [R2+0x4]
  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ
  B------:R0:W-:-:S02 STG.E.STRONG.GPU [R2+0x4], R4
  B0-----:R-:W3:-:S02 MEMBAR.SC.GPU
  B---3--:R-:W1:-:S02 ATOMG.E.EXCH.STRONG.GPU PT, R6, [R2], R9
  B-1----:R-:W-:-:S05 EXIT
)";

/// Every thread stores, its block waits, and every thread loads what another thread of the block has stored; three
/// times.
constexpr const char* kNeighbours = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W1:-:S04 S2R R1, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B01----:R-:W-:-:S05 IMAD R4, R1, 0x80, R0
  B------:R-:W-:-:S05 IMAD.WIDE R6, R4, 0x4, R2
  B------:R-:W-:-:S05 LOP3.LUT R8, R0, 0x20, RZ, 0x3c, !PT
  B------:R-:W-:-:S05 IMAD R9, R1, 0x80, R8
  B------:R-:W-:-:S05 IMAD.WIDE R10, R9, 0x4, R2
  B------:R-:W-:-:S04 MOV R12, R0
  B------:R-:W-:-:S04 MOV R13, RZ
again:
  B------:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W1:-:S02 LDG.E R14, [R10]
  B-1----:R-:W-:-:S05 IADD3 R12, R12, R14, RZ
  B------:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W-:-:S05 IADD3 R13, R13, 0x1, RZ
  B------:R-:W-:-:S05 ISETP.NE.AND P1, PT, R13, 0x3, PT
  B------:R-:W-:-:S05 @P1 BRA again
  B------:R-:W-:-:S05 EXIT
)";

/// Goes on until 700 cycles have passed.
constexpr const char* kClock = R"(
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W0:-:S02 CS2R.32 R4, SR_CLOCKLO
again:
  B------:R-:W1:-:S02 CS2R.32 R5, SR_CLOCKLO
  B01----:R-:W-:-:S05 IADD3 R6, R5, -R4, RZ
  B------:R-:W-:-:S05 ISETP.LT.AND P1, PT, R6, 0x2bc, PT
  B------:R-:W-:-:S05 @P1 BRA again
  B------:R0:W-:-:S02 STG.E [R2], R6
  B0-----:R-:W-:-:S05 EXIT
)";

/// Lanes 0 and 16 take different sides. Lane 0 naps for 4 us, then writes the clock; lane 16 makes 100 additions and
/// writes the clock before and behind them.
constexpr const char* kNaps = R"(
  B------:R-:W0:-:S02 S2R R0, SR_LANEID
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R8, RZ
  B0-----:R-:W-:-:S05 LOP3.LUT R1, R0, 0xf, RZ, 0xc0, !PT
  B------:R-:W-:-:S13 ISETP.NE.AND P0, PT, R1, RZ, PT
  B------:R-:W-:-:S05 @P0 EXIT
  B------:R-:W-:-:S13 ISETP.EQ.AND P1, PT, R0, RZ, PT
  B------:R-:W0:-:S02 CS2R.32 R4, SR_CLOCKLO
  B0-----:R-:W-:-:S05 @!P1 BRA work
  B------:R-:W-:-:S05 NANOSLEEP 0xfa0
  B------:R-:W1:-:S02 CS2R.32 R5, SR_CLOCKLO
  B-1----:R-:W-:-:S05 IADD3 R5, R5, -R4, RZ
  B------:R0:W-:-:S02 STG.E [R2], R5
  B0-----:R-:W-:-:S05 EXIT
work:
  B------:R-:W-:-:S05 IADD3 R8, R8, 0x1, RZ
  B------:R-:W-:-:S05 ISETP.LT.AND P1, PT, R8, 0x64, PT
  B------:R-:W-:-:S05 @P1 BRA work
  B------:R-:W1:-:S02 CS2R.32 R5, SR_CLOCKLO
  B-1----:R-:W-:-:S05 IADD3 R5, R5, -R4, RZ
  B------:R0:W-:-:S02 STG.E [R2+0x4], R5
  B0-----:R-:W-:-:S05 EXIT
)";

struct Done {
  Cycle cycles;
  std::uint64_t instructions = 0;
  std::string metrics;
  std::vector<std::uint32_t> words;
  std::vector<std::shared_ptr<const trace::BlockTrace>> trace;
  trace::KernelInfo info;
};

config::GpuConfig gpu(const std::string& name) {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml", {"sm.count=8"});
}

std::string all_values(const stats::MetricSet& metrics) {
  std::string text;
  for (const auto& [row, value] : metrics.all()) text += fmt::format("{} {}\n", row->name, value);
  return text;
}

/// Parameters of a kernel begin elsewhere from sm_90 on.
std::string for_architecture(std::string code, int sm) {
  for (std::size_t at = 0; sm >= 90 && (at = code.find("c[0x0][0x16", at)) != std::string::npos; ++at)
    code.replace(at, 11, "c[0x0][0x21");
  return code;
}

Done run_live(const char* code, std::uint32_t blocks, std::uint32_t threads, const arch::RunOptions& options = {},
              const std::string& name = "v100", bool threads_sleep = true) {
  config::GpuConfig config = gpu(name);
  config.sm.issue.threads_sleep = config.sm.issue.threads_sleep && threads_sleep;
  const auto kernel =
      emu::make_kernel("live", config.arch,
                       isa::assemble(for_architecture(code, config.arch), "live", isa::architecture(config.arch)), 8);
  emu::DeviceMemory memory;
  const std::uint64_t words = memory.allocate(std::uint64_t{4} * blocks * threads);
  emu::LaunchConfig launch{.grid = {blocks}, .block = {threads}, .dynamic_shared = 2048};
  launch.params = emu::pack(words);
  Done done;
  done.info = emu::kernel_info(*kernel, launch);
  LiveLaunch live(*kernel, launch, memory, done.info, {config.sm.count, Cycle{}, config.clock.sm, true});
  const arch::KernelResult result = arch::Gpu(config).run(live, options);
  done.instructions = live.finish().warp_instructions;
  done.trace = live.take_recorded();
  EXPECT_EQ(done.instructions, result.warp_instructions);
  done.cycles = result.cycles;
  done.metrics = all_values(result.metrics);
  done.words = emu::copy_out<std::uint32_t>(memory, words, std::size_t{blocks} * threads);
  return done;
}

TEST(Live, ALockLetsOneInAtATime) {
  const Done done = run_live(kLock, 20, 64);
  EXPECT_EQ(done.words[0], 0u);
  EXPECT_EQ(done.words[1], 40u);
  EXPECT_GT(done.words[2], 80u) << "nobody has ever found the lock taken";
}

TEST(Live, ThreadsOfABlockSeeEachOthersStores) {
  for (const char* name : {"v100", "h200"}) {
    const Done done = run_live(kNeighbours, 16, 128, {}, name);
    std::array<std::uint32_t, 128> x, stored{};
    for (std::uint32_t i = 0; i < 128; ++i) x[i] = i;
    for (int round = 0; round < 3; ++round) {
      stored = x;
      for (std::uint32_t i = 0; i < 128; ++i) x[i] = stored[i] + stored[i ^ 0x20];
    }
    for (std::uint32_t i = 0; i < 16 * 128; ++i) ASSERT_EQ(done.words[i], stored[i % 128]) << name << ", thread " << i;
  }
}

/// A load that misses, without a counter, and one that hits, whose counter stands for both; then two, of the first of
/// which DEPBAR waits.
constexpr const char* kInOrder = R"(
  B------:R-:W0:-:S02 S2R R0, SR_LANEID
  B------:R-:W-:-:S06 MOV R2, c[0x0][0x140]
  B------:R-:W-:-:S06 MOV R3, c[0x0][0x144]
  B0-----:R-:W-:-:S06 ISCADD R4.CC, R0, R2, 0x2
  B------:R-:W-:-:S06 IADD.X R5, RZ, R3
  B------:R-:W-:-:S06 IADD32I R6, R0, 0x5
  B------:R0:W-:-:S02 STG.E [R4+0x800], R6
  B0-----:R-:W0:-:S02 LDG.E R8, [R4]
  B0-----:R-:W1:-:S02 MEMBAR.GL
  B-1----:R-:W-:-:S02 LDG.E R10, [R4+0x800]
  B------:R-:W2:-:S02 LDG.E R11, [R4]
  B--2---:R-:W-:-:S06 IADD R12, R10, R11
  B------:R0:W-:-:S02 STG.E [R4+0x80], R12
  B------:R-:W5:-:S01 LDG.E R14, [R4+0x800]
  B------:R-:W5:-:S01 LDG.E R15, [R4]
  B------:R-:W-:-:S03 DEPBAR.LE SB5, 0x1
  B------:R-:W-:-:S06 IADD R16, R14, 0x1
  B------:R0:W-:-:S02 STG.E [R4+0x100], R16
  B------:R-:W-:-:S05 EXIT
)";

TEST(Live, LoadsReturnInOrderWhereCodeReliesOnIt) {
  const Done done = run_live(kInOrder, 32, 32, {}, "p4");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(done.words[32 + lane], lane + 5) << lane;
    EXPECT_EQ(done.words[64 + lane], lane + 6) << lane;
  }
}

TEST(Live, TheClockIsTheModels) {
  const Done done = run_live(kClock, 1, 32);
  EXPECT_GE(done.words[0], 700u);
  EXPECT_LT(done.words[0], 800u);
  EXPECT_GT(done.cycles.value, 700u);
}

/// Each thread stores in its word how often it has tried until the first phase of a barrier at 0x10 is over. Warp 1
/// waits from the beginning, warp 0 arrives after a while.
constexpr const char* kTries = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W1:-:S04 S2R R1, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 UMOV UR4, 0x10
  B------:R-:W-:-:S04 UMOV UR6, 0x1fffc0
  B------:R-:W-:-:S12 UMOV UR7, 0x7fff0000
  B01----:R-:W-:-:S05 IMAD R4, R1, 0x40, R0
  B------:R-:W-:-:S05 IMAD.WIDE R6, R4, 0x4, R2
  B------:R-:W-:-:S05 MOV R12, RZ
  B------:R-:W-:-:S05 ISETP.GE.AND P0, PT, R0, 0x20, PT
  B------:R-:W-:-:S13 ISETP.NE.AND P3, PT, R0, RZ, PT
  B------:R-:W2:-:S02 @!P3 SYNCS.EXCH.64 URZ, [UR4], UR6
  B--2---:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W-:-:S05 @P0 BRA again
delays:
  B------:R-:W-:-:S05 IADD3 R13, R12, 0x1, RZ
  B------:R-:W-:-:S05 MOV R12, R13
  B------:R-:W-:-:S13 ISETP.NE.AND P2, PT, R13, 0x200, PT
  B------:R-:W-:-:S05 @P2 BRA delays
  B------:R-:W-:-:S05 MOV R12, RZ
  B------:R-:W-:-:S02 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4], RZ
again:
  B------:R-:W-:-:S05 IADD3 R12, R12, 0x1, RZ
  B------:R-:W2:-:S02 SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ
  B--2---:R-:W-:-:S05 @!P1 BRA again
  B------:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W-:-:S05 EXIT
)";

/// The same with copies: each thread copies a word to shared memory, the copies arrive, and all test the phase.
constexpr const char* kCopies = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W1:-:S04 S2R R1, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 UMOV UR4, 0x400
  B------:R-:W-:-:S04 UMOV UR6, 0x1fff80
  B------:R-:W-:-:S12 UMOV UR7, 0x7ffe0000
  B01----:R-:W-:-:S05 IMAD R4, R1, 0x40, R0
  B------:R-:W-:-:S05 IMAD.WIDE R6, R4, 0x4, R2
  B------:R-:W-:-:S05 SHF.L.U32 R8, R0, 0x2, RZ
  B------:R-:W-:-:S05 MOV R12, RZ
  B------:R-:W-:-:S13 ISETP.NE.AND P3, PT, R0, RZ, PT
  B------:R-:W2:-:S02 @!P3 SYNCS.EXCH.64 URZ, [UR4], UR6
  B--2---:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W-:-:S02 LDGSTS.E [R8], [R6.64]
  B------:R-:W-:-:S02 ARRIVES.LDGSTSBAR.64.ARVCNT [UR4]
again:
  B------:R-:W-:-:S05 IADD3 R12, R12, 0x1, RZ
  B------:R-:W2:-:S02 SYNCS.PHASECHK.TRANS64 P1, [UR4], RZ
  B--2---:R-:W-:-:S05 @!P1 BRA again
  B------:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W-:-:S05 EXIT
)";

/// The same as sm_80 does it: the barrier is made by a store, and loads look at the phase.
constexpr const char* kCopiesOfAmpere = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W1:-:S04 S2R R1, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R10, 0x3fffff80
  B------:R-:W-:-:S04 MOV R11, 0x7fffff80
  B01----:R-:W-:-:S05 IMAD R4, R1, 0x40, R0
  B------:R-:W-:-:S05 IMAD.WIDE R6, R4, 0x4, R2
  B------:R-:W-:-:S05 SHF.L.U32 R8, R0, 0x2, RZ
  B------:R-:W-:-:S05 MOV R12, RZ
  B------:R-:W-:-:S13 ISETP.NE.AND P3, PT, R0, RZ, PT
  B------:R2:W-:-:S02 @!P3 STS.64 [0x400], R10
  B--2---:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W-:-:S02 LDGSTS.E [R8], [R6.64]
  B------:R-:W-:-:S02 ARRIVES.LDGSTSBAR.64 [URZ+0x400]
  B------:R-:W2:-:S02 ATOMS.ARRIVE.64 R14, [URZ+0x400]
again:
  B------:R-:W-:-:S05 IADD3 R12, R12, 0x1, RZ
  B--2---:R-:W3:-:S02 LDS R5, [0x404]
  B---3--:R-:W-:-:S13 ISETP.GE.AND P1, PT, R5, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA again
  B------:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W-:-:S05 EXIT
)";

/// Lane 0 makes a bulk copy of the first 768 bytes of all words; then all threads add the first of them.
constexpr const char* kBulk = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W1:-:S04 S2R R1, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 UMOV UR4, 0x400
  B------:R-:W-:-:S04 UMOV UR6, 0x1ffffe
  B------:R-:W-:-:S12 UMOV UR7, 0x7ffff800
  B01----:R-:W-:-:S05 IMAD R4, R1, 0x40, R0
  B------:R-:W-:-:S05 IMAD.WIDE R6, R4, 0x4, R2
  B------:R-:W-:-:S05 MOV R12, 0x5
  B------:R-:W-:-:S05 MOV R9, 0x300
  B------:R-:W-:-:S13 ISETP.NE.AND P3, PT, R0, RZ, PT
  B------:R-:W2:-:S02 @!P3 SYNCS.EXCH.64 URZ, [UR4], UR6
  B--2---:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W3:-:S02 MEMBAR.SC.GPU
  B---3--:R-:W-:-:S05 BAR.SYNC 0x0
  B------:R-:W0:-:S04 R2UR UR8, R2
  B------:R-:W1:-:S04 R2UR UR9, R3
  B01----:R-:W-:-:S04 UMOV UR6, 0x0
  B------:R-:W-:-:S04 UMOV UR7, 0x400
  B------:R-:W-:-:S12 UMOV UR10, 0x30
  B------:R-:W-:-:S05 @P3 BRA again
  B------:R-:W-:-:S04 SYNCS.ARRIVE.TRANS64 RZ, [UR4], R9
  B------:R-:W-:-:S04 UBLKCP.S.G [UR6], [UR8], UR10
again:
  B------:R-:W2:-:S02 SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], RZ
  B--2---:R-:W-:-:S05 @!P1 BRA again
  B------:R-:W2:-:S02 LDS R10, [0x0]
  B--2---:R-:W-:-:S05 IADD3 R12, R12, R10, RZ
  B------:R0:W-:-:S02 STG.E [R6], R12
  B0-----:R-:W-:-:S05 EXIT
)";

TEST(Live, ABulkCopyIsThereWhenItsBarrierSaysSo) {
  const Done done = run_live(kBulk, 3, 64, {}, "h200");
  EXPECT_EQ(done.words[0], 10u);
  EXPECT_EQ(done.words[63], 10u) << "what its block has stored before the copy, added to itself";
}

TEST(Live, ATryWaitWaitsUpToItsLimit) {
  const config::GpuConfig config = gpu("h200");
  const Done done = run_live(kTries, 1, 64, {}, "h200");
  const std::uint64_t limit = config.sm.memory_io.barrier_try_limit;
  ASSERT_GT(limit, 0u);
  EXPECT_EQ(done.words[0], 1u) << "it has arrived itself";
  EXPECT_GE(done.words[32], done.cycles.value / (limit + 100)) << "of warp 1";
  EXPECT_LE(done.words[32], done.cycles.value / limit + 1);
  std::string tests = kTries;
  tests.replace(tests.find(".TRYWAIT"), 8, "");
  EXPECT_GT(run_live(tests.c_str(), 1, 64, {}, "h200").words[32], 100u);
}

TEST(Live, CopiesArriveWhenTheyAreDone) {
  const Done hopper = run_live(kCopies, 1, 64, {}, "h200");
  EXPECT_GT(hopper.words[0], 5u);
  EXPECT_LT(hopper.words[0], 60u);
  const Done ampere = run_live(kCopiesOfAmpere, 1, 64, {}, "ampere-test");
  EXPECT_GT(ampere.words[0], 3u);
  EXPECT_LT(ampere.words[0], 60u);
}

/// Asks for a word that nobody ever writes.
constexpr const char* kForever = R"(
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
again:
  B------:R-:W1:-:S02 LDG.E.STRONG.SYS R4, [R2]
  B-1----:R-:W-:-:S05 ISETP.EQ.AND P1, PT, R4, RZ, PT
  B------:R-:W-:-:S05 @P1 BRA again
  B------:R-:W-:-:S05 EXIT
)";

// h200/instructions.md#yield: other threads of a warp run while some sleep.
TEST(Live, OtherThreadsRunWhileSomeSleep) {
  constexpr std::uint32_t kNap = 4000 / 2;  // at least half of the nap, in cycles
  const Done apart = run_live(kNaps, 1, 32, {}, "h200");
  EXPECT_GT(apart.words[0], kNap);
  EXPECT_LT(apart.words[1], apart.words[0]) << "it does not wait for the nap";
  const Done together = run_live(kNaps, 1, 32, {}, "h200", false);
  EXPECT_GT(together.words[1], apart.words[1] + kNap) << "the warp sleeps";
}

TEST(Live, WarpsThatOnlyWaitEndTheRun) {
  const config::GpuConfig config = gpu("v100");
  const auto kernel = emu::make_kernel("forever", config.arch, isa::assemble(kForever), 8);
  emu::DeviceMemory memory;
  emu::LaunchConfig launch{.grid = {2}, .block = {32}};
  launch.params = emu::pack(memory.allocate(4));
  launch.watchdog = 1000;
  const trace::KernelInfo info = emu::kernel_info(*kernel, launch);
  LiveLaunch live(*kernel, launch, memory, info, {config.sm.count, Cycle{}, config.clock.sm, false});
  arch::RunOptions options;
  options.progress = [&](const arch::KernelProgress&) { live.check_progress(); };
  try {
    arch::Gpu(config).run(live, options);
    FAIL() << "the kernel has ended";
  } catch (const NoProgress& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("block (1,0,0) warp 0"), std::string::npos) << text;
    EXPECT_NE(text.find("no warp has changed memory"), std::string::npos) << text;
    EXPECT_NE(text.find("polls"), std::string::npos) << text;
  }
}

struct Case {
  const char* code;
  const char* gpu;
};
class LiveIsTheSame : public testing::TestWithParam<Case> {};

TEST_P(LiveIsTheSame, ForAnyNumberOfThreadsAndAnyEpoch) {
  const auto [code, name] = GetParam();
  const Done once = run_live(code, 20, 64, {}, name);
  for (const unsigned threads : {1u, 2u, 7u})
    for (const std::uint64_t epoch : {0u, 1u, 23u}) {
      arch::RunOptions options;
      options.threads = threads;
      options.epoch = epoch;
      const Done again = run_live(code, 20, 64, options, name);
      EXPECT_EQ(again.metrics, once.metrics) << threads << " threads, epochs of " << epoch;
      EXPECT_EQ(again.words, once.words);
    }
}

TEST_P(LiveIsTheSame, AsItsTrace) {
  const auto [code, name] = GetParam();
  Done live = run_live(code, 20, 64, {}, name);
  live.info.made_on = "this one";
  trace::MemoryTrace trace(live.info);
  for (const auto& block : live.trace) trace.add(block);
  const arch::KernelResult replay = arch::Gpu(gpu(name)).run(trace);
  EXPECT_EQ(replay.cycles, live.cycles);
  EXPECT_EQ(all_values(replay.metrics), live.metrics);
}

INSTANTIATE_TEST_SUITE_P(Kernels, LiveIsTheSame,
                         testing::Values(Case{kLock, "v100"}, Case{kNeighbours, "v100"}, Case{kClock, "v100"},
                                         Case{kTries, "h200"}, Case{kCopies, "h200"}, Case{kBulk, "h200"},
                                         Case{kNaps, "h200"}, Case{kCopiesOfAmpere, "ampere-test"}));

}  // namespace
}  // namespace sassim::live
