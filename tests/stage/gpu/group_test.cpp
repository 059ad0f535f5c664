// SPDX-License-Identifier: Apache-2.0
// Launches side by side: who gets which SMs, and that results follow from the launches alone.
#include <gtest/gtest.h>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

config::GpuConfig gpu_of(const std::string& sms, const std::string& memory = "fixed") {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml",
                             {"sm.count=" + sms, "memory.model=" + memory});
}

constexpr const char* kCompute = R"(
loop:
  B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S04 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S05 @P0 BRA loop ;
  B------:R-:W-:-:S05 EXIT ;
)";

constexpr const char* kMemory = R"(
loop:
  B------:R-:W-:-:S02 FFMA R4, R4, R5, c[0x0][0x160] ;
  B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;
  B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;
  B------:R0:W-:-:S02 STG.E [R2.64], R8 ;
  B0-----:R-:W-:-:S05 @P0 BRA loop ;
  B------:R-:W-:-:S05 EXIT ;
)";

SassKernel compute(std::uint32_t blocks, std::uint64_t trips, std::uint32_t shared = 0) {
  SassKernel kernel(kCompute);
  kernel.loop("loop", trips).warps(4).blocks(blocks).registers(32).shared(shared);
  return kernel;
}

SassKernel memory(std::uint32_t blocks, std::uint64_t trips, std::uint64_t base) {
  SassKernel kernel(kMemory);
  kernel.loop("loop", trips).warps(4).blocks(blocks).registers(32);
  kernel.addresses_by_block(
      [=](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t execution, int lane) {
        return base + ((block * 4 + warp) * 64 + execution) * 128 + static_cast<std::uint64_t>(lane) * 4;
      });
  return kernel;
}

struct Wish {
  const SassKernel* kernel;
  std::uint64_t ready = 0;
  int priority = 0;
};

RunOptions options(unsigned threads = 1, std::uint64_t epoch = 0) {
  RunOptions chosen;
  chosen.threads = threads;
  chosen.epoch = epoch;
  chosen.caches = CacheStart::keep;
  return chosen;
}

std::vector<KernelResult> together(Gpu& gpu, const std::vector<Wish>& wishes, const RunOptions& chosen = options()) {
  std::vector<std::unique_ptr<trace::BlockSource>> sources;
  for (const Wish& wish : wishes) sources.push_back(wish.kernel->source());
  gpu.begin_group(*sources[0], wishes[0].priority, chosen);
  std::size_t ended = 0;
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    while (gpu.advance_group(Cycle(wishes[i].ready))) ++ended;
    EXPECT_EQ(gpu.join(*sources[i], wishes[i].priority, Cycle(wishes[i].ready)), i);
  }
  while (gpu.advance_group(kNever)) ++ended;
  EXPECT_EQ(ended, wishes.size());
  return gpu.end_group();
}

Cycle alone(const config::GpuConfig& config, const SassKernel& kernel) {
  Gpu gpu(config);
  return gpu.run(*kernel.source(), options()).cycles;
}

void expect_same(const KernelResult& a, const KernelResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.warp_instructions, b.warp_instructions);
  ASSERT_EQ(a.metrics.all().size(), b.metrics.all().size());
  for (const auto& [row, value] : a.metrics.all()) EXPECT_EQ(value, b.metrics[row->name]) << row->name;
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < a.lines.size(); ++i) EXPECT_EQ(a.lines[i].cycles, b.lines[i].cycles) << i;
}

TEST(Group, OneLaunchAtATimeIsWhatRunGives) {
  const config::GpuConfig config = gpu_of("4", "full");
  const SassKernel first = memory(30, 5, 0x10000000), second = memory(9, 20, 0x10000000);
  Gpu plain(config), grouped(config);
  for (const SassKernel* kernel : {&first, &second, &first}) {
    const KernelResult expected = plain.run(*kernel->source(), options());
    const std::vector<KernelResult> results = together(grouped, {{kernel}});
    ASSERT_EQ(results.size(), 1u);
    expect_same(results.front(), expected);
    EXPECT_EQ(results.front().beside.launches, 0u);
  }
}

TEST(Group, LaunchesThatFillHalfTheGpuRunInTheTimeOfOne) {
  const config::GpuConfig config = gpu_of("4");
  const SassKernel half = compute(2, 500, 60 << 10);
  const Cycle one = alone(config, half);
  Gpu gpu(config);
  const auto results = together(gpu, {{&half}, {&half}});
  for (const KernelResult& result : results) {
    EXPECT_LT(result.cycles, one + 20);
    EXPECT_EQ(result.beside.launches, 2u);
    EXPECT_EQ(result.warp_instructions, 2u * 4 * (500 * 3 + 1));
    EXPECT_EQ(result.metrics["sm__ctas_launched.sum"], 2);
    EXPECT_FALSE(result.metrics.has("sm__cycles_active.sum")) << "SMs were shared";
  }
}

TEST(Group, ALaterLaunchTakesSmsThatTheTailLeavesFree) {
  const config::GpuConfig config = gpu_of("4");
  const SassKernel kernel = compute(6, 500, 60 << 10);  // one and a half waves
  const Cycle one = alone(config, kernel);
  const std::uint64_t wave = (one.value - config.launch.latency) / 2;
  Gpu gpu(config);
  const auto results = together(gpu, {{&kernel}, {&kernel}});
  EXPECT_LT(results[0].cycles, one + 20) << "the first has its blocks before the second";
  EXPECT_NEAR(static_cast<double>(results[1].cycles.value), static_cast<double>(one.value + wave),
              static_cast<double>(wave) / 10);
}

TEST(Group, BlocksOfTwoLaunchesShareAnSm) {
  const config::GpuConfig config = gpu_of("1");
  const SassKernel kernel = compute(1, 2000);
  const Cycle one = alone(config, kernel);
  Gpu gpu(config);
  const auto results = together(gpu, {{&kernel}, {&kernel}});
  EXPECT_LT(results[1].cycles.value, one.value * 11 / 10) << "an SM has issue slots for both";
}

TEST(Group, ManySmallBlocksJoinALaunchOfWhichAnSmHoldsOne) {
  const config::GpuConfig config = gpu_of("1");
  const SassKernel large = compute(1, 2000, 60 << 10), small = compute(8, 200);
  Gpu gpu(config);
  const auto results = together(gpu, {{&large}, {&small}});
  EXPECT_LT(results[1].cycles.value, 2 * alone(config, small).value) << "all eight run beside the large one";
}

TEST(Group, ABlockThatDoesNotFitBesideOthersWaitsForThem) {
  const config::GpuConfig config = gpu_of("1");
  const SassKernel large = compute(1, 1000, 60 << 10), small = compute(1, 1000);
  const Cycle one = alone(config, small);
  Gpu gpu(config);
  const auto results = together(gpu, {{&small}, {&large}});
  EXPECT_GT(results[1].beside.end.value, results[0].beside.end.value + (one.value - config.launch.latency) * 9 / 10)
      << "the SM has too little shared memory until it is empty";
}

TEST(Group, PriorityDecidesWhoseBlocksComeNext) {
  const config::GpuConfig config = gpu_of("2");
  const SassKernel many = compute(16, 500, 60 << 10), few = compute(2, 500, 60 << 10);
  std::vector<Cycle> ends;
  for (const int priority : {0, -1}) {
    Gpu gpu(config);
    const auto results = together(gpu, {{&many}, {&few, 100, priority}});
    EXPECT_EQ(results[1].beside.ready, Cycle(100));
    ends.push_back(results[1].beside.end);
    const KernelResult& last = results[priority == 0 ? 1 : 0];
    EXPECT_EQ(std::max(results[0].beside.end, results[1].beside.end), last.beside.end);
  }
  EXPECT_LT(ends[1].value, ends[0].value / 2);
}

TEST(Group, ALaunchThatIsReadyLateStartsLate) {
  const config::GpuConfig config = gpu_of("4");
  const SassKernel half = compute(2, 3000, 60 << 10);
  const Cycle one = alone(config, half);
  Gpu gpu(config);
  const auto results = together(gpu, {{&half}, {&half, 5000}});
  EXPECT_NEAR(static_cast<double>(results[1].beside.end.value), 5000.0 + static_cast<double>(one.value), 20);
  EXPECT_LT(results[1].cycles, one + 20);
}

TEST(Group, ResultsDependOnNeitherThreadsNorEpochs) {
  const config::GpuConfig config = gpu_of("4", "full");
  const SassKernel a = memory(30, 8, 0x10000000), b = memory(7, 20, 0x20000000), c = compute(9, 400, 40 << 10);
  const std::vector<Wish> wishes = {{&a}, {&b, 300}, {&c, 350, -1}, {&b, 9000}};
  Gpu first(config);
  const auto expected = together(first, wishes);
  for (const auto& [threads, epoch] : {std::pair{1u, 1u}, {2u, 7u}, {7u, 0u}, {2u, 1u}}) {
    Gpu gpu(config);
    const auto results = together(gpu, wishes, options(threads, epoch));
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      expect_same(results[i], expected[i]);
      EXPECT_EQ(results[i].beside.end, expected[i].beside.end);
    }
  }
}

}  // namespace
}  // namespace sassim::arch::test
