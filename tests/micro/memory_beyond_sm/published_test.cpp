// SPDX-License-Identifier: Apache-2.0
// The memory system alone, driven by stand-ins for SMs, against what was measured on real GPUs.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>

#include "arch/common/epoch_engine.h"
#include "arch/memory/memory_system.h"
#include "sim/config/loader.h"
#include "tests/common/probe_sm.h"

namespace sassim::arch {
namespace {

using testing::ChaseSm;
using testing::StreamSm;

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

struct Rig {
  explicit Rig(const config::GpuConfig& gpu)
      : memory(MemorySystem::make(gpu)), engine(std::make_unique<EpochEngine>(memory->lookahead(), 1)) {
    for (Component* part : memory->components()) engine->add(*part);
    engine->add(*memory);
  }
  void run() {
    while (engine->step()) {
    }
    memory->check_conservation();
  }
  std::unique_ptr<MemorySystem> memory;
  std::unique_ptr<EpochEngine> engine;
};

/// Mean latency of the last pass of dependent loads over `bytes`. The SM's own share is what an L1 hit takes.
double chase(const config::GpuConfig& gpu, std::uint64_t bytes, std::uint64_t stride, std::uint64_t passes) {
  Rig rig(gpu);
  const std::uint64_t lines = bytes / stride;
  std::uint64_t i = 0;
  ChaseSm sm(rig.memory->port(SmId(0)), gpu.sm.l1.hit_latency, [&](MemRequest& request) {
    request = MemRequest{};
    request.address = i % lines * stride;
    request.sectors = 1;
    return i++ < lines * passes;
  });
  rig.engine->add(sm);
  rig.run();
  const auto& all = sm.latencies();
  return std::accumulate(all.end() - static_cast<std::ptrdiff_t>(lines), all.end(), 0.0) / static_cast<double>(lines);
}

struct Flow {
  double cycles = 0, lines = 0, mean_latency = 0;
  stats::MetricSet metrics;
};

/// All SMs stream over `bytes`, in blocks of 4 KiB dealt out in turn; copying writes what it read elsewhere.
Flow stream(const config::GpuConfig& gpu, std::uint64_t bytes, std::uint64_t passes, std::uint32_t outstanding,
            bool copy) {
  Rig rig(gpu);
  constexpr std::uint64_t kBlock = 32;
  const std::uint64_t lines = bytes / 128, per_line = copy ? 2 : 1;
  std::vector<std::uint64_t> next(gpu.sm.count);
  std::vector<std::unique_ptr<StreamSm>> sms;
  for (std::uint32_t k = 0; k < gpu.sm.count; ++k) {
    sms.push_back(std::make_unique<StreamSm>(
        rig.memory->port(SmId(static_cast<std::uint16_t>(k))), outstanding, 0, [&, k](MemRequest& request) {
          const std::uint64_t turn = next[k]++, i = turn / per_line;
          const std::uint64_t line = (i / kBlock * gpu.sm.count + k) * kBlock + i % kBlock;
          request = MemRequest{};
          request.address = line % lines * 128;
          request.sectors = 15;
          if (copy && turn % 2 == 1) {
            request.address += std::uint64_t{1} << 33;
            request.kind = RequestKind::store;
            request.data_bytes = 128;
          }
          return line < lines * passes;
        }));
    rig.engine->add(*sms.back());
  }
  rig.run();
  Flow flow;
  for (const auto& sm : sms) {
    flow.cycles = std::max(flow.cycles, static_cast<double>(sm->last().value));
    flow.lines += static_cast<double>(sm->done());
    flow.mean_latency += static_cast<double>(sm->total_latency());
  }
  flow.mean_latency /= flow.lines;
  rig.memory->report(flow.metrics);
  return flow;
}

double gigabytes_per_second(const config::GpuConfig& gpu, double bytes, double cycles) {
  return bytes / cycles * static_cast<double>(gpu.clock.sm) / 1e9;
}

/// Of the passes after the first ones, which fill the cache.
double l2_bandwidth(const config::GpuConfig& gpu) {
  const Flow few = stream(gpu, 2 * kMiB, 4, 96, false), more = stream(gpu, 2 * kMiB, 8, 96, false);
  return gigabytes_per_second(gpu, 128 * (more.lines - few.lines), more.cycles - few.cycles);
}

double dram_bandwidth(const config::GpuConfig& gpu, bool copy) {
  const Flow flow = stream(gpu, 12 * kMiB, 1, 128, copy);
  return gigabytes_per_second(gpu, flow.metrics["dram__bytes.sum"], flow.cycles);
}

void expect_within(double value, double expected, double tolerance, const char* what) {
  EXPECT_NEAR(value, expected, expected * tolerance) << what;
}

TEST(PublishedMemory, LatencyOfL2) {
  expect_within(chase(config::load_config("t4"), 256 * kKiB, 128, 2), 188, 0.03, "T4 report section 5");
  expect_within(chase(config::load_config("v100"), 256 * kKiB, 128, 2), 193, 0.03, "V100 report table 3.1");
  expect_within(chase(config::load_config("h200"), 256 * kKiB, 128, 2), 280, 0.03, "H200, near half: NOTES-h200.md");
}

TEST(PublishedMemory, LatencyOfDram) {
  expect_within(chase(config::load_config("v100"), 256 * kKiB, 128, 1), 375, 0.03, "V100 report figure 3.2");
  expect_within(chase(config::load_config("v100"), 4 * kMiB, 1024, 1), 391, 0.035, "V100 report section 5.3");
  expect_within(chase(config::load_config("h200"), 4 * kMiB, 1024, 1), 658, 0.03, "H200, both halves: dram.latency");
}

TEST(PublishedMemory, BandwidthOfL2) {
  const auto t4 = config::load_config("t4"), v100 = config::load_config("v100");
  expect_within(l2_bandwidth(t4), 1270, 0.05, "T4 report table 5");
  expect_within(l2_bandwidth(v100), 2155, 0.05, "T4 report table 5");
}

TEST(PublishedMemory, BandwidthOfDram) {
  const auto t4 = config::load_config("t4"), v100 = config::load_config("v100");
  expect_within(dram_bandwidth(t4, true), 220, 0.05, "T4 report section 10");
  expect_within(dram_bandwidth(v100, true), 750, 0.05, "V100 report table 3.1");
}

// Volkov table 6.5: mean latency = a + b x / (c - x). It must rise slowly at first, and without bound near c.
TEST(PublishedMemory, LatencyUnderLoadRisesAsVolkovFound) {
  const auto gpu = config::load_config("v100");
  const Flow idle = stream(gpu, 2 * kMiB, 1, 1, false), half = stream(gpu, 8 * kMiB, 1, 16, false),
             most = stream(gpu, 8 * kMiB, 1, 32, false), full = stream(gpu, 8 * kMiB, 1, 128, false);
  EXPECT_LT(half.mean_latency, 1.3 * idle.mean_latency);
  EXPECT_GT(most.mean_latency, 1.3 * idle.mean_latency);
  EXPECT_GT(full.mean_latency, 3.0 * idle.mean_latency);
  EXPECT_LT(full.cycles, 1.05 * most.cycles) << "no more bandwidth is to be had";
}

/// What an atomic takes longer than a load of the same place.
double atomic_extra(const config::GpuConfig& gpu, std::uint8_t lanes_per_word) {
  Rig rig(gpu);
  int i = 0;
  ChaseSm sm(rig.memory->port(SmId(0)), gpu.sm.l1.hit_latency, [&](MemRequest& request) {
    request = MemRequest{};
    request.sectors = static_cast<std::uint8_t>((1u << std::max(1, 4 / lanes_per_word)) - 1);
    if (i >= 2) {
      request.kind = RequestKind::atomic;
      request.operations = 32;
      request.serial = lanes_per_word;
    }
    return i++ < 3;
  });
  rig.engine->add(sm);
  rig.run();
  return static_cast<double>(sm.latencies()[2]) - static_cast<double>(sm.latencies()[1]);
}

TEST(PublishedMemory, AtomicsUnderContention) {
  const double t4[] = {76, 72, 73, 81, 97, 116}, v100[] = {36, 31, 32, 41, 58, 76};
  for (int i = 0; i < 6; ++i) {
    const auto lanes = static_cast<std::uint8_t>(1u << i);
    expect_within(atomic_extra(config::load_config("t4"), lanes), t4[i], 0.1, "T4 report table 7");
    expect_within(atomic_extra(config::load_config("v100"), lanes), v100[i], 0.1, "T4 report table 7");
  }
}

}  // namespace
}  // namespace sassim::arch
