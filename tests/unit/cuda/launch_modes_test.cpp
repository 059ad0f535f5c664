// SPDX-License-Identifier: Apache-2.0
// Ways to run a launch, which launches are timed, and sessions that are made from a struct.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "sim/cuda/launch_strata.h"
#include "sim/cuda/launcher.h"
#include "sim/cuda/recorded_trace.h"
#include "sim/cuda/session.h"
#include "sim/emu/core/recording.h"
#include "tests/support/test_folder.h"
#include "tests/unit/emu/harness.h"

namespace sassim::cuda {
namespace {

/// Each thread adds one to its word.
constexpr const char* kAdd = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B0-----:R-:W-:-:S05 IMAD.WIDE R2, R0, 0x4, R2
  B------:R-:W0:-:S02 LDG.E R4, [R2]
  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ
  B------:R0:W-:-:S02 STG.E [R2], R4
  B0-----:R-:W-:-:S05 EXIT
)";
/// One thread writes how many cycles some additions took.
constexpr const char* kClock = R"(
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W0:-:S02 CS2R.32 R4, SR_CLOCKLO
  B0-----:R-:W-:-:S10 IADD3 R7, R7, 0x1, RZ
  B------:R-:W-:-:S10 IADD3 R7, R7, 0x1, RZ
  B------:R-:W1:-:S02 CS2R.32 R5, SR_CLOCKLO
  B01----:R-:W-:-:S05 IADD3 R6, R5, -R4, RZ
  B------:R0:W-:-:S02 STG.E [R2], R6
  B0-----:R-:W-:-:S05 EXIT
)";

class Modes : public testing::Test {
 protected:
  struct Outcome {
    Launched launched;
    std::uint32_t word;  ///< the first one after the launch
  };
  Outcome launch(const char* code, LaunchOptions options, bool defers = false) {
    options.session_dir = folder_.path().string();
    Launcher launcher(gpu_, memory_, options);
    const auto kernel = emu::make_kernel("kernel", gpu_.arch, isa::assemble(code), 8);
    const std::uint64_t words = emu::copy_in(memory_, std::vector<std::uint32_t>(32, 41));
    emu::LaunchConfig config{.grid = {1}, .block = {32}};
    config.params = emu::pack(words);
    std::function<void()> settle;
    if (defers) settle = [&] { ++settled_; };
    const Launched launched = launcher.launch(*kernel, config, 0xffffffffu, {}, settle);
    if (launched.kernel) {
      launcher.device()->start(*launched.kernel, 0, Picoseconds{});
      while (!launcher.device()->advance({})) {
      }
      launcher.close();
    }
    return {launched, emu::copy_out<std::uint32_t>(memory_, words, 1)[0]};
  }
  static LaunchOptions functional() {
    LaunchOptions options;
    options.timing = false;
    return options;
  }
  std::size_t files(const std::string& suffix) const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      count += entry.path().string().ends_with(suffix) ? 1 : 0;
    return count;
  }

  TestFolder folder_;
  config::GpuConfig gpu_ = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  emu::DeviceMemory memory_;
  int settled_ = 0;
};

TEST_F(Modes, FunctionalCountsInstructionsAsCycles) {
  const Outcome done = launch(kAdd, functional());
  EXPECT_EQ(done.word, 42u);
  EXPECT_EQ(done.launched.duration.value, static_cast<std::uint64_t>(8 * 1e12 / static_cast<double>(gpu_.clock.sm)));
  EXPECT_EQ(files(".sast"), 0u);
}

TEST_F(Modes, FunctionalKeepsTheTraceThatIsWanted) {
  LaunchOptions options = functional();
  options.trace_dir = folder_.path().string();
  launch(kAdd, options);
  EXPECT_EQ(files("0000-kernel.sast"), 1u);
}

TEST_F(Modes, ReplayTimesWhatWasRecorded) {
  const Outcome done = launch(kAdd, {});
  EXPECT_EQ(done.word, 42u);
  EXPECT_FALSE(done.launched.kernel);
  EXPECT_GT(done.launched.duration.value, 1000000u) << "a microsecond at least";
}

TEST_F(Modes, AShortTraceIsInMemoryAndALongerOneInAFile) {
  const auto kernel = emu::make_kernel("kernel", gpu_.arch, isa::assemble("B------:R-:W-:-:S05 EXIT"), 0);
  const emu::LaunchConfig config{.grid = {1}, .block = {32}};
  const trace::KernelInfo info = emu::kernel_info(*kernel, config);
  std::shared_ptr<const trace::BlockTrace> block;
  emu::BlockRecorder recorder(info, [&](const auto& done) { block = done; });
  emu::RunOptions run;
  run.recorder = &recorder;
  emu::run(*kernel, config, memory_, run);
  const auto hash = [&](RecordedTrace&& recorded) {
    recorded.add(block);
    return recorded.finish()()->hash();
  };
  const std::string path = folder_ / "trace.sast", nowhere = folder_ / "nowhere/trace.sast";
  const std::uint64_t size = block->warps[0]->bytes();
  EXPECT_EQ(hash(RecordedTrace(info, path, size - 1)), hash(RecordedTrace(info, nowhere, size)));
  EXPECT_THROW(hash(RecordedTrace(info, nowhere, size - 1)), Error);
}

TEST_F(Modes, LiveKernelsSeeTheClockOfTheModel) {
  LaunchOptions never;
  never.live = LiveKernels::none;
  const std::uint32_t live = launch(kClock, {}).word, counted = launch(kClock, never).word;
  EXPECT_GE(live, 20u) << "two waits of 10 cycles";
  EXPECT_LT(counted, 10u) << "instructions";
}

TEST_F(Modes, ALaunchBesideOthersIsTimedLater) {
  const Outcome done = launch(kAdd, {}, true);
  EXPECT_TRUE(done.launched.kernel);
  EXPECT_EQ(done.word, 42u);
  EXPECT_EQ(settled_, 0);
  EXPECT_FALSE(launch(kClock, {}, true).launched.kernel) << "a live launch runs alone";
  EXPECT_EQ(settled_, 1) << "after all before it";
}

/// Launches of a program, each with its cycles, of which a stratum may leave some out.
class Launches {
 public:
  explicit Launches(double wanted) : strata_(wanted) {}
  /// Returns whether the launch was left out; `cycles` is what it takes if it is timed.
  bool launch(std::uint32_t blocks, double cycles, std::uint64_t instructions = 1000) {
    config_.grid = {blocks};
    const DeviceLaunch request{*kernel_, config_, {}, {}, 0, 0, true, {}, settle_};
    const bool left_out = strata_.leaves_out(request, instructions);
    EXPECT_EQ(strata_.likely_left_out(request), left_out);
    if (left_out) {
      last = strata_.next_report(instructions);
    } else {
      report::KernelReport report;
      report.trace_hash = "1";
      report.metrics.read("gpc__cycles_elapsed.max", "cycle", cycles, true);
      report.metrics.read("smsp__inst_executed.sum", "inst", static_cast<double>(instructions), true);
      strata_.timed(report);
    }
    return left_out;
  }
  LaunchStrata& strata() { return strata_; }
  report::KernelReport last;  ///< of the last one that was left out

 private:
  std::unique_ptr<emu::Kernel> kernel_ = emu::make_kernel("kernel", 70, isa::assemble(kAdd), 8);
  emu::LaunchConfig config_{.grid = {1}, .block = {32}};
  std::function<void()> settle_;
  LaunchStrata strata_;
};

TEST(LaunchStrata, AreTimedUntilTheMeanIsKnownAndNowAndThenLater) {
  Launches all(0.05);
  std::vector<int> timed;
  for (int i = 1; i <= 70; ++i)
    if (!all.launch(1, 100)) timed.push_back(i);
  // The first one does not count, nor does one after a launch that was left out.
  EXPECT_EQ(timed, (std::vector<int>{1, 2, 3, 4, 15, 16, 31, 32, 63, 64}));
}

TEST(LaunchStrata, AreTimedWholeIfTheyVaryMoreThanWasAskedFor) {
  Launches all(0.01);
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(all.launch(1, i % 2 == 0 ? 100 : 200)) << i;
}

TEST(LaunchStrata, ALaunchBeforeOneThatNeedsTimesIsTimed) {
  Launches all(0.01);
  int left_out = 0;
  for (int i = 0; i < 12; ++i) {
    left_out += all.launch(1, 100);
    all.launch(2, i % 2 == 0 ? 100 : 200);
  }
  EXPECT_EQ(left_out, 0);
}

TEST(LaunchStrata, DifferInShapeAndWork) {
  Launches all(0.05);
  for (int i = 0; i < 5; ++i) all.launch(1, 100, 1500);
  EXPECT_TRUE(all.launch(1, 100, 1501)) << "about the same work";
  EXPECT_FALSE(all.launch(1, 100, 1700));
  EXPECT_FALSE(all.launch(2, 100, 1500));
}

TEST(LaunchStrata, ALaunchThatIsLeftOutHasTheReportsOfTimedOnesInTurn) {
  Launches all(0.05);
  all.launch(1, 1000);
  for (const double cycles : {98, 100, 102}) EXPECT_FALSE(all.launch(1, cycles));
  for (const double cycles : {98, 100, 102, 98}) {
    EXPECT_TRUE(all.launch(1, 1, 1001));
    EXPECT_EQ(all.last.metrics["gpc__cycles_elapsed.max"], cycles);
    EXPECT_EQ(all.last.metrics["smsp__inst_executed.sum"], 1001);
    EXPECT_EQ(all.last.warp_instructions, 1001u);
    EXPECT_EQ(all.last.trace_hash, "");
    ASSERT_TRUE(all.last.stratum);
    EXPECT_EQ(all.last.stratum->timed, 3u);
    EXPECT_NEAR(all.last.stratum->mean_pct, 4.303 * 2 / std::sqrt(3), 1e-9);
    EXPECT_NEAR(all.last.stratum->interval_pct, 4.303 * 2 * std::sqrt(4.0 / 3), 1e-9) << "of one launch";
  }
}

TEST(LaunchStrata, ALaunchBeforeOneOfNoStratumIsTimed) {
  Launches all(0.05);
  int left_out = 0;
  for (int i = 0; i < 12; ++i) {
    left_out += all.launch(1, 100);
    all.strata().other_timed();
  }
  EXPECT_EQ(left_out, 0);
}

TEST(LaunchStrata, TheFirstLaunchOfANewContextDoesNotCount) {
  Launches all(0.05);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(all.launch(1, 100));
  all.strata().renewed();
  EXPECT_FALSE(all.launch(1, 900));
  EXPECT_FALSE(all.launch(1, 100));
  EXPECT_TRUE(all.launch(1, 100)) << "three that count";
}

TEST(LaunchStrata, WhatFollowsATimedLaunchOfNoStratumCounts) {
  Launches all(0.05);
  for (int i = 1; i <= 14; ++i) all.launch(1, 100);
  all.strata().other_timed();
  EXPECT_FALSE(all.launch(1, 100)) << "the next one must be timed";
  EXPECT_FALSE(all.launch(1, 100));
  EXPECT_TRUE(all.launch(1, 100));
}

TEST(Session, IsMadeFromAStructWithoutAnyVariable) {
  unsetenv("SASSIM_CONFIG");
  SessionOptions options;
  options.config = SASSIM_SOURCE_DIR "/configs/chips/t4.yaml";
  options.launches.timing = false;
  Session first(options);
  options.config = SASSIM_SOURCE_DIR "/configs/chips/v100.yaml";
  Session second(options);
  EXPECT_EQ(first.gpu().arch, 75);
  EXPECT_EQ(second.gpu().arch, 70);
  EXPECT_THROW(Session(SessionOptions{}), ApiError);
}

TEST(Session, VariablesAreReadAtTheRim) {
  setenv("SASSIM_CONFIG", "somewhere.yaml", 1);
  setenv("SASSIM_TIMING", "0", 1);
  setenv("SASSIM_LIVE", "never", 1);
  setenv("SASSIM_THREADS", "3", 1);
  const SessionOptions options = options_from_environment();
  for (const char* name : {"SASSIM_CONFIG", "SASSIM_TIMING", "SASSIM_LIVE", "SASSIM_THREADS"}) unsetenv(name);
  EXPECT_EQ(options.config, "somewhere.yaml");
  EXPECT_FALSE(options.launches.timing);
  EXPECT_EQ(options.launches.live, LiveKernels::none);
  EXPECT_EQ(options.launches.threads, 3u);
}

}  // namespace
}  // namespace sassim::cuda
