// SPDX-License-Identifier: Apache-2.0
// --sample: what is left out of a long launch, and what the result says of it.
#include "arch/gpu/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

/// Each warp reads two lines and writes one.
constexpr const char* kAdd = R"(
  B------:R-:W0:-:S02 LDG.E R4, [R2.64] ;
  B------:R-:W1:-:S02 LDG.E R5, [R6.64] ;
  B01----:R-:W-:-:S04 FADD R4, R4, R5 ;
  B------:R0:W-:-:S02 STG.E [R8.64], R4 ;
  B------:R-:W-:-:S05 EXIT ;
)";

constexpr const char* kTwoLengths = R"(
  B------:R-:W-:-:S05 BRA long ;
short:
  B------:R-:W-:-:S05 EXIT ;
long:
  B------:R-:W-:-:S02 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S02 FFMA R4, R4, R5, R6 ;
  B------:R-:W-:-:S05 EXIT ;
)";

constexpr std::uint32_t kBlocks = 6000;

config::GpuConfig small() {
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", {"sm.count=4", "memory.l2.size=256KiB"});
}

SassKernel add(std::uint32_t blocks) {
  SassKernel kernel(kAdd);
  kernel.warps(4).blocks(blocks);
  kernel.addresses_by_block([](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t, int lane) {
    return 0x10000000 * std::uint64_t{line + 1} + (block * 4 + warp) * 128 + static_cast<std::uint64_t>(lane) * 4;
  });
  return kernel;
}

KernelResult run(const SassKernel& kernel, const RunOptions& options) {
  const auto source = kernel.source();
  return Gpu(small()).run(*source, options);
}

RunOptions sampled(unsigned threads = 1, std::uint64_t epoch = 0) {
  RunOptions options;
  options.sample = 0.05;
  options.threads = threads;
  options.epoch = epoch;
  return options;
}

TEST(Sampling, CyclesOfALongStreamLieInTheInterval) {
  const SassKernel kernel = add(kBlocks);
  const KernelResult whole = run(kernel, {}), part = run(kernel, sampled());
  ASSERT_FALSE(whole.sampling);
  ASSERT_TRUE(part.sampling);
  EXPECT_EQ(part.sampling->whole, "");
  EXPECT_LT(part.sampling->blocks, kBlocks / 2);
  EXPECT_GT(part.sampling->half_interval, 0);
  EXPECT_LT(part.sampling->half_interval, 0.05);
  const auto cycles = static_cast<double>(whole.cycles.value);
  EXPECT_LE(std::abs(static_cast<double>(part.cycles.value) - cycles), part.sampling->half_interval * cycles);
}

TEST(Sampling, CountsAreThoseOfTheWholeRun) {
  const SassKernel kernel = add(kBlocks);
  const KernelResult whole = run(kernel, {}), part = run(kernel, sampled());
  EXPECT_EQ(part.warp_instructions, whole.warp_instructions);
  for (const char* name : {"smsp__inst_executed.sum", "sm__ctas_launched.sum"})
    EXPECT_EQ(part.metrics[name], whole.metrics[name]) << name;
  for (const char* name :
       {"smsp__thread_inst_executed.sum", "l1tex__t_requests.sum", "l1tex__t_sectors.sum", "lts__t_sectors.sum"})
    EXPECT_NEAR(part.metrics[name] / whole.metrics[name], 1, 0.005) << name;
  EXPECT_NEAR(part.metrics["dram__bytes.sum"] / whole.metrics["dram__bytes.sum"], 1, 0.02);
  EXPECT_NEAR(part.metrics["smsp__cycles_active.avg"] / whole.metrics["smsp__cycles_active.avg"], 1, 0.05);
  EXPECT_EQ(part.metrics["gpc__cycles_elapsed.max"], static_cast<double>(part.cycles.value));
  double phases = 0;
  for (const char* phase : {"launch", "ramp", "full", "tail", "drain"})
    phases += part.metrics["sassim__phase_" + std::string(phase) + ".cycles"];
  EXPECT_EQ(phases, static_cast<double>(part.cycles.value));
}

TEST(Sampling, DependsOnNeitherThreadsNorEpochs) {
  const SassKernel kernel = add(kBlocks);
  const KernelResult one = run(kernel, sampled()), other = run(kernel, sampled(2, 7));
  EXPECT_EQ(one.cycles, other.cycles);
  EXPECT_EQ(one.sampling->blocks, other.sampling->blocks);
  for (const stats::Metric& metric : one.metrics.all())
    EXPECT_EQ(metric.value, other.metrics[metric.name()]) << metric.name();
}

TEST(Sampling, AGridOfAFewTurnsIsSimulatedWhole) {
  const SassKernel kernel = add(100);
  const KernelResult part = run(kernel, sampled());
  EXPECT_NE(part.sampling->whole.find("it has 100 thread blocks, fewer than 4 times"), std::string::npos)
      << part.sampling->whole;
  EXPECT_EQ(part.cycles, run(kernel, {}).cycles);
}

TEST(Sampling, AGridWhoseBlocksDifferIsSimulatedWhole) {
  SassKernel kernel(kTwoLengths);
  kernel.warps(4).blocks(kBlocks);
  kernel.entry_by_block([](std::uint64_t block, std::uint32_t) { return block < kBlocks / 2 ? "short" : "long"; });
  const KernelResult part = run(kernel, sampled());
  EXPECT_NE(part.sampling->whole.find("execute more instructions than those of others"), std::string::npos)
      << part.sampling->whole;
  EXPECT_EQ(part.cycles, run(kernel, {}).cycles);
}

/// A launch that does what a test says, 1000 blocks in turns of 10.
class Launch {
 public:
  /// What it does in each cycle.
  struct Rates {
    double issued = 2, dram_bytes = 0, held_bytes = 0;
    bool dram_rises = false;        ///< with time
    double issue_rises = 0;         ///< in each 8192 cycles by this part
    bool issue_alternates = false;  ///< from one look to the next
  };
  explicit Launch(double share = 0.1) : sampler_({1000, 10, 4000, share, 100, Cycle(0)}) {}

  /// Until something else than `none` is decided, or nothing more is.
  Sampler::Action go_on(const Rates& rates) {
    while (sampler_.due() != kNever) {
      const auto cycles = static_cast<double>(sampler_.due().value - now_.at.value);
      const auto add = [&](std::uint64_t& count, double each) { count += static_cast<std::uint64_t>(each * cycles); };
      now_.at = sampler_.due();
      const double late = static_cast<double>(now_.at.value) / 8192;
      const bool more = rates.issue_alternates && ++looks_ % 2 == 0;
      add(now_.issued, rates.issued * (1 + rates.issue_rises * late) * (more ? 1.5 : 1));
      add(now_.dram_bytes, rates.dram_bytes * (rates.dram_rises ? late : 1));
      add(now_.held_bytes, rates.held_bytes);
      now_.next = std::min<std::uint64_t>(1000, now_.at.value / 200 + 10 + skipped_);
      const Sampler::Action action = sampler_.look(now_);
      if (action == Sampler::Action::skip) skipped_ += sampler_.skip();
      if (action != Sampler::Action::none) return action;
    }
    return Sampler::Action::none;
  }
  const Sampler& sampler() const { return sampler_; }
  std::uint64_t next() const { return now_.next; }

 private:
  Sampler sampler_;
  Sampler::Moment now_;
  std::uint64_t skipped_ = 0, looks_ = 0;
};

TEST(Sampler, SkipsWhenThroughputIsSteady) {
  Launch launch;
  EXPECT_EQ(launch.go_on({}), Sampler::Action::begin);
  EXPECT_EQ(launch.go_on({}), Sampler::Action::skip);
  EXPECT_EQ(launch.sampler().skip() % 10, 0u);
  EXPECT_GT(launch.sampler().skip(), 100u);
  EXPECT_NEAR(launch.sampler().half_interval(), 0.01, 0.001) << "one place does not tell how others differ";
}

TEST(Sampler, AStretchBeginsAgainWhileTheL2FillsWithWhatMustBeWrittenBack) {
  Launch launch;
  EXPECT_EQ(launch.go_on({}), Sampler::Action::begin);
  EXPECT_EQ(launch.go_on({.held_bytes = 10}), Sampler::Action::begin);  // the L2 fills at a tenth of the DRAM's peak
  EXPECT_EQ(launch.go_on({.dram_bytes = 10}), Sampler::Action::skip);
}

TEST(Sampler, AStretchBeginsAgainWhileTrafficOrThroughputChanges) {
  for (const Launch::Rates& rates : {Launch::Rates{.dram_bytes = 30, .dram_rises = true},
                                     Launch::Rates{.issue_rises = 0.05}, Launch::Rates{.issue_alternates = true}}) {
    Launch launch;
    EXPECT_EQ(launch.go_on({}), Sampler::Action::begin);
    EXPECT_EQ(launch.go_on(rates), Sampler::Action::begin);
    EXPECT_EQ(launch.go_on({}), Sampler::Action::skip);
  }
}

TEST(Sampler, WithoutASteadyStateNothingIsSkipped) {
  Launch launch;
  Sampler::Action action = Sampler::Action::begin;
  for (int begun = 0; action == Sampler::Action::begin && begun < 20; ++begun)
    action = launch.go_on({.held_bytes = 10});
  EXPECT_EQ(action, Sampler::Action::none);
  EXPECT_EQ(launch.sampler().whole(), "it had no steady state before most of its thread blocks had started");
}

/// Half of the interval after throughput has been measured at all places, at the later ones with these factors in turn.
double half_interval(Launch& launch, double one, double other) {
  EXPECT_EQ(launch.go_on({}), Sampler::Action::begin);
  EXPECT_EQ(launch.go_on({}), Sampler::Action::skip);
  while (launch.sampler().due() != kNever) {
    const double factor = launch.sampler().places() % 2 == 0 ? one : other;
    const std::uint64_t begins = launch.next() + launch.sampler().skip();
    EXPECT_EQ(launch.go_on({.issued = 2 * factor}), Sampler::Action::begin);
    EXPECT_GE(launch.next(), begins + 15) << "half of the place's blocks fill the GPU";
    EXPECT_EQ(launch.go_on({.issued = 2 * factor}), Sampler::Action::skip);
    EXPECT_GE(launch.next(), begins + 30);
  }
  EXPECT_GE(launch.sampler().places(), 3u);
  return launch.sampler().half_interval();
}

TEST(Sampler, PlacesThatDifferWidenTheInterval) {
  Launch equal(0.4), different(0.4);
  EXPECT_LT(half_interval(equal, 1, 1), 0.001);
  EXPECT_GT(half_interval(different, 0.9, 1.1), 0.05);
}

}  // namespace
}  // namespace sassim::arch::test
