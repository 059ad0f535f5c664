// SPDX-License-Identifier: Apache-2.0
// The whole GPU: SystemC hierarchy, block scheduling, epochs, accounts, refusals.
#include "arch/gpu/gpu.h"

#include <gtest/gtest.h>

#include <utility>

#include "arch/gpu/gpu_module.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

/// A launch takes no time but what a test asks for.
config::GpuConfig small(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(),
                   {"sm.count=4", "memory.model=fixed", "launch.latency=0", "launch.flush=0", "launch.write_flush=0",
                    "launch.write_flush_interval=0", "launch.sm_interval=0", "launch.block_retire_interval=0"});
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", overrides);
}

constexpr const char* kLoop = R"(
  B------:R-:W-:-:S04 MOV R0, 0x0 ;
loop:
  B------:R-:W-:-:S02 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S02 FFMA R7, R4, R5, R6 ;
  B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;
  B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;
  B------:R-:W-:-:S05 @P0 BRA loop ;
  B------:R0:W-:-:S02 STG.E [R2.64], R8 ;
  B------:R-:W-:-:S05 EXIT ;
)";

constexpr const char* kStore = R"(
  B------:R-:W-:-:S02 STG.E [R2.64], R8 ;
  B------:R-:W-:-:S05 EXIT ;
)";

SassKernel loop_kernel(std::uint32_t blocks) {
  SassKernel kernel(kLoop);
  kernel.loop("loop", 10).warps(4).blocks(blocks);
  return kernel;
}

TEST(Gpu, SystemcKnowsTheHierarchy) {
  System system;
  const config::GpuConfig config = small();
  const GpuModule module(system, config, "gpu");
  const auto names = module.names();
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  EXPECT_TRUE(has("gpu"));
  EXPECT_TRUE(has("gpu.memory"));
  EXPECT_TRUE(has("gpu.sm3"));
  EXPECT_TRUE(has("gpu.sm3.processing_block3"));
  EXPECT_EQ(names.size(), 2u + 4u * 5u);
}

TEST(Gpu, EverySlotAndEveryWarpCycleIsAccountedFor) {
  Gpu gpu(small());
  const auto source = loop_kernel(50).source();
  const KernelResult result = gpu.run(*source);
  EXPECT_EQ(result.warp_instructions, 50u * 4u * (1u + 10u * 5u + 2u));
  const auto& m = result.metrics;
  double slots = 0, warp_cycles = 0;
  for (std::size_t r = 0; r < kStallReasons; ++r) {
    const std::string name(stall_name(static_cast<StallReason>(r)));
    slots += m["sassim__issue_slots_" + name + ".sum"];
    if (static_cast<StallReason>(r) != StallReason::no_warp) warp_cycles += m["sassim__warp_cycles_" + name + ".sum"];
  }
  EXPECT_EQ(slots, static_cast<double>(result.cycles.value) * 16);
  EXPECT_EQ(warp_cycles, m["sm__warps_active.sum"]);
  EXPECT_EQ(m["sassim__issue_slots_selected.sum"], m["smsp__inst_executed.sum"]);
}

TEST(Gpu, TheResultDependsNeitherOnEpochsNorOnThreads) {
  const auto source = loop_kernel(300).source();
  std::vector<KernelResult> results;
  for (const auto& [threads, epoch] : {std::pair{1u, 0u}, {1u, 1u}, {1u, 17u}, {3u, 0u}}) {
    Gpu gpu(small());
    RunOptions options;
    options.threads = threads;
    options.epoch = epoch;
    results.push_back(gpu.run(*source, options));
  }
  for (const KernelResult& result : results) {
    EXPECT_EQ(result.cycles, results[0].cycles);
    for (const auto& [row, value] : results[0].metrics.all()) EXPECT_EQ(result.metrics[row->name], value) << row->name;
  }
}

// SMs and memory advance in turn, but four SMs are too few for two threads. The next launch starts where the epochs of
// the last one end.
TEST(Gpu, InTurnLaunchesAreThoseOfSingleEpochs) {
  std::vector<std::uint64_t> told;  // by the progress of the launches
  const auto run = [&](const std::string& memory, unsigned threads, std::uint64_t series) {
    Gpu gpu(small({"memory.model=" + memory, "memory.fixed_latency=100", "sm.occupancy.block_replacement_delay=300"}));
    std::vector<KernelResult> results;
    RunOptions options;
    options.caches = CacheStart::keep;
    options.threads = threads;
    options.series = series;
    options.progress = [&](const KernelProgress& now) { told.push_back(now.cycles.value + now.warp_instructions); };
    for (const std::uint32_t blocks : {1u, 40u, 7u, 300u}) {
      SassKernel kernel(kStore);
      for (const auto& source : {loop_kernel(blocks).source(), kernel.blocks(blocks).source()})
        results.push_back(gpu.run(*source, options)), ++options.launch;
    }
    return results;
  };
  for (const auto& [memory, series] : {std::pair{"full", 0}, {"full", 64}, {"fixed", 0}}) {
    const std::vector<KernelResult> single = run(memory, 2, series);
    const std::vector<std::uint64_t> told_of_single = std::exchange(told, {});
    const std::vector<KernelResult> in_turn = run(memory, 1, series);
    EXPECT_EQ(std::exchange(told, {}), told_of_single);
    for (std::size_t i = 0; i < single.size(); ++i) {
      EXPECT_EQ(in_turn[i].cycles, single[i].cycles) << i;
      EXPECT_EQ(in_turn[i].metrics, single[i].metrics) << i;
      EXPECT_EQ(in_turn[i].series.intervals, single[i].series.intervals) << i;
    }
  }
}

TEST(Gpu, TwoGpusInOneProcess) {
  Gpu first(small()), second(small({"sm.count=2"}));
  const auto source = loop_kernel(64).source();
  const Cycle a = first.run(*source).cycles, b = second.run(*source).cycles;
  EXPECT_LT(a, b);
  EXPECT_EQ(first.run(*source).cycles, a);
}

TEST(Gpu, ALaunchTakesItsLatencyAndBlocksRetireOneAfterTheOther) {
  const auto source = loop_kernel(4).source();  // one for each SM: all end at once
  const auto cycles = [&](std::vector<std::string> overrides) {
    overrides.push_back("launch.flush=10000");  // the stores of the last blocks are another matter
    Gpu gpu(small(std::move(overrides)));
    const KernelResult result = gpu.run(*source);
    return std::pair{result.cycles.value, result.metrics["sm__cycles_active.sum"]};
  };
  const auto [plain, active] = cycles({});
  EXPECT_EQ(cycles({"launch.latency=1000"}), std::pair(plain + 1000, active));
  EXPECT_EQ(cycles({"launch.block_retire_interval=100"}), std::pair(plain + 3 * 100, active));
}

TEST(Gpu, TheFirstBlocksStartOneAfterTheOther) {
  const auto cycles = [&](std::uint32_t blocks, std::vector<std::string> overrides) {
    overrides.push_back("launch.flush=10000");
    SassKernel kernel = loop_kernel(blocks);
    return Gpu(small(std::move(overrides))).run(*kernel.source()).cycles.value;
  };
  for (std::uint32_t blocks : {1u, 2u, 4u})
    EXPECT_EQ(cycles(blocks, {"launch.sm_interval=50.5"}), cycles(blocks, {}) + (blocks - 1) * 101 / 2) << blocks;
  EXPECT_EQ(cycles(2, {"launch.sm_interval=50", "launch.sm_order=[3, 1]"}), cycles(2, {}) + 50);
}

TEST(Gpu, AKernelThatWroteLastsLonger) {
  const auto cycles = [&](const SassKernel& kernel, const char* flush) {
    return Gpu(small({flush})).run(*kernel.source()).cycles.value;
  };
  const SassKernel stores(kStore), reads("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n");
  EXPECT_EQ(cycles(stores, "launch.write_flush=400"), cycles(stores, "launch.write_flush=0") + 400);
  EXPECT_EQ(cycles(reads, "launch.write_flush=400"), cycles(reads, "launch.write_flush=0"));
}

TEST(Gpu, EverySmThatWroteMakesTheKernelLonger) {
  for (const std::uint32_t blocks : {1u, 3u}) {
    SassKernel stores(kStore);
    stores.blocks(blocks);
    const auto cycles = [&](const char* interval) {
      return Gpu(small({"launch.write_flush=400", interval})).run(*stores.source()).cycles.value;
    };
    EXPECT_EQ(cycles("launch.write_flush_interval=10.5"),
              cycles("launch.write_flush_interval=0") + (blocks - 1) * 21 / 2);
  }
}

TEST(Gpu, TheFirstBlocksGoToTheSmsInTheConfiguredOrder) {
  struct Places final : ClockObserver {
    std::vector<unsigned> sms;
    void clock_read(BlockId, std::uint32_t, std::uint32_t, Cycle, SmId) override {}
    void block_placed(BlockId, SmId sm) override { sms.push_back(sm.value); }
  };
  const auto order = [](std::vector<std::string> overrides) {
    Gpu gpu(small(std::move(overrides)));
    Places places;
    RunOptions options;
    options.clocks = &places;
    const SassKernel kernel = loop_kernel(5);
    const auto source = kernel.source();
    gpu.run(*source, options);
    return places.sms;
  };
  EXPECT_EQ(order({}), (std::vector<unsigned>{0, 1, 2, 3, 0}));
  EXPECT_EQ(order({"launch.sm_order=[2, 9, 1]"}), (std::vector<unsigned>{2, 1, 0, 3, 2}));
  EXPECT_THROW(order({"launch.sm_order=[2, 2]"}), InputError);
}

TEST(Gpu, AWarpEndsWhenItsStoresAreOnTheirWay) {
  const SassKernel kernel(kStore);
  const auto source = kernel.source();
  const auto active = [&](const char* latency) {
    return Gpu(small({latency, "sm.front_end.perfect=true"})).run(*source).metrics["sm__cycles_active.sum"];
  };
  EXPECT_EQ(active("memory.fixed_latency=4000"), active("memory.fixed_latency=400"));
}

TEST(Gpu, AKernelEndsWithItsStoresUnlessTheLaunchHidesThem) {
  const SassKernel kernel(kStore);
  const auto source = kernel.source();
  const auto cycles = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"sm.front_end.perfect=true", "sm.tlb.entries=0"});
    return Gpu(small(std::move(overrides))).run(*source).cycles.value;
  };
  const std::uint64_t quick = cycles({"memory.fixed_latency=400"});
  EXPECT_EQ(cycles({"memory.fixed_latency=4000"}), quick + 3600);
  EXPECT_EQ(cycles({"memory.fixed_latency=4000", "launch.flush=3000"}), quick + 600);
}

TEST(Gpu, WarpsFetchSomeTimeAfterTheirPlacement) {
  const auto source = loop_kernel(4).source();
  const auto run = [&](const char* start) { return Gpu(small({start})).run(*source); };
  const KernelResult soon = run("sm.occupancy.warp_start=0"), later = run("sm.occupancy.warp_start=70");
  EXPECT_EQ(later.cycles.value, soon.cycles.value + 70);
  EXPECT_EQ(later.metrics["sm__cycles_active.max"], soon.metrics["sm__cycles_active.max"] + 70) << "active meanwhile";
}

TEST(Gpu, WarpsThatDoNotFetchYetAreActiveAndNsightCountsThemUnderNoReason) {
  const auto source = loop_kernel(4).source();
  const KernelResult result = Gpu(small({"sm.occupancy.warp_start=70"})).run(*source);
  const KernelResult soon = Gpu(small({"sm.occupancy.warp_start=0"})).run(*source);
  const auto& m = result.metrics;
  EXPECT_EQ(m["sassim__warp_cycles_starting.sum"], 70 * 16);
  EXPECT_EQ(soon.metrics["sassim__warp_cycles_starting.sum"], 0);
  EXPECT_EQ(m["sassim__warp_cycles_no_instruction.sum"], soon.metrics["sassim__warp_cycles_no_instruction.sum"]);
  EXPECT_FALSE(m.has("smsp__average_warps_issue_stalled_starting_per_issue_active.ratio"));
  EXPECT_DOUBLE_EQ(m["smsp__average_warp_latency_per_inst_issued.ratio"] * m["smsp__inst_executed.sum"],
                   m["sm__warps_active.sum"] - 70 * 16);
}

TEST(Gpu, ReadyWarpsWhosePipeIsFreeWaitForDispatchDuringASecondPass) {
  const auto run = [](const char* next, const char* second) {
    SassKernel kernel(std::string("B------:R-:W-:-:S04 MOV R0, 0x0 ;\nloop:\n"
                                  "B------:R-:W-:-:S01 IMAD.WIDE R4, R8, R9, R10 ;\n") +
                      next + "B------:R-:W-:-:S05 @P0 BRA loop ;\nB------:R-:W-:-:S05 EXIT ;\n");
    kernel.loop("loop", 10).warps(16).blocks(4);
    const auto m = Gpu(small({"sm.pipes.ops.imad_wide.interval=4", second})).run(*kernel.source()).metrics;
    return m["sassim__warp_cycles_dispatch_stall.sum"];
  };
  const char* other = "B------:R-:W-:-:S01 IADD3 R6, R8, R9, R10 ;\n";
  EXPECT_EQ(run(other, "sm.pipes.second_pass=0"), 0);
  EXPECT_GT(run(other, "sm.pipes.second_pass=2"), 4 * 16 * 10) << "more than one cycle of a warp for each product";
}

TEST(Gpu, TheSmsOfAGpcReadCodeThroughOneCache) {
  const auto source = loop_kernel(4).source();  // a block for each SM
  const auto sectors = [&](const char* sharers) {
    return Gpu(small({std::string("sm.front_end.gpc_constants.sharers=") + sharers,
                      "sm.front_end.gpc_constants.interval=1", "sm.front_end.gpc_constants.skew=1",
                      "launch.code_prefetch=0", "memory.model=full", "memory.crossbar.gpc_sms=[2, 2]"}))
        .run(*source)
        .metrics["sassim__lts_sectors_instruction.sum"];
  };
  const double of_sms = sectors("1");
  EXPECT_GT(of_sms, 0);
  EXPECT_EQ(sectors("2"), of_sms / 2) << "half as many";
}

TEST(Gpu, ALaunchBringsCodeToTheInstructionCacheAndLeavesTheSmNothingElse) {
  const auto source = loop_kernel(4).source();
  const auto misses = [&](const char* prefetch, CacheStart caches) {
    Gpu gpu(small({prefetch}));
    RunOptions options;
    options.caches = caches;
    gpu.run(*source, options);
    const KernelResult second = gpu.run(*source, options);
    return std::pair{second.metrics["sassim__icache_l0_misses.sum"] > 0,
                     second.metrics["sassim__icache_l1_misses.sum"] > 0};
  };
  EXPECT_EQ(misses("launch.code_prefetch=0", CacheStart::cold), std::pair(true, true));
  EXPECT_EQ(misses("launch.code_prefetch=128KiB", CacheStart::cold), std::pair(true, false));
  EXPECT_EQ(misses("launch.code_prefetch=0", CacheStart::keep), std::pair(false, false)) << "the same code again";
}

TEST(Gpu, CodeFromDramIsLateByWhatTheLaunchDoesNotHide) {
  const auto source = loop_kernel(4).source();
  const auto cycles = [&](const char* delay, CacheStart caches) {
    Gpu gpu(small({"launch.code_prefetch=128KiB", "launch.latency=500", delay}));
    RunOptions options;
    options.caches = caches;
    gpu.run(*source, options);
    const KernelResult second = gpu.run(*source, options);
    return std::pair{second.cycles.value, second.metrics["sm__cycles_active.max"]};
  };
  const auto [early, active] = cycles("launch.cold_code_delay=0", CacheStart::cold);
  EXPECT_EQ(cycles("launch.cold_code_delay=300", CacheStart::cold), std::pair(early + 300, active + 300))
      << "warps wait on their SM";
  EXPECT_EQ(cycles("launch.cold_code_delay=300", CacheStart::keep),
            cycles("launch.cold_code_delay=0", CacheStart::keep))
      << "the code ran before";
}

TEST(Gpu, ConstantsOfTheFirstLaunchesAreLateAndLaterLaunchesWait) {
  SassKernel kernel("B------:R-:W-:-:S04 FADD R4, R5, c[0x0][0x160] ;\nEXIT ;\n");
  const auto source = kernel.source();
  const auto run = [&](std::uint64_t launch, CacheStart caches, const std::string& places = "launch.places=none") {
    std::vector<std::string> keys = {"launch.code_prefetch=128KiB", "launch.latency=500", places};
    if (places.ends_with("count=3"))
      keys.insert(keys.end(), {"launch.places.fetch_latency=70", "launch.places.reuse_latency=200"});
    Gpu gpu(small(keys));
    RunOptions options;
    options.caches = caches;
    options.launch = launch;
    gpu.run(*source, options);
    const KernelResult second = gpu.run(*source, options);
    return std::pair{second.cycles.value, second.metrics["sm__cycles_active.max"]};
  };
  const std::string three = "launch.places.count=3";
  const auto [elapsed, active] = run(0, CacheStart::keep);
  EXPECT_EQ(run(0, CacheStart::keep, three), std::pair(elapsed + 70, active + 70));
  EXPECT_EQ(run(2, CacheStart::keep, three), std::pair(elapsed + 70, active + 70));
  EXPECT_EQ(run(3, CacheStart::keep, three), std::pair(elapsed + 200, active));
  const auto [cold, cold_active] = run(0, CacheStart::cold);
  EXPECT_EQ(run(2, CacheStart::cold, three), std::pair(cold, cold_active)) << "cold_code_delay has that time";
  EXPECT_EQ(run(3, CacheStart::cold, three), std::pair(cold + 200, cold_active));
}

TEST(Gpu, JumpTablesComeWithTheLaunch) {
  SassKernel kernel("B------:R-:W-:-:S04 FADD R4, R5, c[0x2][0x40] ;\nEXIT ;\n");
  const auto misses = [&] {
    return Gpu(small({"launch.code_prefetch=128KiB"})).run(*kernel.source()).metrics["sassim__const_l15_misses.sum"];
  };
  EXPECT_GT(misses(), 0) << "a bank that the launch knows nothing of";
  kernel.info().constants.push_back({2, std::vector<std::uint8_t>(256)});
  EXPECT_EQ(misses(), 0);
}

TEST(Gpu, OneWarpBlocksTakeTheProcessingBlocksInTurn) {
  struct Starts final : PipelineObserver {
    std::vector<unsigned> parts;
    void warp_started(const WarpName& name, Cycle) override { parts.push_back(name.slot.value % 4); }
  } starts;
  SassKernel kernel("EXIT ;");
  kernel.shared(96 * 1024).blocks(6);  // one after the other
  RunOptions options;
  options.pipeline = &starts;
  Gpu(small({"sm.count=1"})).run(*kernel.source(), options);
  EXPECT_EQ(starts.parts, (std::vector<unsigned>{0, 1, 2, 3, 0, 1}));
}

TEST(Gpu, SmsTakeTurnsWithConstantsAsFarAsTheyHaveBlocks) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += "B------:R-:W-:-:S04 FADD R4, R5, c[0x0][" + std::to_string(64 * i) + "] ;\n";
  SassKernel kernel(text + "EXIT ;\n");
  const auto active = [&](std::uint32_t blocks, const char* sharers) {
    kernel.blocks(blocks);
    const auto source = kernel.source();
    Gpu gpu(small({"sm.front_end.perfect=true", "gpc_constants.interval=100", "gpc_constants.skew=0",
                   "launch.code_prefetch=128KiB", sharers}));
    return gpu.run(*source).metrics["sm__cycles_active.max"];
  };
  const double alone = active(1, "sm.front_end.gpc_constants.sharers=4");
  EXPECT_EQ(active(1, "sm.front_end.gpc_constants.sharers=1"), alone);
  EXPECT_EQ(active(4, "sm.front_end.gpc_constants.sharers=1"), alone);
  // The second SM of a pair has its first line after four of the first, its eighth one turn of eight and three later.
  const double two = active(2, "sm.front_end.gpc_constants.sharers=4");
  EXPECT_GT(two, alone + 4 * 100);
  EXPECT_EQ(active(4, "sm.front_end.gpc_constants.sharers=4"), two + (4 + 8 + 3 + 1) * 100)
      << "twice as much for two pairs, of which the second has the second line";
}

TEST(Gpu, EachBlockBeginsOnTheNextProcessingBlock) {
  struct Starts final : PipelineObserver {
    void warp_started(const WarpName& name, Cycle) override {
      if (name.warp == 0) parts.push_back(name.slot.value % 4u);
    }
    std::vector<std::uint32_t> parts;
  } starts;
  SassKernel kernel = loop_kernel(6);
  RunOptions options;
  options.pipeline = &starts;
  Gpu(small({"sm.count=1"})).run(*kernel.source(), options);
  ASSERT_EQ(starts.parts.size(), 6u);
  for (std::uint32_t block = 0; block < 4; ++block) EXPECT_EQ(starts.parts[block], block);
}

TEST(Gpu, AnSmPlacesOneWarpAfterAnother) {
  struct Starts final : PipelineObserver {
    void warp_started(const WarpName& name, Cycle at) override { cycles[name.block.value].push_back(at.value); }
    void warp_ended(const WarpName& name, Cycle at) override { ends[name.block.value].push_back(at.value); }
    std::map<std::uint64_t, std::vector<std::uint64_t>> cycles, ends;
  };
  const auto run = [](const char* interval, Starts& starts) {
    SassKernel kernel("BAR.SYNC 0x0 ;\nEXIT ;\n");
    RunOptions options;
    options.pipeline = &starts;
    return Gpu(small({"sm.count=1", "sm.front_end.perfect=true", interval}))
        .run(*kernel.blocks(2).warps(5).source(), options);
  };
  Starts together, apart;
  const KernelResult at_once = run("sm.occupancy.warp_interval=0", together);
  const KernelResult later = run("sm.occupancy.warp_interval=7", apart);
  const std::uint64_t first = together.cycles[0][0];
  EXPECT_EQ(together.cycles[0], std::vector<std::uint64_t>(5, first));
  for (std::uint64_t warp = 0; warp < 5; ++warp) {
    EXPECT_EQ(apart.cycles[0][warp], first + 7 * warp);
    EXPECT_EQ(apart.cycles[1][warp], first + 7 * (5 + warp)) << "behind the block that came first";
  }
  EXPECT_GT(at_once.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"],
            1.2 * later.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"])
      << "a warp is not active before";
  for (const std::uint64_t end : apart.ends[0]) EXPECT_GE(end, first + 7 * 4) << "the barrier waits for all warps";
}

TEST(Gpu, CountersStartAgainWithEveryKernel) {
  Gpu gpu(small());
  const auto source = loop_kernel(8).source();
  const KernelResult first = gpu.run(*source), second = gpu.run(*source);
  for (const auto& [row, value] : first.metrics.all()) EXPECT_EQ(second.metrics[row->name], value) << row->name;
}

TEST(Gpu, RefusesAnotherArchitectureAndSaysTheWayOut) {
  Gpu gpu(small());
  SassKernel kernel("EXIT ;", 75);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--allow-arch-mismatch"), std::string::npos);
  }
  RunOptions options;
  options.allow_arch_mismatch = true;
  EXPECT_EQ(gpu.run(*source, options).warp_instructions, 1u);
}

TEST(Gpu, RefusesABlockThatCanNeverFitAndNamesTheLimit) {
  Gpu gpu(small());
  SassKernel kernel("EXIT ;");
  kernel.shared(200000);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("shared"), std::string::npos) << error.what();
  }
}

TEST(Gpu, AWarpThatWaitsForEverIsReportedWithPcAndText) {
  Gpu gpu(small());
  // Two warps of the block never come to the barrier's count of 96 threads.
  SassKernel kernel("NOP ;\nB------:R-:W-:-:S01 BAR.SYNC 0x1, 0x60 ;\nEXIT ;\n");
  kernel.warps(2);
  const auto source = kernel.source();
  try {
    gpu.run(*source);
    FAIL();
  } catch (const NoProgress& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("barrier"), std::string::npos) << text;
    EXPECT_NE(text.find("0x0020"), std::string::npos) << text;
  }
}

// The limit holds however few epochs the wait has.
TEST(Gpu, AWaitBeyondTheLimitIsReportedWithItsReason) {
  Gpu gpu(
      config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=1", "memory.dram.latency=9000"}));
  SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 IADD3 R8, R8, R8, RZ ;\nEXIT ;\n");
  const auto run = [&](std::uint64_t limit) {
    RunOptions options;
    options.no_progress_cycles = limit;
    gpu.run(*kernel.source(), options);
  };
  EXPECT_NO_THROW(run(12000));
  try {
    run(4000);
    FAIL();
  } catch (const NoProgress& error) {
    const std::string text = error.what();
    for (const char* part :
         {"no instruction issued", "long_scoreboard", "IADD3 R8, R8, R8, RZ", "(the wait mask names"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

// Values that a configuration may have make waits longer than the limit for usual ones.
TEST(Gpu, AWaitThatTheConfigurationMakesLongIsNoDeadlock) {
  Gpu gpu(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml",
                              {"sm.count=1", "clock.l2=1MHz", "memory.l2.latency=10000"}));
  SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 IADD3 R8, R8, R8, RZ ;\nEXIT ;\n");
  EXPECT_GT(gpu.run(*kernel.source(), RunOptions{}).cycles.value, 10'000 * 1000u);
}

}  // namespace
}  // namespace sassim::arch::test
