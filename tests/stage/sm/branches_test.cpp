// SPDX-License-Identifier: Apache-2.0
// What branches and the convergence of threads cost; how the cycles at a barrier are counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "arch/network/slice_map.h"
#include "arch/network/topology.h"
#include "tests/support/test_gpu.h"

namespace sassim::arch::test {
namespace {

/// Cycles from the issue of a taken branch to that of what it leads to.
struct Cost {
  std::uint64_t backward, forward;
};

Cost cost(const config::GpuConfig& config) {
  std::string between;
  for (int i = 0; i < 24; ++i) between += "NOP ;\n";
  SassKernel kernel(
      "back:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
      "B------:R-:W-:-:S05 @P0 BRA back ;\n"
      "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
      "B------:R-:W-:-:S05 BRA over ;\n" +
          between + "over:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
      config.arch);
  kernel.loop("back", 3);
  const SmRun run = run_sm(config, kernel);
  const auto at = [&](std::uint32_t line, std::size_t n) { return run.issues_of(0, line).at(n); };
  EXPECT_EQ(at(0, 2) - at(1, 1), at(0, 1) - at(1, 0));
  return {at(0, 1) - at(1, 0), at(kernel.line_of("over"), 0) - at(3, 0)};
}

std::uint64_t fetched(const config::GpuConfig& config) { return config.sm.front_end.l0_latency; }

TEST(Branches, TakenOnesCostTheSameInBothDirections) {
  const config::GpuConfig config = without_code_misses("h200");
  const Cost measured = cost(config);
  EXPECT_EQ(measured.backward, config.sm.issue.branch_latency + fetched(config));
  EXPECT_EQ(measured.forward, measured.backward);
}

/// When each of four warps goes on behind the branch.
std::vector<std::uint64_t> ends_of(const std::string& branch, const config::GpuConfig& config) {
  SassKernel kernel(
      "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
      "B------:R-:W-:-:S05 " +
          branch +
          " over ;\n"
          "NOP ;\n"
          "over:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
      config.arch);
  kernel.warps(4);
  const SmRun run = run_sm(config, kernel);
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t warp = 0; warp < 4; ++warp)
    cycles.push_back(run.issues_of(warp, 3).at(0) - run.issues_of(warp, 1).at(0));
  return cycles;
}

// h200/instructions.md#branches: a call and its return take 44 cycles, 32 warps' one after the other 194; a call of a
// function whose address is in a register takes 30 cycles more.
TEST(Branches, ReturnsAndCallsByARegisterTakeLongerAndTakeTurns) {
  config::GpuConfig config = without_code_misses("h200");
  const auto taken = ends_of("RET.REL.NODEC R2", config);
  EXPECT_EQ(taken[0], config.sm.issue.indirect.latency + fetched(config));
  EXPECT_EQ(ends_of("CALL.REL.NOINC R2", config), taken);
  EXPECT_EQ(ends_of("CALL.REL.NOINC", config)[0], config.sm.issue.branch_latency + fetched(config));
  config.sm.issue.indirect.interval = 40;
  const auto slow = ends_of("RET.REL.NODEC R2", config);
  EXPECT_GE(*std::max_element(slow.begin(), slow.end()), taken[0] + 3 * 30) << "one unit for the SM";
}

// h200/instructions.md#branches: 36 cycles, as a return; a call to a fixed place is a taken branch.
TEST(Branches, CallsThroughAPointerTakeAsLongAsReturns) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](const char* call) {
    const SassKernel kernel(std::string("B------:R-:W-:-:S05 ") + call +
                                " ;\nNOP ;\nover:\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
                            config.arch);
    const SmRun run = run_sm(config, kernel);
    return run.issues_of(0, 2).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(cycles("CALL.REL.NOINC R2 over"), config.sm.issue.indirect.latency + fetched(config));
  EXPECT_EQ(cycles("CALL.REL.NOINC over"), config.sm.issue.branch_latency + fetched(config));
}

TEST(Convergence, WhatFollowsBsyncOrYieldIsFetchedWhenItIsDone) {
  config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](const std::string& what) {
    const SassKernel kernel(
        "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
        "B------:R-:W-:-:S05 " +
            what +
            " ;\n"
            "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
        config.arch);
    const SmRun run = run_sm(config, kernel);
    return run.issues_of(0, 2).at(0) - run.issues_of(0, 1).at(0);
  };
  EXPECT_EQ(cycles("BSYNC B0"), config.sm.issue.sync_latency + fetched(config));
  EXPECT_EQ(cycles("YIELD"), config.sm.issue.give_way_latency + fetched(config));
  config.sm.issue.sync_latency = config.sm.issue.give_way_latency = 0;
  EXPECT_EQ(cycles("BSYNC B0"), 5u) << "the stall count";
  EXPECT_EQ(cycles("YIELD"), 5u);
}

TEST(Convergence, AllThatAWarpWaitsBehindBsyncIsForItsBranch) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto waits = [&](const char* what) {
    const SassKernel kernel(
        std::string("B------:R-:W-:-:S05 ") + what + " ;\nB------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
        config.arch);
    const LineStalls line = run_sm(config, kernel).lines.at(1);
    return std::pair{line.cycles[index(StallReason::branch_resolving)],
                     line.cycles[index(StallReason::no_instruction)]};
  };
  EXPECT_EQ(waits("BSYNC B0"), std::pair(config.sm.issue.sync_latency + fetched(config) - 5, std::uint64_t{0}));
  EXPECT_GT(waits("YIELD").second, 0u) << "fetch";
}

TEST(Convergence, ABranchThatPartsThreadsCostsOnBothSides) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](std::uint32_t falls_through) {
    SassKernel kernel(
        "B------:R-:W-:-:S05 @P0 BRA over ;\n"
        "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
        "over:\nEXIT ;\n",
        config.arch);
    kernel.active_at([=](std::uint32_t line) { return line == 1 ? LaneMask{falls_through} : LaneMask::all(); });
    const SmRun run = run_sm(config, kernel);
    return run.issues_of(0, 1).at(0) - run.issues_of(0, 0).at(0);
  };
  EXPECT_EQ(cycles(~0u), 5u) << "nobody takes it";
  EXPECT_EQ(cycles(0xffu), config.sm.issue.branch_latency + fetched(config));
}

// h200/instructions.md#yield, h200/shared-memory.md#shared-memory: 48 cycles more for threads that are not the last
// branch's other side.
TEST(Convergence, ThreadsOfThePoolContinueLater) {
  config::GpuConfig config = without_code_misses("h200");
  SassKernel kernel(
      "B------:R-:W-:-:S05 @P0 BRA other ;\n"
      "B------:R-:W-:-:S05 @P1 BRA meet ;\n"
      "meet:\n"
      "B------:R-:W-:-:S05 BSYNC B1 ;\n"
      "other:\n"
      "B------:R-:W-:-:S05 BSYNC B0 ;\n"
      "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
      config.arch);
  const LaneMask all = LaneMask::all(), low{0xffffu}, first{0xffu}, second{0xff00u}, high{0xffff0000u};
  const std::vector<std::pair<std::uint32_t, LaneMask>> path = {{0, all},  {1, low}, {2, first}, {2, second},
                                                                {3, high}, {4, all}, {5, all}};
  kernel.path(path);
  const auto times = [&] {
    const SmRun run = run_sm(config, kernel);
    const auto meet = run.issues_of(0, 2);
    const std::uint64_t other = run.issues_of(0, 3).at(0);
    return std::array{meet.at(1) - meet.at(0), other - meet.at(1), run.issues_of(0, 4).at(0) - other};
  };
  const std::uint64_t sync = config.sm.issue.sync_latency + fetched(config);
  EXPECT_EQ(times(), (std::array{sync, config.sm.issue.give_way_latency + fetched(config), sync}));
  config.sm.issue.give_way_latency = 0;
  EXPECT_EQ(times(), (std::array{sync, sync, sync}));
}

/// From the first instruction of any warp to the last warp's second.
std::uint64_t until_all_go_on(const SmRun& run, std::uint32_t warps) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    first = std::min(first, run.issues_of(warp, 0).at(0));
    last = std::max(last, run.issues_of(warp, 1).at(0));
  }
  return last - first;
}

// h200/instructions.md#branches: 20 cycles for each mask; of all warps one every 2.9 cycles.
TEST(Convergence, WarpsyncTakesOneMaskAfterTheOther) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](std::uint32_t warps, std::uint32_t masks) {
    SassKernel kernel(
        "B------:R-:W-:-:S01 WARPSYNC R3 ;\n"
        "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
        config.arch);
    kernel.warps(warps).details([=](auto, std::uint32_t line) {
      return line == 0 ? detail_of(trace::DetailKind::sync_masks, masks) : trace::Detail();
    });
    const SmRun run = run_sm(config, kernel);
    return until_all_go_on(run, warps);
  };
  EXPECT_EQ(cycles(1, 1), 20u);
  EXPECT_EQ(cycles(1, 9), 9 * 20u);
  EXPECT_NEAR(static_cast<double>(cycles(16, 20)), 16 * 20 * 3, 40);
}

// h200/instructions.md#branches: threads that come in two groups take 47 cycles more than threads that come
// together; 4.3 of the SM.
TEST(Convergence, ThreadsThatComeToWarpsyncInGroupsJoinThere) {
  const config::GpuConfig config = without_code_misses("h200");
  const LaneMask low{0xffffu}, high{0xffff0000u}, all = LaneMask::all();
  const std::vector<std::pair<std::uint32_t, LaneMask>> together = {{0, all}, {1, all}, {2, all}, {3, all}, {4, all}};
  const std::vector<std::pair<std::uint32_t, LaneMask>> groups = {{0, all}, {2, high}, {1, low}, {2, low},
                                                                  {2, all}, {3, all},  {4, all}};
  const auto run = [&](const auto& path, std::uint32_t warps) {
    SassKernel kernel(
        "B------:R-:W-:-:S05 @P0 BRA over ;\n"
        "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
        "over:\n"
        "B------:R-:W-:-:S05 WARPSYNC.ALL ;\n"
        "B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\n"
        "EXIT ;\n",
        config.arch);
    kernel.warps(warps).path(path);
    return run_sm(config, kernel);
  };
  const auto behind = [&](const SmRun& result, std::uint32_t warp) { return result.issues_of(warp, 3).at(0); };
  const SmRun one = run(groups, 1), sixteen = run(groups, 16), same = run(together, 1);
  EXPECT_EQ(behind(one, 0) - one.issues_of(0, 2).back(), config.sm.issue.warp_join.latency);
  EXPECT_EQ(behind(same, 0) - same.issues_of(0, 2).back(), 5u);
  std::uint64_t first = behind(sixteen, 0), last = first;
  for (std::uint32_t warp = 1; warp < 16; ++warp) {
    first = std::min(first, behind(sixteen, warp));
    last = std::max(last, behind(sixteen, warp));
  }
  EXPECT_NEAR(static_cast<double>(last - first), 15.0 * config.sm.issue.warp_join.interval, 12);
}

// h200/instructions.md#branches: 11 cycles for each further value, 13 for each of 64 bits, and 2 (4) of the SM.
TEST(Matching, TakesOneValueAfterTheOther) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](const std::string& match, std::uint32_t warps, std::uint32_t values) {
    SassKernel kernel("B------:R-:W0:-:S02 " + match + " ;\nB0-----:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n",
                      config.arch);
    kernel.warps(warps).details([=](auto, std::uint32_t line) {
      return line == 0 ? detail_of(trace::DetailKind::match_values, values) : trace::Detail();
    });
    const SmRun run = run_sm(config, kernel);
    return until_all_go_on(run, warps);
  };
  const std::string narrow = "MATCH.ANY R2, R3", wide = "MATCH.ANY.U64 R2, R8";
  const std::uint64_t one = cycles(narrow, 1, 1);
  EXPECT_EQ(cycles(narrow, 1, 32), one + 31 * 11);
  EXPECT_EQ(cycles(wide, 1, 1), one + 13);
  EXPECT_EQ(cycles(wide, 1, 9), one + 9 * 13);
  EXPECT_EQ(cycles(narrow, 32, 32), cycles(narrow, 1, 32) + 31 * 64);
  EXPECT_EQ(cycles(wide, 32, 8), cycles(wide, 1, 8) + 31 * 32);
}

// h200/waiting.md#hand-over.
TEST(Convergence, ANapEndsAtThePowerOfTwoAbove) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto naps = [&](std::uint64_t nanoseconds) {
    const std::string nap = "B------:R-:W-:-:S02 NANOSLEEP " + std::to_string(nanoseconds) + " ;\n";
    SassKernel kernel(nap + nap + nap + "EXIT ;\n", config.arch);
    const SmRun run = run_sm(config, kernel);
    return run.issues_of(0, 3).at(0) - run.issues_of(0, 2).at(0);
  };
  for (const std::uint64_t asked : {64u, 100u, 500u, 2000u})
    EXPECT_NEAR(static_cast<double>(naps(asked)), static_cast<double>(std::bit_ceil(asked + 1) * config.clock.sm) / 1e9,
                25)
        << asked;
}

// h200/comparing.md#model-differences: a warp counts as resident for a while after its EXIT; this takes no time.
TEST(Warps, AnEndedWarpCountsAsResidentForTheCyclesOfItsExit) {
  config::GpuConfig config = without_code_misses("h200");
  config.sm.issue.exit.resolve = config.sm.issue.exit.drain = 0;
  SassKernel kernel("B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;\nEXIT ;\n", config.arch);
  kernel.warps(3);
  const SmRun without = run_sm(config, kernel);
  config.sm.issue.exit.resolve = 8;
  config.sm.issue.exit.drain = 7;
  const SmRun with = run_sm(config, kernel);
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_EQ(with.warp_cycles, without.warp_cycles + 3 * 15);
  const auto at_exit = [](const SmRun& run, StallReason reason) { return run.lines.at(1).cycles[index(reason)]; };
  EXPECT_EQ(at_exit(with, StallReason::branch_resolving), at_exit(without, StallReason::branch_resolving) + 3 * 8);
  EXPECT_EQ(at_exit(with, StallReason::drain), at_exit(without, StallReason::drain) + 3 * 7);
}

// h200/l1.md#fences: they ask each slice that any warp of the SM has used since the last fence, also long after.
TEST(Memory, AFenceOfTheGpuAsksTheSlicesThatItsSmUsed) {
  const config::GpuConfig config = without_code_misses("h200");
  const SliceMap map(config.memory);
  const Topology topology(config);
  const auto apart = [&](std::uint64_t address) {
    return topology.apart(Endpoint::of_sm(SmId(0)), Endpoint::of_slice(map.place(address).slice));
  };
  std::string scope = "GPU", operation = "B------:R-:W-:-:S02 STG.E [R4.64], R2 ;";
  std::uint64_t distance = 0;  // there and back, of the line that was used last
  const auto fence = [&](std::uint32_t storing, const std::string& between, bool far = false) {
    std::uint64_t address = 0x10000000;
    while (apart(address) != far) address += 4096;
    distance = 2 * topology.distance(SmId(0), map.place(address).slice).value;
    SassKernel kernel(
        "B------:R-:W-:-:S02 BRA fence ;\n"
        "store:\n" +
            operation +
            "\nBRA fence ;\n"
            "fence:\nB------:R-:W-:-:S02 BAR.SYNC 0x0 ;\n" +
            between + "B------:R-:W-:-:S02 MEMBAR.SC." + scope + " ;\nB------:R-:W-:-:S04 FFMA R6, R2, R2, R2 ;\n" +
            "B------:R-:W-:-:S02 MEMBAR.SC." + scope + " ;\nB------:R-:W-:-:S04 FFMA R6, R2, R2, R2 ;\nEXIT ;\n",
        config.arch);
    kernel.addresses([=](auto, auto, auto, int) { return address; });
    kernel.warps(2).entry([=](std::uint32_t warp) { return warp == 1 && storing != 0 ? "store" : ""; });
    const SmRun run = run_sm_with_memory(config, kernel);
    const std::uint32_t line =
        kernel.line_of("fence") + 1 + static_cast<std::uint32_t>(std::count(between.begin(), between.end(), ';'));
    const auto cycles = [&](std::uint32_t membar) {
      return run.issues_of(0, membar + 1).at(0) - run.issues_of(0, membar).at(0);
    };
    return std::pair{cycles(line), cycles(line + 2)};
  };
  const config::MemoryIo& io = config.sm.memory_io;
  std::string long_after;
  for (int i = 0; i < 300; ++i) long_after += "B------:R-:W-:-:S15 NOP ;\n";
  const auto within = [&](std::uint64_t cycles, std::uint32_t query) {
    EXPECT_NEAR(static_cast<double>(cycles), static_cast<double>(io.membar_gpu + query + distance), 4) << operation;
  };
  const auto none = fence(0, "");
  EXPECT_NEAR(static_cast<double>(none.first), io.membar_gpu + io.membar_l2.idle, 4);
  EXPECT_GE(fence(1, "").first, io.membar_gpu + io.membar_l2.near);
  for (const char* used :
       {"STG.E [R4.64], R2", "LDG.E R8, [R4.64]", "LDG.E.CONSTANT R8, [R4.64]", "RED.E.ADD.STRONG.GPU [R4.64], R2"}) {
    operation = std::string("B------:R-:W-:-:S02 ") + used + " ;";
    const auto quiet = fence(1, long_after);
    within(quiet.first, io.membar_l2.near);
    EXPECT_EQ(quiet.second, none.second) << "nothing was used since the last";
    within(fence(1, long_after, true).first, io.membar_l2.far);
  }
  scope = "SYS";
  EXPECT_NEAR(static_cast<double>(fence(0, "").first), io.membar_l2.host + io.membar_sys, 4);
  EXPECT_EQ(fence(1, long_after, true).first, fence(0, "").first) << "asking the slices takes less";
}

// CCTL.IVALL, which follows a load that acquires and a fence of the GPU.
TEST(Memory, WhatTheL1HeldIsForgottenWhereAWarpSaysSo) {
  const config::GpuConfig config = without_code_misses("h200");
  const auto second_load = [&](const std::string& between) {
    SassKernel kernel(
        "B------:R-:W0:-:S02 LDG.E R2, [R4.64] ;\nB0-----:R-:W-:-:S04 FFMA R6, R2, R2, R2 ;\n" + between +
            " ;\nB------:R-:W0:-:S02 LDG.E R2, [R4.64] ;\nB0-----:R-:W-:-:S04 FFMA R6, R2, R2, R2 ;\nEXIT ;\n",
        config.arch);
    const SmRun run = run_sm_with_memory(config, kernel);
    return run.issues_of(0, 4).at(0) - run.issues_of(0, 3).at(0);
  };
  EXPECT_EQ(second_load("B------:R-:W-:-:S04 NOP"), config.sm.l1.hit_latency);
  EXPECT_GT(second_load("B------:R-:W-:-:S04 CCTL.IVALL"), config.sm.l1.hit_latency + 100);
}

// 8 warps of a processing block with a branch in 18 instructions: with one instruction at a time fetch never makes up
// for the time in which branches leave it nothing to do.
TEST(Fetching, TwoInstructionsAtATimeKeepEightWarpsFed) {
  config::GpuConfig config = without_code_misses("h200");
  const auto cycles = [&](std::uint32_t width) {
    config.sm.front_end.fetch_width = width;
    std::string body = "back:\n";
    for (int i = 0; i < 16; ++i) body += "B------:R-:W-:-:S04 FFMA R11, R11, R8, R8 ;\n";
    SassKernel kernel(body + "B------:R-:W-:-:S05 @P0 BRA back ;\nEXIT ;\n", config.arch);
    kernel.warps(32).loop("back", 50);
    return run_sm(config, kernel).cycles.value;
  };
  EXPECT_GT(cycles(1), 50u * 17 * 8 * 108 / 100);
  EXPECT_LT(cycles(2), 50u * 17 * 8 * 106 / 100);
}

// The stall count of a barrier's own instruction comes first: what Nsight counts as `wait` in kernels with many
// barriers.
TEST(Barriers, TheStallCountOfABarrierIsNoWaitingForOthers) {
  const auto cycles = [](const std::string& stall, StallReason reason) {
    SassKernel kernel(
        "late:\nB------:R-:W-:-:S15 NOP ;\nB------:R-:W-:-:S15 NOP ;\nB------:R-:W-:-:S15 NOP ;\n"
        "early:\nB------:R-:W-:-:" +
        stall + " BAR.SYNC 0x0 ;\nB------:R-:W-:-:S05 EXIT ;\n");
    kernel.warps(2).entry([](std::uint32_t warp) { return warp == 0 ? "early" : "late"; });
    return run_sm(without_code_misses("v100"), kernel).lines[4].cycles[index(reason)];
  };
  EXPECT_EQ(cycles("S09", StallReason::wait), cycles("S02", StallReason::wait) + 2 * 7);
  EXPECT_EQ(cycles("S09", StallReason::barrier), cycles("S02", StallReason::barrier) - 2 * 7);
}

}  // namespace
}  // namespace sassim::arch::test
