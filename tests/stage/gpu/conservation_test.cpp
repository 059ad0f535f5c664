// SPDX-License-Identifier: Apache-2.0
// A kernel ends with an error when memory traffic was lost or made up on the way.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/memory/full_memory.h"
#include "arch/sm/common/stall_table.h"
#include "sim/base/registry.h"
#include "sim/config/loader.h"
#include "sim/trace/open.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

enum class Fault { none, loses_a_sector, stores_twice };
Fault fault = Fault::none;  // memory models are made by name, so nothing else can reach them

class FaultyPort final : public MemoryPort {
 public:
  explicit FaultyPort(MemoryPort& port) : port_(port) {}
  bool can_send(Cycle now, std::uint32_t bytes) const override { return port_.can_send(now, bytes); }
  Cycle ready_at(Cycle now, std::uint32_t bytes) const override { return port_.ready_at(now, bytes); }
  void send(MemRequest request, Cycle now) override {
    if (request.kind == RequestKind::store && fault == Fault::loses_a_sector) request.sectors &= request.sectors - 1;
    port_.send(request, now);
    request.needs_reply = false;
    while (request.kind == RequestKind::store && fault == Fault::stores_twice && !port_.can_send(now, 0)) ++now;
    if (request.kind == RequestKind::store && fault == Fault::stores_twice) port_.send(request, now);
  }
  const MemReply* front(Cycle now) const override { return port_.front(now); }
  void pop() override { port_.pop(); }
  Cycle next_reply() const override { return port_.next_reply(); }

 private:
  MemoryPort& port_;
};

class FaultyMemory final : public MemorySystem {
 public:
  explicit FaultyMemory(const config::GpuConfig& config) : memory_(config) {
    for (std::uint32_t i = 0; i < config.sm.count; ++i)
      ports_.push_back(std::make_unique<FaultyPort>(memory_.port(SmId(static_cast<std::uint16_t>(i)))));
  }
  MemoryPort& port(SmId sm) override { return *ports_.at(sm.value); }
  std::vector<Component*> components() override { return memory_.components(); }
  Cycle lookahead() const override { return memory_.lookahead(); }
  void start_kernel(bool keep_caches) override { memory_.start_kernel(keep_caches); }
  bool idle() const override { return memory_.idle(); }
  void check_conservation() const override { memory_.check_conservation(); }
  void report(stats::CounterValues& values) const override { memory_.report(values); }
  void describe_waits(WaitGraph& graph) const override { memory_.describe_waits(graph); }
  void exchange(Cycle now) override { memory_.exchange(now); }

 private:
  FullMemory memory_;
  std::vector<std::unique_ptr<FaultyPort>> ports_;
};

const Registered<MemorySystem, FaultyMemory, const config::GpuConfig&> registered("faulty");

void run_with(Fault wanted) {
  auto config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml", {"sm.count=2"});
  config.memory.model = "faulty";
  fault = wanted;
  SassKernel kernel(
      "B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;\n"
      "B0-----:R0:W-:-:S02 STG.E [R2.64+0x1000], R8 ;\n"
      "B------:R0:W-:-:S02 RED.E.ADD.STRONG.GPU [R2.64], R8 ;\n"
      "B------:R-:W-:-:S05 EXIT ;\n",
      90);
  kernel.warps(4).blocks(6);
  const auto source = kernel.source();
  Gpu gpu(config);
  gpu.run(*source);
  RunOptions keep;
  keep.caches = CacheStart::keep;
  gpu.run(*source, keep);
}

TEST(Conservation, HoldsForAKernelAndTheOneAfterIt) { EXPECT_NO_THROW(run_with(Fault::none)); }
TEST(Conservation, ALostSectorEndsTheRun) { EXPECT_THROW(run_with(Fault::loses_a_sector), std::logic_error); }
TEST(Conservation, ADoubledStoreEndsTheRun) { EXPECT_THROW(run_with(Fault::stores_twice), std::logic_error); }

}  // namespace
}  // namespace sassim::arch::test

// Every count of the list over time: what the intervals have adds up to what the launch has.
namespace sassim::arch {
namespace {

/// Those that a profiler adds at the end are of no moment of the launch.
constexpr const char* kProfiled = "sassim__lts_sectors_profiled_hit.sum";

std::vector<stats::Count> all_counts() {
  std::vector<stats::Count> counts;
  for (const stats::Counter counter : stats::counters())
    if (counter.row().kind == stats::CounterKind::count && counter.row().name != kProfiled)
      counts.emplace_back(counter);
  return counts;
}

KernelResult run(const char* gpu, const char* trace, const std::vector<stats::Count>& counters) {
  RunOptions options;
  options.series = 64;
  options.series_counters = counters;
  const auto kernels = trace::open(std::string(SASSIM_BINARY_DIR "/traces/") + trace + ".sast");
  return Gpu(config::load_config(gpu, {"environment.profiled_hits=0"})).run(*kernels.at(0), options);
}

std::uint64_t sum(const CountsOverTime& series, stats::Counter counter) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < series.intervals.size(); ++i) total += series.count(i, counter);
  return total;
}

class Series : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Series, OfEveryCountAddsUpToTheMetric) {
  const std::vector<stats::Count> counts = all_counts();
  ASSERT_GT(counts.size(), 150u);
  const KernelResult result = run(GetParam().first, GetParam().second, counts);
  ASSERT_GT(result.series.intervals.size(), 8u);
  std::size_t moving = 0;
  for (const stats::Count& counter : counts) {
    const std::string& name = counter.row().name;
    if (!result.metrics.has(name)) continue;
    EXPECT_EQ(static_cast<double>(sum(result.series, counter)), result.metrics[name]) << name;
    std::size_t intervals = 0;
    for (std::size_t i = 0; i < result.series.intervals.size(); ++i) {
      intervals += result.series.count(i, counter) != 0;
      EXPECT_LT(result.series.count(i, counter), std::uint64_t{1} << 40) << name << " falls in interval " << i;
    }
    moving += intervals > 2;
  }
  EXPECT_GT(moving, 60u) << "counts that more than two intervals have";
}

// A warp that waits over the end of an interval has waited in both of them.
TEST_P(Series, StallReasonsTileTheCyclesOfWarpsInEveryInterval) {
  const KernelResult result = run(GetParam().first, GetParam().second, all_counts());
  const stats::CounterName active("sm__warps_active.sum");
  for (std::size_t i = 0; i < result.series.intervals.size(); ++i) {
    std::uint64_t reasons = 0;
    for (std::size_t r = 0; r < kStallReasons; ++r)
      if (static_cast<StallReason>(r) != StallReason::no_warp)
        reasons += result.series.count(i, warp_cycles(static_cast<StallReason>(r)));
    EXPECT_EQ(reasons, result.series.count(i, active)) << "interval " << i;
  }
}

TEST_P(Series, ACounterCountsTheSameWhateverElseIsAskedFor) {
  const stats::CountName rows("sassim__dram_row_hits.sum");
  const KernelResult all = run(GetParam().first, GetParam().second, all_counts());
  const KernelResult one = run(GetParam().first, GetParam().second, {rows});
  ASSERT_EQ(all.series.intervals.size(), one.series.intervals.size());
  for (std::size_t i = 0; i < one.series.intervals.size(); ++i)
    EXPECT_EQ(one.series.count(i, rows), all.series.count(i, rows)) << "interval " << i;
  EXPECT_EQ(one.series.intervals.front().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Series,
                         testing::Values(std::pair("v100", "sm_70/softmax"), std::pair("t4", "sm_75/sgemm_tiled"),
                                         std::pair("v100", "sm_70/vector_add")),
                         [](const auto& kernel) {
                           std::string name =
                               std::string(kernel.param.first) + "_" + (std::strrchr(kernel.param.second, '/') + 1);
                           return name;
                         });

}  // namespace
}  // namespace sassim::arch
