// SPDX-License-Identifier: Apache-2.0
// A memory system that was saved between two epochs and loaded into a new one goes on exactly as the first: answers
// with their times and senders, accesses of every slice of the L2, and all metrics.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/loader.h"
#include "tests/common/forked_run.h"
#include "tests/common/small_gpu.h"

namespace sassim::arch {
namespace {

using testing::ForkedRun;
using testing::RandomTraffic;
using testing::small_gpu;

/// Saves at `forks` moments between the first epoch and the last, and lets each fork run to its end. Returns the
/// metrics of each kernel.
std::vector<stats::MetricSet> compare_forks(const config::GpuConfig& gpu, const RandomTraffic& traffic,
                                            std::uint32_t active, std::size_t forks, const std::string& what) {
  ForkedRun reference(gpu, traffic, active);
  std::size_t steps = 1;
  while (reference.step()) ++steps;
  const std::vector<double> expected = reference.outcome();
  ForkedRun run(gpu, traffic, active);
  for (std::size_t step = 0, done = 0; done < forks; ++step, run.step()) {
    if (step < done * steps / forks) continue;
    ++done;
    const std::string bytes = run.save();
    ForkedRun fork(run, bytes);
    EXPECT_TRUE(fork.save() == bytes) << what << ": saved again right after loading, step " << step;
    while (fork.step()) {
    }
    EXPECT_EQ(fork.outcome(), expected) << what << ", saved at step " << step << " of " << steps;
  }
  return reference.metrics();
}

/// All of a chip's memory, but so few sets of the L2 that random traffic evicts lines of them.
config::GpuConfig chip(const std::string& name) {
  config::GpuConfig gpu = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/" + name + ".yaml");
  config::L2Config& l2 = gpu.memory.l2;
  l2.size = std::uint64_t{l2.slices} * l2.ways * l2.line * 2;
  gpu.environment.upload = l2.size / 8;
  l2.pending_requests = 16;
  gpu.memory.l2_tlb.entries = 32;
  gpu.memory.page_walkers = 4;
  return gpu;
}

TEST(MemoryCheckpoint, ContinuesOnEveryGeneration) {
  for (const char* name : {"t4", "v100", "h200"}) {
    const config::GpuConfig gpu = chip(name);
    const RandomTraffic traffic{
        .requests = 300, .largest_gap = 2, .footprint = 2 * gpu.memory.l2.size, .outstanding = 200, .all_kinds = true};
    for (const stats::MetricSet& kernel : compare_forks(gpu, traffic, 12, 8, name))
      for (const char* busy : {"sassim__page_walks.sum", "sassim__lts_sectors_written_back.sum",
                               "sassim__lts_atomic_operations.sum", "lts__t_sectors_lookup_miss.sum"})
        EXPECT_GT(kernel[busy], 0) << busy << ", " << name;
  }
}

/// Of the timings of DRAM some are so long that commands wait for them at any moment.
void slow_down(config::DramConfig& dram, std::uint32_t which) {
  if (which == 1) {
    dram.tRRDS = 60;
    dram.tRRDL = 100;
    dram.tFAW = 1500;
  } else if (which == 2) {
    dram.tCCDS = 25;
    dram.tCCDL = 60;
    dram.tWTRS = 100;
    dram.tWTRL = 150;
    dram.tCL = 80;
  } else if (which == 3) {
    dram.bus_bits = 8;
    dram.burst = 32;
    dram.beats_per_clock = 1;
  }
}

/// Every part of the model is in use in some of these.
config::GpuConfig variant(std::uint32_t seed) {
  config::GpuConfig gpu = small_gpu();
  gpu.memory.model = seed == 12 ? "fixed" : "full";
  gpu.memory.page_walkers = 1 + seed % 2;
  gpu.memory.l2_tlb.entries = 4;
  gpu.memory.halves.parts = 1 + seed % 2;
  gpu.memory.halves.near_copies = seed % 4 < 2;
  gpu.memory.halves.hold_stores = seed % 8 < 4;
  gpu.memory.l2.ways = 4;
  gpu.memory.l2.size = 8 * 4 * 128 * 4;
  gpu.environment.upload = 4096;
  gpu.environment.upload_ways = seed % 3;
  gpu.memory.l2.replacement =
      std::vector<std::string>{"lru", "random", "fifo", "not_recent", "priorities", "ages"}[seed % 6];
  gpu.memory.l2.write = seed % 5 == 0 ? "through" : "back";
  gpu.memory.l2.dirty.ways = seed % 3;
  gpu.memory.l2.dirty.partial_ways = seed % 2;
  gpu.memory.l2.byte_masks = true;
  gpu.memory.l2.group.members = seed % 3 == 1 ? 2 : 1;
  gpu.memory.l2.atomic_partial_interval = seed % 2 * 1.25;
  gpu.memory.l2.atomic_float_interval = 130;
  gpu.memory.l2.atomic_turn = 170;
  gpu.memory.l2.atomic_minimum = 1.6;
  gpu.memory.halves.bytes_per_cycle = seed % 4 == 1 ? 4 : 0;
  gpu.memory.crossbar.write_credits = seed % 5 == 2 ? 5 : 0;
  gpu.memory.crossbar.merge.window = seed % 2 * (seed % 4 == 1 ? 45 : 300);
  gpu.memory.crossbar.gpc_sms = {3, 3};
  if (seed % 3 == 0) gpu.memory.crossbar.slice_request_bytes_per_cycle = 2;
  gpu.memory.dram.model = seed % 6 == 0 ? "fixed" : "ddr";
  if (seed == 6) gpu.clock.dram = 20'000'000;  // so slow that reads wait for its next cycle when an epoch ends
  gpu.memory.dram.scheduler = seed % 5 == 0 ? "fcfs" : "fr_fcfs";
  gpu.memory.dram.row_policy = seed % 4 == 3 ? "closed" : "open";
  gpu.memory.dram.write_stay = seed % 3 * 20;
  gpu.memory.dram.refresh = seed % 3 == 0 ? "none" : seed % 3 == 1 ? "all_bank" : "per_bank";
  gpu.memory.dram.tREFI = 700;
  slow_down(gpu.memory.dram, seed % 4);
  return gpu;
}

TEST(MemoryCheckpoint, ContinuesWithEveryPart) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const config::GpuConfig gpu = variant(seed);
    const RandomTraffic traffic{.requests = 120,
                                .largest_gap = seed % 4 * 5,
                                .footprint = 1024u << (4 + seed % 5),
                                .seed = seed,
                                .all_kinds = gpu.memory.model == "full"};
    compare_forks(gpu, traffic, gpu.sm.count, 20, "variant " + std::to_string(seed));
  }
}

TEST(MemoryCheckpoint, OfAnotherConfigurationIsRefused) {
  const config::GpuConfig gpu = small_gpu();
  ForkedRun run(gpu, {}, 6);
  for (int i = 0; i < 20; ++i) run.step();
  const std::string bytes = run.save();
  const auto refused = [&bytes](const config::GpuConfig& other) {
    StateReader reader(bytes);
    EpochEngine engine(Cycle{1}, 1);
    reader(engine);
    EXPECT_THROW(MemorySystem::make(other)->load(reader), InputError);
  };
  config::GpuConfig other = gpu;
  other.sm.count = 7;
  refused(other);
  other = gpu;
  other.memory.l2.ways = 4;
  other.memory.l2.size *= 2;
  refused(other);
  other = gpu;
  other.memory.dram.banks_per_group *= 2;
  refused(other);
}

}  // namespace
}  // namespace sassim::arch
