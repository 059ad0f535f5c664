// SPDX-License-Identifier: Apache-2.0
// Several GPUs with one clock.
#include "arch/gpu/system.h"

#include <algorithm>
#include <memory>
#include <systemc>

#include "arch/gpu/gpu_module.h"
#include "sim/base/error.h"
#include "tests/stage/platform/kernels.h"

namespace sassim::arch::test {
namespace {

std::vector<std::vector<KernelResult>> run(System& system, std::vector<System::Work> work) {
  std::vector<std::vector<KernelResult>> results(work.size());
  for (std::size_t i = 0; i < work.size(); ++i)
    work[i].done = [&results, i](std::size_t number, KernelResult result) {
      EXPECT_EQ(number, results[i].size());
      results[i].push_back(std::move(result));
    };
  system.run(work);
  return results;
}

TEST(System, GpusThatRunAtTheSameTimeGiveWhatEachGivesAlone) {
  const config::GpuConfig large = volta(), little = volta({"sm.count=8", "clock.sm=1000MHz"});
  const SassKernel one = streaming(), other = streaming(50);
  const auto first = one.source(), second = other.source();
  System system;
  Gpu a(system, large, "a"), b(system, little, "b");
  RunOptions threads;
  threads.threads = 2;
  const auto results =
      run(system, {{&a, {{first.get(), {}}, {second.get(), {}}}, {}}, {&b, {{second.get(), threads}}, {}}});
  ASSERT_EQ(results[0].size(), 2u);
  ASSERT_EQ(results[1].size(), 1u);
  Gpu alone(large), other_alone(little);
  expect_equal(results[0][0], alone.run(*first));
  expect_equal(results[0][1], alone.run(*second));
  expect_equal(results[1][0], other_alone.run(*second));
}

TEST(System, TheClockOfAllGoesOn) {
  const config::GpuConfig config = volta();
  const SassKernel kernel = streaming(20);
  const auto source = kernel.source();
  System system;
  Gpu a(system, config, "a"), b(system, config, "b");
  const Cycle took = a.run(*source).cycles;
  std::vector<Cycle> starts;
  struct Start final : PipelineObserver {
    std::vector<Cycle>& all;
    explicit Start(std::vector<Cycle>& of) : all(of) {}
    void kernel_started(const trace::KernelInfo&, Cycle start) override { all.push_back(start); }
  } start(starts);
  RunOptions options;
  options.pipeline = &start;
  b.run(*source, options);
  EXPECT_GE(starts.at(0), took) << "the GPU begins when the other one has ended, not at 0";
}

TEST(System, NoGpuRunsAheadOfTheClockThatTheyShare) {
  const config::GpuConfig config = volta();
  const SassKernel kernel = streaming(20);
  const auto source = kernel.source(), same = kernel.source();
  System system;
  Gpu a(system, config, "a"), b(system, config, "b");
  struct Issues final : PipelineObserver {
    std::vector<std::pair<char, Cycle>>& all;
    char name;
    Issues(std::vector<std::pair<char, Cycle>>& of, char gpu) : all(of), name(gpu) {}
    void issued(const WarpName&, std::uint32_t, Cycle issue, Cycle) override { all.emplace_back(name, issue); }
  };
  std::vector<std::pair<char, Cycle>> all;
  Issues of_a(all, 'a'), of_b(all, 'b');
  RunOptions first, second;
  first.epoch = second.epoch = 13;
  first.pipeline = &of_a;
  second.pipeline = &of_b;
  run(system, {{&a, {{source.get(), first}}, {}}, {&b, {{same.get(), second}}, {}}});
  Cycle latest, back;
  std::size_t turns = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    latest = std::max(latest, all[i].second);
    back = std::max(back, latest - all[i].second);
    turns += i != 0 && all[i].first != all[i - 1].first ? 1 : 0;
  }
  EXPECT_LE(back.value, 13u) << "a GPU issues in an epoch that the other has left behind";
  EXPECT_GT(turns, 20u) << "the GPUs do not take turns";
}

/// Keeps the simulated time of the system in which the GPU asks for each block.
class TimedBlocks final : public trace::BlockSource {
 public:
  explicit TimedBlocks(std::unique_ptr<trace::BlockSource> blocks) : blocks_(std::move(blocks)) {}
  const trace::KernelInfo& kernel() const override { return blocks_->kernel(); }
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) override {
    asked.push_back(sc_core::sc_time_stamp().value());
    return blocks_->block(id);
  }
  std::string hash() const override { return blocks_->hash(); }

  std::vector<std::uint64_t> asked;

 private:
  std::unique_ptr<trace::BlockSource> blocks_;
};

/// With an observer, SMs never advance by two epochs at a time.
TEST(System, SmsOfGpusWithOneClockAdvanceByOneEpoch) {
  const config::GpuConfig config = volta();
  const SassKernel kernel = streaming(700);  // more than fit at once
  const auto asked = [&](PipelineObserver* observer) {
    TimedBlocks first(kernel.source()), second(kernel.source());
    System system;
    Gpu a(system, config, "a"), b(system, config, "b");
    RunOptions options;
    options.pipeline = observer;
    run(system, {{&a, {{&first, options}}, {}}, {&b, {{&second, options}}, {}}});
    EXPECT_NE(first.asked.front(), first.asked.back());
    return std::pair(first.asked, second.asked);
  };
  PipelineObserver observer;
  EXPECT_EQ(asked(nullptr), asked(&observer));
}

TEST(System, AnErrorOfOneGpuLeavesTheOthersToTheirEnd) {
  const config::GpuConfig config = volta();
  const SassKernel kernel = streaming(20);
  const auto source = kernel.source(), same = kernel.source();
  System system;
  Gpu a(system, config, "a"), b(system, config, "b");
  RunOptions limited;
  limited.max_cycles = 10;
  std::size_t done = 0;
  const auto count = [&](std::size_t, const KernelResult&) { ++done; };
  EXPECT_THROW(system.run({{&a, {{source.get(), limited}}, count}, {&b, {{same.get(), {}}}, count}}), NoProgress);
  EXPECT_EQ(done, 1u);
}

TEST(System, WrongUsesAreRefused) {
  const config::GpuConfig config = volta();
  const SassKernel kernel = streaming(20);
  const auto source = kernel.source();
  System system;
  Gpu a(system, config, "a");
  EXPECT_THROW(system.run({{&a, {{source.get(), {}}}, {}}, {&a, {{source.get(), {}}}, {}}}), UsageError);
  a.run(*source);
  EXPECT_THROW(Gpu(system, config, "late"), UsageError);
}

TEST(System, IntervalsAddUpToTheMetrics) {
  const SassKernel kernel = streaming();
  const auto source = kernel.source();
  const auto run_with = [&](unsigned threads, std::uint64_t epoch) {
    RunOptions options;
    options.threads = threads;
    options.epoch = epoch;
    options.intervals.cycles = 700;
    std::vector<std::pair<Cycle, std::vector<std::uint64_t>>> intervals;
    Cycle before;
    options.intervals.tell = [&](Cycle from, Cycle until, const std::vector<std::uint64_t>& counts) {
      EXPECT_EQ(from, before);
      before = until;
      intervals.emplace_back(until, counts);
    };
    Gpu gpu(volta());
    const KernelResult result = gpu.run(*source, options);
    EXPECT_EQ(before, result.cycles);
    for (std::size_t i = 0; i < options.series_counters.size(); ++i) {
      std::uint64_t sum = 0;
      for (const auto& [until, counts] : intervals) sum += counts[i];
      const std::string& name = options.series_counters[i].row().name;
      EXPECT_EQ(static_cast<double>(sum), result.metrics[name]) << name;
    }
    EXPECT_EQ(intervals.size(), result.cycles.value / 700 + 1);
    EXPECT_EQ(intervals[0].first, Cycle(700));
    std::vector<std::uint64_t> reads;
    const auto at = std::find(options.series_counters.begin(), options.series_counters.end(),
                              stats::find_counter("dram__bytes_read.sum"));
    for (const auto& [until, counts] : intervals) reads.push_back(counts[at - options.series_counters.begin()]);
    return reads;
  };
  const auto reads = run_with(1, 0);
  EXPECT_EQ(run_with(3, 0), reads);
  EXPECT_EQ(run_with(1, 13), reads);
}

}  // namespace
}  // namespace sassim::arch::test
