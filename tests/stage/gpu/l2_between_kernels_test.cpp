// SPDX-License-Identifier: Apache-2.0
// What a kernel finds in the L2: of kernels, fills and copies before it, of whoever emptied it, and of its own launch.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

/// Runs a kernel with kept caches that executes `code`, a load unless said otherwise, for a word of each thread, from
/// `at` on. Returns the bytes that it reads from DRAM.
double access(Gpu& gpu, std::uint64_t at, std::uint64_t bytes,
              const std::string& code = "B------:R-:W0:-:S02 LDG.E R8, [R2.64]") {
  SassKernel kernel(code + " ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
  kernel.warps(8)
      .blocks(bytes / (8 * 128))
      .addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
        return at + (block * 8 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
      });
  RunOptions keep;
  keep.caches = CacheStart::keep;
  return gpu.run(*kernel.source(), keep).metrics["dram__bytes_read.sum"];
}

// Lines of the other half that an SM stores are in its own half, too: loads need not cross.
TEST(Gpu, AStoreLeavesItsLinesInTheHalfOfItsSm) {
  constexpr std::uint64_t kAt = 0x10000000, kStep = 4096;  // which changes the half
  const auto crossing = [=](bool stored) {
    const auto kernel = [=](const char* access) {
      SassKernel made(std::string("B------:R-:W0:-:S02 ") + access + " ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
      made.warps(32).addresses([=](std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
        return kAt + warp * kStep + static_cast<std::uint64_t>(lane) * 4;
      });
      return made;
    };
    Gpu gpu(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml", {"sm.count=2"}));
    RunOptions keep;
    keep.caches = CacheStart::keep;
    if (stored)
      gpu.run(*kernel("STG.E [R2.64], R8").source(), keep);
    else
      gpu.written(kAt, 32 * kStep, false);
    return gpu.run(*kernel("LDG.E R8, [R2.64]").source(), keep).metrics["sassim__lts_sectors_fetched_far.sum"];
  };
  EXPECT_GT(crossing(false), 0);
  EXPECT_EQ(crossing(true), 0);
}

// h200/l2.md#l2-sectors: a fence sends a barrier to each slice that its SM has used since its last fence.
TEST(Gpu, AFenceSendsBarriersToTheSlicesThatItsSmUsed) {
  const config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                                       {"sm.count=2", "environment.launch_barriers=0"});
  const auto barriers_of = [&](Gpu& gpu, const std::string& code) {
    SassKernel kernel(code + "B------:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.addresses([](std::uint32_t, std::uint32_t, std::uint64_t, int) { return std::uint64_t{0x10000000}; });
    return gpu.run(*kernel.source()).metrics["lts__t_sectors_op_membar.sum"];
  };
  const std::string store = "B------:R-:W-:-:S02 STG.E [R2.64], R8 ;\n";
  const auto barriers = [&](const std::string& fences) {
    Gpu gpu(config);
    return barriers_of(gpu, store + fences);
  };
  const std::string fence = "B------:R-:W-:-:S02 MEMBAR.SC.GPU ;\n", beyond = "B------:R-:W-:-:S02 MEMBAR.SC.SYS ;\n";
  const double end = barriers("");
  EXPECT_GT(end, 0);
  EXPECT_EQ(barriers(fence), 2 * end) << "the same slice as at the end";
  EXPECT_EQ(barriers(fence + fence), 2 * end) << "nothing was used since";
  EXPECT_EQ(barriers(beyond), end + 2 * config.memory.l2.slices) << "all slices, half of them three times";
  EXPECT_EQ(barriers("B------:R-:W-:-:S02 MEMBAR.SC.CTA ;\n"), end);
  Gpu gpu(config);
  EXPECT_EQ(barriers_of(gpu, store), end);
  EXPECT_EQ(barriers_of(gpu, fence), 0) << "an earlier kernel used them";
}

// What a fill or a copy on the device wrote is in the L2 when the next kernel reads it; of a copy from the host its
// end.
TEST(Gpu, FindsInTheL2WhatWasWrittenBetweenKernels) {
  constexpr std::uint64_t kAt = 0x10000000, kUpload = 64 << 10;
  const auto missed = [=](bool written, bool from_host, std::uint64_t offset) {
    const auto config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                            {"sm.count=2", "environment.upload=64KiB", "launch.state_bytes=0"});
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(4).blocks(2).addresses_by_block(
        [=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return kAt + offset + (block * 4 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(config);
    if (written) gpu.written(kAt, 4 * kUpload, from_host);
    RunOptions keep;
    keep.caches = CacheStart::keep;
    return gpu.run(*kernel.source(), keep).metrics["dram__bytes_read.sum"] >= 8 * 128;
  };
  EXPECT_TRUE(missed(false, false, 0));
  EXPECT_FALSE(missed(true, false, 0));
  EXPECT_TRUE(missed(true, true, 0)) << "the beginning of a copy";
  EXPECT_FALSE(missed(true, true, 3 * kUpload)) << "its end";
}

// h200/copies.md#copies-in-l2: a program's first kernel displaces written lines of others
TEST(Gpu, TheFirstKernelDisplacesWrittenLinesOfOthers) {
  const auto written = [](const std::string& others, CacheStart caches, int launches) {
    const auto config = config::load_config(
        SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
        {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB", "environment.others_written=" + others,
         "environment.others_full=true", "environment.background_writes=0"});
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(32).blocks(64).addresses_by_block(
        [](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return 0x10000000 + (block * 32 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(config);
    RunOptions options;
    options.caches = caches;
    double bytes = 0;
    for (int i = 0; i < launches; ++i) bytes = gpu.run(*kernel.source(), options).metrics["dram__bytes_write.sum"];
    return bytes;
  };
  // 256 KiB and as much of copies in the other half as belongs there; one line in eight was written.
  EXPECT_GT(written("240KiB", CacheStart::keep, 1), 32768 * 0.8);
  EXPECT_LT(written("240KiB", CacheStart::keep, 1), 65536 * 1.2);
  EXPECT_EQ(written("240KiB", CacheStart::keep, 2), 0) << "its lines are there";
  EXPECT_EQ(written("0", CacheStart::keep, 1), 0);
  EXPECT_EQ(written("240KiB", CacheStart::cold, 1), written("0", CacheStart::cold, 1)) << "a flush empties the L2";
}

// h200/l2.md#written-lines: kernels that write nothing have 2.4 MB written to DRAM
// when they read more than the L2 holds.
TEST(Gpu, EmptiedCachesHoldWhatOthersLeftToBeWritten) {
  constexpr std::uint64_t kAt = 0x10000000, kFlushed = 64 << 10, kSize = 1920 << 10;
  const auto written = [=](CacheStart caches, std::uint64_t bytes) {
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(8)
        .blocks(bytes / (8 * 128))
        .addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return kAt + (block * 8 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB",
                                 "environment.flushed=64KiB", "environment.others_written=0"}));
    RunOptions options;
    options.caches = caches;
    return gpu.run(*kernel.source(), options).metrics["dram__bytes_write.sum"];
  };
  EXPECT_EQ(written(CacheStart::cold, kSize / 4), 0);
  EXPECT_EQ(written(CacheStart::cold, 3 * kSize), kFlushed);
  EXPECT_EQ(written(CacheStart::keep, 3 * kSize), 0);
}

// A fill of twice the L2 leaves nothing of what was there before, however unevenly its pages lie over the sets.
TEST(Gpu, AFillOfTwiceTheL2LeavesNothingElse) {
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kStep = 4096, kLines = 64, kSize = 1920 << 10;
  const auto read = [=](std::uint64_t fill) {
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(4)
        .blocks(kLines / 4)
        .addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return kFirst + (block * 4 + warp) * kStep + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(
        config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                            {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB", "launch.state_bytes=0"}));
    gpu.written(kFirst, kLines * kStep, false);
    if (fill != 0) gpu.written(kSecond, fill, false);
    RunOptions keep;
    keep.caches = CacheStart::keep;
    return gpu.run(*kernel.source(), keep).metrics["dram__bytes_read.sum"];
  };
  const double code = read(0);
  EXPECT_LT(code, kLines * 128.0 / 4);
  EXPECT_GE(read(2 * kSize), code + kLines * 128);
}

// h200/copies.md#copies-in-l2: several copies from the host occupy all empty lines of an L2.
TEST(Gpu, EachCopyOccupiesEmptyLines) {
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kSize = 1920 << 10, kCopy = kSize / 8 * 3;
  const auto read = [=](const std::string& full, const std::string& others = "0") {
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(8)
        .blocks(kCopy / (8 * 128))
        .addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return kFirst + (block * 8 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB",
                                 "environment.others_written=" + others, "environment.others_full=" + full}));
    gpu.written(kFirst, kCopy, true);
    gpu.written(kSecond, kCopy, true);
    RunOptions keep;
    keep.caches = CacheStart::keep;
    return gpu.run(*kernel.source(), keep).metrics["dram__bytes_read.sum"];
  };
  EXPECT_LT(read("false"), 0.25 * kCopy);
  EXPECT_GT(read("true"), 0.8 * kCopy);
  EXPECT_LT(read("false", "240KiB"), 0.5 * kCopy) << "empty but for one line in eight";
}

// h200/copies.md#copies-in-l2: a profiler's lines displace those of copies, and are written when others displace them.
TEST(Gpu, AProfilerLeavesLinesBeforeKernels) {
  constexpr std::uint64_t kAt = 0x10000000, kCopy = 128 << 10, kSize = 1920 << 10;
  const auto traffic = [=](std::uint64_t copy, bool from_host, std::uint64_t bytes,
                           const std::vector<std::string>& profiler, const char* metric,
                           CacheStart caches = CacheStart::keep, int launches = 1) {
    std::vector<std::string> options{"sm.count=2",
                                     "memory.l2.size=1920KiB",
                                     "memory.l2.page=64KiB",
                                     "environment.others_written=0",
                                     "environment.others_full=true",
                                     "environment.flushed=0",
                                     "environment.background_writes=0",
                                     "launch.state_bytes=0",
                                     "sm.tlb.entries=0"};
    for (const std::string& key : profiler) options.push_back("environment." + key);
    const auto config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml", options);
    SassKernel kernel("B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\nB0-----:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(8)
        .blocks(bytes / (8 * 128))
        .addresses_by_block([=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
          return kAt + (block * 8 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
        });
    Gpu gpu(config);
    gpu.written(kAt, copy, from_host);
    RunOptions run;
    run.caches = caches;
    double sum = 0;
    for (int i = 0; i < launches; ++i) sum += gpu.run(*kernel.source(), run).metrics[metric];
    return sum;
  };
  const char *read = "dram__bytes_read.sum", *write = "dram__bytes_write.sum";
  EXPECT_LT(traffic(kCopy, true, kCopy, {}, read), kCopy * 0.8);
  const std::vector<std::string> copied{"profiled=768KiB"};
  EXPECT_GT(traffic(kCopy, true, kCopy, copied, read), kCopy * 0.95);
  EXPECT_LT(traffic(kCopy, false, kCopy, copied, read), kCopy * 0.1) << "lines of a copy on the device are ordinary";
  const std::uint64_t all = 3 * kSize;
  EXPECT_EQ(traffic(0, true, all, {}, write), 0);
  EXPECT_EQ(traffic(0, true, all, copied, write), 0) << "DRAM has what was copied";
  const std::vector<std::string> first{"profiled_written=128KiB"},
      each{"profiled_written=128KiB", "profiled_each=64KiB"};
  EXPECT_EQ(traffic(0, true, all, first, write), 128 << 10);
  EXPECT_EQ(traffic(0, true, all, first, write, CacheStart::keep, 2), 128 << 10) << "only once";
  EXPECT_EQ(traffic(0, true, all, first, write, CacheStart::cold), 0);
  EXPECT_EQ(traffic(0, true, all, each, write), 128 << 10);
  EXPECT_EQ(traffic(0, true, all, each, write, CacheStart::keep, 3), 256 << 10);
  EXPECT_EQ(traffic(0, true, all, each, write, CacheStart::cold, 3), 0);
}

// h200/copies.md#copies-in-l2: what is copied between two kernels is displaced like what is copied before the first,
// and what the second kernel finds is displaced once only.
TEST(Gpu, AProfilerCopiesBeforeEachKernelToTheSameMemory) {
  constexpr std::uint64_t kAt = 0x10000000, kCopy = 16 << 10;
  const auto second_reads = [=](bool copied_between, const char* profiled) {
    Gpu gpu(config::load_config(
        SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
        {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB", "environment.others_written=0",
         "environment.others_full=true", "environment.others_written=640KiB", "launch.state_bytes=0",
         "sm.tlb.entries=0", std::string("environment.profiled=") + profiled}));
    if (!copied_between) gpu.written(kAt, kCopy, true);
    access(gpu, kAt, 1024);
    if (copied_between) gpu.written(kAt, kCopy, true);
    return access(gpu, kAt, kCopy) / kCopy;
  };
  EXPECT_LT(second_reads(true, "0"), 0.1);
  const double between = second_reads(true, "96KiB"), before = second_reads(false, "96KiB");
  EXPECT_GT(between, 0.3);
  EXPECT_LT(between, 0.7);
  EXPECT_NEAR(before, between, 0.1);
}

// h200/copies.md#copies-in-l2: what a copy from the host left is displaced by a little other traffic, unless a kernel
// has used it.
TEST(Gpu, ACopyFromTheHostIsDisplacedFirst) {
  constexpr std::uint64_t kSize = 1920 << 10, kCopy = 32 << 10, kOther = 480 << 10;
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kThird = 0x30000000;
  const auto read = [=](bool from_host, bool used, bool others) {
    Gpu gpu(
        config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                            {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB", "launch.state_bytes=0"}));
    gpu.written(kThird, 2 * kSize, false);  // no way is empty
    gpu.written(kFirst, kCopy, from_host);
    if (used) access(gpu, kFirst, kCopy);
    if (others) access(gpu, kSecond, kOther);
    return access(gpu, kFirst, kCopy);
  };
  EXPECT_LT(read(true, false, false), kCopy / 4) << "little beyond its code";
  EXPECT_GT(read(true, false, true), kCopy * 3 / 4);
  EXPECT_LT(read(true, true, true), kCopy / 4);
  EXPECT_LT(read(false, false, true), kCopy / 4) << "a copy on the device leaves ordinary lines";
}

Gpu small_l2(const std::string& dirty_ways = "9") {
  return Gpu(config::load_config(
      SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
      {"sm.count=2", "memory.l2.size=1920KiB", "memory.l2.page=64KiB", "environment.others_full=true",
       "environment.others_written=640KiB", "launch.state_bytes=0", "memory.l2.dirty.ways=" + dirty_ways}));
}
const std::string kEvictFirst = "B------:R-:W0:-:S02 LDG.E.EF R8, [R2.64]";

// h200/l2.md#evict-first: other lines displace these first, unless they are used without the policy.
TEST(Gpu, LinesOfEvictFirstAreDisplacedFirst) {
  constexpr std::uint64_t kSize = 1920 << 10, kData = 32 << 10, kOther = 480 << 10;
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kThird = 0x30000000;
  const auto read = [=](const std::string& first, bool used) {
    Gpu gpu = small_l2();
    gpu.written(kThird, 2 * kSize, false);  // no way is empty
    access(gpu, kFirst, kData, first);
    if (used) access(gpu, kFirst, kData);
    access(gpu, kSecond, kOther);
    return access(gpu, kFirst, kData);
  };
  const auto with_policy = [](const std::string& policy, const std::string& access) {
    return "B------:R-:W-:-:S12 UMOV UR5, " + policy + " ;\nB------:R-:W0:-:S02 " + access;
  };
  const std::string load = "LDG.E R8, desc[UR4][R2.64]", store = "STG.E desc[UR4][R2.64], R8";
  EXPECT_GT(read(kEvictFirst, false), kData * 3 / 4);
  EXPECT_GT(read(with_policy("0x12f00000", load), false), kData * 3 / 4);
  EXPECT_LT(read(with_policy("0x16f00000", load), false), kData / 4) << "evict_normal";
  EXPECT_LT(read(kEvictFirst, true), kData / 4) << "a use without the policy makes the lines ordinary";
  EXPECT_LT(read(with_policy("0x12f00000", store), false), kData / 4) << "dirty lines stay";
  EXPECT_LT(read("B------:R-:W-:-:S02 STG.E.EF [R2.64], R8", false), kData / 4);
}

// h200/l2.md#evict-first: of 24 MiB that were stored so, a little is lost: what the limit of dirty lines has cleaned.
TEST(Gpu, StoresOfEvictFirstAreDisplacedFirstOnceTheyAreClean) {
  constexpr std::uint64_t kSize = 1920 << 10, kData = 576 << 10, kOther = 96 << 10;
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kThird = 0x30000000;
  const auto read = [=](const char* store) {
    Gpu gpu = small_l2("1");  // 96 KiB may be dirty
    gpu.written(kThird, 2 * kSize, false);
    access(gpu, kFirst, kData, std::string("B------:R-:W-:-:S02 ") + store);
    access(gpu, kSecond, kOther);
    return access(gpu, kFirst, kData);
  };
  EXPECT_GT(read("STG.E.EF [R2.64], R8"), kOther / 4);
  EXPECT_GT(read("UMOV UR5, 0x12f00000 ;\nB------:R-:W-:-:S02 STG.E desc[UR4][R2.64], R8"), kOther / 4);
  EXPECT_LT(read("STG.E [R2.64], R8"), kOther / 20);
}

// h200/l2.md#evict-first: a profiler copies from the host before each kernel, and what was loaded with evict_first
// stays; such loads displace each other before they displace a copy.
TEST(Gpu, CopiesFromTheHostAndEvictFirstDisplaceTheirOwnKind) {
  constexpr std::uint64_t kSize = 1920 << 10, kData = 32 << 10, kWays = 96 << 10;
  constexpr std::uint64_t kFirst = 0x10000000, kSecond = 0x20000000, kThird = 0x30000000, kFourth = 0x40000000;
  Gpu gpu = small_l2();
  gpu.written(kThird, 2 * kSize, false);
  access(gpu, kFirst, kData, kEvictFirst);
  gpu.written(kSecond, kWays, true);
  EXPECT_LT(access(gpu, kFirst, kData, kEvictFirst), kData / 4);

  Gpu other = small_l2();
  other.written(kThird, 2 * kSize, false);
  access(other, kFirst, 4 * kWays, kEvictFirst);  // such lines in each set
  other.written(kSecond, kData, true);
  access(other, kFourth, kWays, kEvictFirst);
  access(other, kFourth + kWays, kWays, kEvictFirst);
  EXPECT_LT(access(other, kSecond, kData), kData / 2);
}

// A launch brings its kernel's code, as far as it reaches, and its own description: from DRAM, unless the L2 has kept
// them.
TEST(Gpu, ReadsCodeAndTheLaunchsDescriptionFromDramOnce) {
  const auto config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml",
                                          {"sm.count=2", "launch.state_bytes=2KiB", "launch.code_prefetch=1KiB"});
  const auto read = [&](int instructions, bool again) {
    std::string code;
    for (int i = 1; i < instructions; ++i) code += "B------:R-:W-:-:S02 NOP ;\n";
    SassKernel kernel(code + "B------:R-:W-:-:S05 EXIT ;\n", 90);
    kernel.warps(1).blocks(1);
    Gpu gpu(config);
    RunOptions keep;
    keep.caches = CacheStart::keep;
    if (again) gpu.run(*kernel.source(), keep);
    return gpu.run(*kernel.source(), keep).metrics["dram__bytes_read.sum"];
  };
  EXPECT_EQ(read(8, false), 2048 + 8 * 16);
  EXPECT_EQ(read(16, false), 2048 + 16 * 16);
  EXPECT_EQ(read(8, true), 0) << "the L2 has it";
}

}  // namespace
}  // namespace sassim::arch::test
