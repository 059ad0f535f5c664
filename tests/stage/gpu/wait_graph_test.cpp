// SPDX-License-Identifier: Apache-2.0
// What a run that makes no progress says: each kind of wait is provoked.
#include "sim/base/wait_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "arch/gpu/gpu.h"
#include "arch/memory/fixed_memory.h"
#include "arch/memory/full_memory.h"
#include "sim/base/registry.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Takes requests and never answers.
class SilentMemory final : public MemorySystem {
 public:
  explicit SilentMemory(const config::GpuConfig& config) : memory_(config) {}
  MemoryPort& port(SmId sm) override { return memory_.port(sm); }
  std::vector<Component*> components() override { return {}; }
  Cycle lookahead() const override { return memory_.lookahead(); }
  void start_kernel(bool keep_caches) override { memory_.start_kernel(keep_caches); }
  bool idle() const override { return memory_.idle(); }
  void check_conservation() const override {}
  void report(stats::CounterValues& values) const override { memory_.report(values); }
  void describe_waits(WaitGraph& graph) const override { memory_.describe_waits(graph); }
  void exchange(Cycle) override {}

 private:
  FixedMemory memory_;
};

const Registered<MemorySystem, SilentMemory, const config::GpuConfig&> silent("silent");

/// The real one, whose parts do nothing from `stop` on.
Cycle stop;
class StoppingMemory final : public MemorySystem {
 public:
  explicit StoppingMemory(const config::GpuConfig& config) : memory_(config) {
    for (Component* part : memory_.components()) parts_.push_back(std::make_unique<Part>(*part));
  }
  MemoryPort& port(SmId sm) override { return memory_.port(sm); }
  std::vector<Component*> components() override {
    std::vector<Component*> all;
    for (auto& part : parts_) all.push_back(part.get());
    return all;
  }
  Cycle lookahead() const override { return memory_.lookahead(); }
  void start_kernel(bool keep_caches) override { memory_.start_kernel(keep_caches); }
  bool idle() const override { return memory_.idle(); }
  void check_conservation() const override {}
  void report(stats::CounterValues& values) const override { memory_.report(values); }
  void describe_waits(WaitGraph& graph) const override { memory_.describe_waits(graph); }
  void exchange(Cycle now) override { memory_.exchange(now); }

 private:
  struct Part final : Component {
    explicit Part(Component& given) : part(given) {}
    void advance(Cycle until) override { part.advance(std::min(until, stop)); }
    Cycle next_event() const override { return part.next_event() < stop ? part.next_event() : kNever; }
    Component& part;
  };
  FullMemory memory_;
  std::vector<std::unique_ptr<Part>> parts_;
};

const Registered<MemorySystem, StoppingMemory, const config::GpuConfig&> stopping("stopping");

config::GpuConfig one_sm(std::vector<std::string> overrides = {}, const std::string& chip = "v100") {
  overrides.insert(overrides.begin(), {"sm.count=1", "memory.model=fixed", "sm.front_end.perfect=true"});
  auto config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + chip + ".yaml", overrides);
  config.memory.model = "silent";
  return config;
}

struct Report {
  std::string text;
  WaitGraph graph;

  WaitGraph::Node node(const std::string& name) const {
    for (WaitGraph::Node n = 0; n < graph.size(); ++n)
      if (graph.name(n) == name) return n;
    ADD_FAILURE() << "no node '" << name << "' in\n" << graph.dot();
    return 0;
  }
  std::string detail(const std::string& name) const { return graph.detail(node(name)); }
  /// Each waits for the next.
  void expect_chain(const std::vector<std::string>& names) const {
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      EXPECT_TRUE(graph.waits_for(node(names[i]), node(names[i + 1])))
          << names[i] << " does not wait for " << names[i + 1] << " in\n"
          << graph.dot();
  }
};

Report report_of(const config::GpuConfig& config, const SassKernel& kernel, std::uint64_t limit = 2000) {
  Gpu gpu(config);
  RunOptions options;
  options.no_progress_cycles = limit;
  try {
    gpu.run(*kernel.source(), options);
  } catch (const Stuck& stuck) {
    EXPECT_LE(std::count(stuck.what(), stuck.what() + std::strlen(stuck.what()), '\n'), 21) << stuck.what();
    EXPECT_THAT(stuck.what(), HasSubstr("no progress at cycle"));
    return {stuck.what(), stuck.graph()};
  }
  ADD_FAILURE() << "the kernel ended";
  return {};
}

TEST(WaitGraph, ABarrierThatLacksWarpsSaysHowMany) {
  SassKernel kernel("NOP ;\nB------:R-:W-:-:S01 BAR.SYNC 0x1, 0x60 ;\nEXIT ;\n");
  kernel.warps(2);
  const Report report = report_of(one_sm(), kernel);
  report.expect_chain({"warp 0 of thread block 0", "barrier 1 of thread block 0"});
  report.expect_chain({"warp 1 of thread block 0", "barrier 1 of thread block 0"});
  EXPECT_EQ(report.detail("barrier 1 of thread block 0"),
            "2 of 3 warps have arrived; it needs 3 warps, but the block has 2 left");
  EXPECT_THAT(report.text, HasSubstr("after 'BAR.SYNC 0x1, 0x60' at pc 0x0010, before 'EXIT' at pc 0x0020: barrier ("));
  EXPECT_TRUE(report.graph.cycles().empty());
}

TEST(WaitGraph, WarpsThatWaitAtEachOthersBarriersAreACycle) {
  SassKernel kernel(
      "first:\nB------:R-:W-:-:S05 BAR.SYNC 0x1, 0x40 ;\nB------:R-:W-:-:S05 BAR.SYNC 0x2, 0x40 ;\nEXIT ;\n"
      "second:\nB------:R-:W-:-:S05 BAR.SYNC 0x2, 0x40 ;\nB------:R-:W-:-:S05 BAR.SYNC 0x1, 0x40 ;\nEXIT ;\n");
  kernel.warps(2);
  kernel.entry([](std::uint32_t warp) { return warp == 0 ? "first" : "second"; });
  const Report report = report_of(one_sm(), kernel);
  const auto cycles = report.graph.cycles();
  ASSERT_THAT(cycles, SizeIs(1));
  EXPECT_THAT(cycles[0], SizeIs(4));
  report.expect_chain({"warp 0 of thread block 0", "barrier 1 of thread block 0", "warp 1 of thread block 0",
                       "barrier 2 of thread block 0", "warp 0 of thread block 0"});
  EXPECT_THAT(report.text, HasSubstr("these 4 wait for each other in a circle:\n  warp 0 of thread block 0: SM 0"));
  EXPECT_THAT(report.text, HasSubstr("has not arrived -> warp 0 of thread block 0 (above)"));
  EXPECT_THAT(report.text, HasSubstr("'BAR.SYNC 0x2, 0x40' at pc 0x0030"));
  EXPECT_THAT(report.graph.dot(), HasSubstr("color=red"));
}

TEST(WaitGraph, AWarpThatIsLateForItsBarrierIsNamedWithWhatItWaitsFor) {
  SassKernel kernel(
      "first:\nB------:R-:W-:-:S05 BAR.SYNC 0x0 ;\nEXIT ;\n"
      "second:\nB------:R-:W3:-:S02 LDG.E R8, [R2.64] ;\nB---3--:R-:W-:-:S05 BAR.SYNC 0x0 ;\nEXIT ;\n");
  kernel.warps(2);
  kernel.entry([](std::uint32_t warp) { return warp == 0 ? "first" : "second"; });
  const Report report = report_of(one_sm(), kernel);
  report.expect_chain({"warp 0 of thread block 0", "barrier 0 of thread block 0", "warp 1 of thread block 0",
                       "dependence counter 3 of warp 1 of thread block 0",
                       "'LDG.E R8, [R2.64]' at pc 0x0020 by warp 1 of thread block 0", "L1 of SM 0",
                       "memory port of SM 0", "memory of fixed latency"});
  EXPECT_THAT(report.detail("memory port of SM 0"), HasSubstr("1 replies outstanding"));
}

// Where it is depends on when its memory stops.
TEST(WaitGraph, ALoadIsFollowedToTheDramChannel) {
  const SassKernel kernel(
      "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 IADD3 R8, R8, R8, RZ ;\nEXIT ;\n");
  auto config =
      config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=1", "sm.front_end.perfect=true"});
  config.memory.model = "stopping";
  std::size_t in_dram = 0, in_slice = 0;
  for (stop = Cycle(0); stop < Cycle(4000) && in_dram * in_slice == 0; stop = stop + 10) {
    const Report report = report_of(config, kernel, 4000);
    report.expect_chain({"warp 0 of thread block 0", "dependence counter 0 of warp 0 of thread block 0",
                         "'LDG.E R8, [R2.64]' at pc 0x0000 by warp 0 of thread block 0", "L1 of SM 0",
                         "memory port of SM 0", "the network"});
    EXPECT_THAT(report.text, HasSubstr("before 'IADD3 R8, R8, R8, RZ' at pc 0x0010: long_scoreboard"));
    const bool slice = report.text.find("requests that it holds -> L2 slice ") != std::string::npos;
    in_slice += slice ? 1 : 0;
    in_dram += slice && report.text.find("fills -> DRAM channel ") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(in_slice, 0u);
  EXPECT_GT(in_dram, 0u);
}

TEST(WaitGraph, WithAScoreboardTheWarpWaitsForItsOperations) {
  const SassKernel kernel("LDG.E R8, [R2.64] ;\nIADD3 R8, R8, R8, RZ ;\nEXIT ;\n");
  report_of(one_sm({"sm.issue.dependence=scoreboard"}), kernel)
      .expect_chain(
          {"warp 0 of thread block 0", "'LDG.E R8, [R2.64]' at pc 0x0000 by warp 0 of thread block 0", "L1 of SM 0"});
}

TEST(WaitGraph, AFullMemoryQueueIsNamedWithWhatIsInIt) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "B------:R-:W-:-:S02 LDG.E R8, [R2.64] ;\n";
  SassKernel kernel(text + "EXIT ;\n");
  kernel.warps(4).addresses([](std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
    return 0x10000000 + (std::uint64_t{warp} * 100 + line) * 4096 + 128 * static_cast<std::uint64_t>(lane);
  });
  const Report report = report_of(one_sm(), kernel);
  report.expect_chain({"warp 0 of thread block 0", "memory queue of processing block 0 of SM 0", "memory stage of SM 0",
                       "L1 of SM 0", "memory port of SM 0"});
  EXPECT_THAT(report.detail("warp 0 of thread block 0"), HasSubstr("lg_throttle"));
  EXPECT_THAT(report.detail("memory queue of processing block 0 of SM 0"),
              HasSubstr("entries are occupied, the oldest by 'LDG.E"));
  EXPECT_THAT(report.detail("L1 of SM 0"), HasSubstr("8 of 8 in its queue"));
}

TEST(WaitGraph, AFenceWaitsForTheStoresOfOtherWarps) {
  SassKernel kernel(
      "first:\nB------:R-:W-:-:S02 STG.E [R2.64], R8 ;\nB------:R-:W-:-:S05 EXIT ;\n"
      "second:\nNOP ;\nB------:R-:W-:-:S15 NOP ;\nB------:R-:W-:-:S05 MEMBAR.SC.GPU ;\nEXIT ;\n");
  kernel.warps(2);
  kernel.entry([](std::uint32_t warp) { return warp == 0 ? "first" : "second"; });
  const Report report = report_of(one_sm(), kernel);
  report.expect_chain({"warp 1 of thread block 0", "fences of SM 0",
                       "'STG.E [R2.64], R8' at pc 0x0000 by a warp of SM 0 that has ended", "L1 of SM 0"});
  EXPECT_THAT(report.detail("warp 1 of thread block 0"), HasSubstr("after 'MEMBAR.SC.GPU' at pc 0x0040"));
}

TEST(WaitGraph, AFenceWaitsForItsOwnWarpFirst) {
  const SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB------:R-:W-:-:S05 MEMBAR.SC.GPU ;\nEXIT ;\n");
  report_of(one_sm(), kernel)
      .expect_chain({"warp 0 of thread block 0", "'LDG.E R8, [R2.64]' at pc 0x0000 by warp 0 of thread block 0"});
}

TEST(WaitGraph, CodeAndConstantsThatDoNotComeAreNamed) {
  const SassKernel code("NOP ;\nEXIT ;\n");
  const Report fetch = report_of(one_sm({"sm.front_end.perfect=false", "launch.code_prefetch=0"}), code);
  fetch.expect_chain({"warp 0 of thread block 0", "instruction and constant caches of SM 0", "memory port of SM 0"});
  EXPECT_THAT(fetch.text, HasSubstr("no_instruction"));
  const SassKernel constant("B------:R-:W-:-:S04 FADD R4, R5, c[0x3][0x40] ;\nEXIT ;\n");
  const Report operand = report_of(one_sm({"launch.code_prefetch=0"}), constant);
  operand.expect_chain({"warp 0 of thread block 0", "instruction and constant caches of SM 0", "memory port of SM 0"});
  EXPECT_THAT(operand.text, HasSubstr("imc_miss"));
}

const std::string kCopy = "B------:R-:W-:-:S04 LDGSTS.E.BYPASS.128 [R4], [R2.64] ;\n";

TEST(WaitGraph, AGroupOfCopiesNamesItsCopies) {
  const SassKernel kernel(kCopy +
                              "B------:R-:W0:-:S01 LDGDEPBAR ;\nB------:R-:W-:-:S02 DEPBAR.LE SB0, 0x0 ;\n"
                              "B------:R-:W-:-:S02 NOP ;\nEXIT ;\n",
                          90);
  const Report report = report_of(one_sm({}, "h200"), kernel);
  report.expect_chain({"warp 0 of thread block 0", "dependence counter 0 of warp 0 of thread block 0",
                       "'LDGSTS.E.BYPASS.128 [R4], [R2.64]' at pc 0x0000 by warp 0 of thread block 0", "L1 of SM 0"});
  EXPECT_THAT(report.text, HasSubstr("a copy before 'LDGDEPBAR' at pc 0x0010"));
  EXPECT_THAT(report.text, HasSubstr("after 'DEPBAR.LE SB0, 0x0' at pc 0x0020"));
}

/// Warp 0 makes a barrier in shared memory for 64 arrivals; warp 1 waits for its first phase.
Report meet(const std::string& arrives) {
  SassKernel kernel(
      "first:\nB------:R-:W0:-:S01 SYNCS.EXCH.64 URZ, [UR4], UR6 ;\nB0-----:R-:W-:-:S05 BAR.SYNC 0x0 ;\n" + arrives +
          "B------:R-:W-:-:S05 BAR.SYNC 0x1 ;\nEXIT ;\n"
          "second:\nB------:R-:W-:-:S05 BAR.SYNC 0x0 ;\n"
          "check:\nB------:R-:W1:-:S02 SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], RZ ;\n"
          "B-1----:R-:W-:-:S05 BAR.SYNC 0x1 ;\nEXIT ;\n",
      90);
  kernel.warps(2);
  kernel.entry([](std::uint32_t warp) { return warp == 0 ? "first" : "second"; });
  kernel.addresses([](std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
    return line == 2 ? 0x10000000 + 16 * static_cast<std::uint64_t>(lane) : std::uint64_t{0x40};
  });
  kernel.details([check = kernel.line_of("check")](std::uint32_t, std::uint32_t line) {
    if (line == 0) return detail_of(trace::DetailKind::barrier_init, 64);
    return line == check ? detail_of(trace::PhaseTest{.phase = false, .over = true}) : trace::Detail();
  });
  return report_of(one_sm({}, "h200"), kernel);
}

// Warp 0 should arrive, but waits at another barrier for warp 1.
TEST(WaitGraph, BarriersInSharedMemoryTakePartInCycles) {
  const Report report = meet("NOP ;\n");
  const std::string barrier = "barrier at shared address 0x40 of thread block 0";
  EXPECT_EQ(report.detail(barrier), "its phase still needs 64 arrivals and 0 transactions");
  report.expect_chain({"warp 1 of thread block 0", "dependence counter 1 of warp 1 of thread block 0",
                       "'SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], RZ' at pc 0x0060 by warp 1 of thread block 0",
                       barrier, "warp 0 of thread block 0", "barrier 1 of thread block 0", "warp 1 of thread block 0"});
  ASSERT_THAT(report.graph.cycles(), SizeIs(1));
  EXPECT_THAT(report.graph.cycles()[0], SizeIs(6));
}

TEST(WaitGraph, ABarrierInSharedMemoryWaitsForCopiesThatArrive) {
  const Report report = meet(kCopy + "B------:R-:W-:-:S01 ARRIVES.LDGSTSBAR.64.ARVCNT [UR4] ;\n");
  report.expect_chain({"barrier at shared address 0x40 of thread block 0",
                       "'LDGSTS.E.BYPASS.128 [R4], [R2.64]' at pc 0x0020 by warp 0 of thread block 0", "L1 of SM 0"});
}

TEST(WaitGraph, IsTheSameForAnyNumberOfThreads) {
  const auto config =
      config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=4", "memory.dram.latency=9000"});
  SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 IADD3 R8, R8, R8, RZ ;\nEXIT ;\n");
  kernel.warps(8).blocks(16);
  std::vector<std::string> dots;
  for (const unsigned threads : {1u, 3u}) {
    RunOptions options;
    options.no_progress_cycles = 4000;
    options.threads = threads;
    try {
      Gpu(config).run(*kernel.source(), options);
    } catch (const Stuck& stuck) {
      dots.push_back(stuck.what() + stuck.graph().dot());
    }
  }
  ASSERT_THAT(dots, SizeIs(2));
  EXPECT_EQ(dots[0], dots[1]);
}

}  // namespace
}  // namespace sassim::arch::test
