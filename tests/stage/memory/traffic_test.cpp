// SPDX-License-Identifier: Apache-2.0
// Properties of the whole memory system under random traffic: nothing lost, nothing twice, the same for any threads.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/common/small_gpu.h"

namespace sassim::arch {
namespace {

using testing::Outcome;
using testing::RandomTraffic;
using testing::run_traffic;
using testing::small_gpu;

void expect_same(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_EQ(a.digests, b.digests) << what;
  for (const auto& [name, metric] : a.metrics.all()) EXPECT_EQ(metric.value, b.metrics[name]) << name << ", " << what;
}

TEST(MemoryTraffic, IsTheSameForAnyEpochAndThreadCount) {
  for (const std::uint32_t halves : {1u, 2u}) {
    config::GpuConfig gpu = small_gpu();
    gpu.memory.l2.partitions = halves;
    const RandomTraffic traffic{.requests = 150, .footprint = 1u << 14};
    const std::uint64_t lookahead = MemorySystem::make(gpu)->lookahead().value;
    EXPECT_EQ(lookahead, gpu.memory.crossbar.request_latency);
    const Outcome reference = run_traffic(gpu, traffic, Cycle{1}, 1);
    EXPECT_TRUE(reference.all_done);
    for (const std::uint64_t epoch : {std::uint64_t{1}, std::uint64_t{7}, lookahead})
      for (const unsigned threads : {1u, 2u, 4u})
        expect_same(run_traffic(gpu, traffic, Cycle{epoch}, threads), reference,
                    fmt::format("halves {}, epoch {}, threads {}", halves, epoch, threads));
  }
}

TEST(MemoryTraffic, AnswersEveryRequestOnce) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    config::GpuConfig gpu = small_gpu();
    gpu.memory.l2.partitions = 1 + seed % 2;
    gpu.memory.l2.near_copies = seed % 4 < 2;
    gpu.memory.l2.write = seed % 3 == 0 ? "through" : "back";
    gpu.memory.dram.refresh = seed % 3 == 0 ? "none" : seed % 3 == 1 ? "all_bank" : "per_bank";
    gpu.memory.dram.scheduler = seed % 5 == 0 ? "fcfs" : "fr_fcfs";
    gpu.memory.dram.model = seed % 6 == 0 ? "fixed" : "ddr";
    const RandomTraffic traffic{.requests = 500, .largest_gap = seed * 3, .footprint = 1024u << seed, .seed = seed};
    const Outcome outcome = run_traffic(gpu, traffic, Cycle{20}, 1);
    EXPECT_TRUE(outcome.all_done) << "seed " << seed;
    EXPECT_GT(outcome.metrics["lts__t_sectors_lookup_miss.sum"], 0) << "seed " << seed;
  }
}

TEST(MemoryTraffic, AnyGeometryWorksOrIsRefusedWithAReason) {
  std::uint32_t built = 0, refused = 0;
  for (const std::uint32_t slices : {1u, 3u, 6u, 7u, 12u, 13u})
    for (const std::uint32_t ways : {1u, 3u, 16u, 20u})
      for (const std::uint64_t kilobytes : {48ull, 96ull, 168ull, 312ull, 1000ull}) {
        config::GpuConfig gpu = small_gpu();
        gpu.memory.l2.slices = slices;
        gpu.memory.l2.ways = ways;
        gpu.memory.l2.size = kilobytes << 10;
        gpu.memory.dram.channels = 6;
        try {
          const Outcome outcome = run_traffic(gpu, RandomTraffic{.requests = 60}, Cycle{20}, 1);
          EXPECT_TRUE(outcome.all_done) << slices << " slices, " << ways << " ways, " << kilobytes << " KiB";
          ++built;
        } catch (const InputError& error) {
          EXPECT_NE(std::string(error.what()).find("expected a multiple of slices x ways x line"), std::string::npos);
          EXPECT_NE((kilobytes << 10) % (std::uint64_t{slices} * ways * 128), 0u) << error.what();
          ++refused;
        }
      }
  EXPECT_GT(built, 20u);
  EXPECT_GT(refused, 20u);
}

TEST(MemoryTraffic, ACacheThatGrowsByWaysNeverMissesMoreUnderLru) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    double before = 0;
    for (std::uint32_t ways = 1; ways <= 16; ++ways) {
      config::GpuConfig gpu = small_gpu();
      gpu.sm.count = 1;
      gpu.memory.l2.ways = ways;
      gpu.memory.l2.size = std::uint64_t{8 * 128 * 4} * ways;
      // One request at a time: the order of accesses is then the same for every size.
      const RandomTraffic traffic{
          .requests = 2000, .footprint = 1u << 16, .outstanding = 1, .seed = seed, .stores = false};
      const double misses = run_traffic(gpu, traffic, Cycle{20}, 1).metrics["lts__t_sectors_lookup_miss.sum"];
      if (ways > 1) {
        EXPECT_LE(misses, before) << ways << " ways, seed " << seed;
      }
      before = misses;
    }
  }
}

}  // namespace
}  // namespace sassim::arch
