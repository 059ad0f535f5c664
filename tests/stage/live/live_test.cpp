// SPDX-License-Identifier: Apache-2.0
// Warps that are executed when they are timed: what they compute, that it is the same for any number of threads and any
// epoch, and that the trace of a live run takes as long as the run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "arch/gpu.h"
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
  for (const auto& [name, metric] : metrics.all()) text += fmt::format("{} {}\n", name, metric.value);
  return text;
}

/// Parameters of a kernel begin elsewhere from sm_90 on.
std::string for_architecture(std::string code, int sm) {
  for (std::size_t at = 0; sm >= 90 && (at = code.find("c[0x0][0x16", at)) != std::string::npos; ++at)
    code.replace(at, 11, "c[0x0][0x21");
  return code;
}

Done run_live(const char* code, std::uint32_t blocks, std::uint32_t threads, const arch::RunOptions& options = {},
              const std::string& name = "v100") {
  const config::GpuConfig config = gpu(name);
  const auto kernel = emu::make_kernel("live", config.arch, isa::assemble(for_architecture(code, config.arch)), 8);
  emu::DeviceMemory memory;
  const std::uint64_t words = memory.allocate(std::uint64_t{4} * blocks * threads);
  emu::LaunchConfig launch{.grid = {blocks}, .block = {threads}};
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

TEST(Live, TheClockIsTheModels) {
  const Done done = run_live(kClock, 1, 32);
  EXPECT_GE(done.words[0], 700u);
  EXPECT_LT(done.words[0], 800u);
  EXPECT_GT(done.cycles.value, 700u);
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

class LiveIsTheSame : public testing::TestWithParam<const char*> {};

TEST_P(LiveIsTheSame, ForAnyNumberOfThreadsAndAnyEpoch) {
  const Done once = run_live(GetParam(), 20, 64);
  for (const unsigned threads : {1u, 2u, 7u})
    for (const std::uint64_t epoch : {0u, 1u, 23u}) {
      arch::RunOptions options;
      options.threads = threads;
      options.epoch = epoch;
      const Done again = run_live(GetParam(), 20, 64, options);
      EXPECT_EQ(again.metrics, once.metrics) << threads << " threads, epochs of " << epoch;
      EXPECT_EQ(again.words, once.words);
    }
}

TEST_P(LiveIsTheSame, AsItsTrace) {
  Done live = run_live(GetParam(), 20, 64);
  live.info.made_on = "this one";
  trace::MemoryTrace trace(live.info);
  for (const auto& block : live.trace) trace.add(block);
  const arch::KernelResult replay = arch::Gpu(gpu("v100")).run(trace);
  EXPECT_EQ(replay.cycles, live.cycles);
  EXPECT_EQ(all_values(replay.metrics), live.metrics);
}

INSTANTIATE_TEST_SUITE_P(Kernels, LiveIsTheSame, testing::Values(kLock, kNeighbours, kClock));

}  // namespace
}  // namespace sassim::live
