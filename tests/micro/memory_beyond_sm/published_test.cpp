// SPDX-License-Identifier: Apache-2.0
// The memory system alone, driven by stand-ins for SMs, against what was measured on real GPUs. What a kernel sees of
// it is in ../memory_end_to_end.
#include <gtest/gtest.h>

#include <memory>

#include "arch/common/epoch_engine.h"
#include "arch/memory/memory_system.h"
#include "sim/config/loader.h"
#include "tests/common/probe_sm.h"

namespace sassim::arch {
namespace {

using testing::StreamSm;

constexpr std::uint64_t kMiB = 1u << 20;

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

struct Flow {
  double cycles = 0, lines = 0, mean_latency = 0;
};

/// All SMs read `bytes`, in blocks of 4 KiB dealt out in turn.
Flow stream(const config::GpuConfig& gpu, std::uint64_t bytes, std::uint32_t outstanding) {
  Rig rig(gpu);
  constexpr std::uint64_t kBlock = 32;
  const std::uint64_t lines = bytes / 128;
  std::vector<std::uint64_t> next(gpu.sm.count);
  std::vector<std::unique_ptr<StreamSm>> sms;
  for (std::uint32_t k = 0; k < gpu.sm.count; ++k) {
    sms.push_back(std::make_unique<StreamSm>(
        rig.memory->port(SmId(static_cast<std::uint16_t>(k))), outstanding, 0, [&, k](MemRequest& request) {
          const std::uint64_t i = next[k]++;
          const std::uint64_t line = (i / kBlock * gpu.sm.count + k) * kBlock + i % kBlock;
          request = MemRequest{};
          request.address = line * 128;
          request.sectors = 15;
          return line < lines;
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
  return flow;
}

// Volkov table 6.5: mean latency = a + b x / (c - x). It must rise slowly at first, and without bound near c.
TEST(PublishedMemory, LatencyUnderLoadRisesAsVolkovFound) {
  const auto gpu = config::load_config("v100");
  const Flow idle = stream(gpu, 2 * kMiB, 1), half = stream(gpu, 8 * kMiB, 16), most = stream(gpu, 8 * kMiB, 32),
             full = stream(gpu, 8 * kMiB, 128);
  EXPECT_LT(half.mean_latency, 1.3 * idle.mean_latency);
  EXPECT_GT(most.mean_latency, 1.3 * idle.mean_latency);
  EXPECT_GT(full.mean_latency, 3.0 * idle.mean_latency);
  EXPECT_LT(full.cycles, 1.05 * most.cycles) << "no more bandwidth is to be had";
}

}  // namespace
}  // namespace sassim::arch
