// SPDX-License-Identifier: Apache-2.0
// A GPU small enough that random traffic reaches every corner of its memory system.
#pragma once

#include <memory>
#include <vector>

#include "arch/common/epoch_engine.h"
#include "arch/memory/memory_system.h"
#include "sim/config/gpu_config.h"
#include "tests/common/random_sm.h"

namespace sassim::arch::testing {

inline config::GpuConfig small_gpu() {
  config::GpuConfig gpu;
  gpu.sm.count = 6;
  gpu.clock.l2 = 1100'000'000;  // three clocks without a common divisor worth the name
  gpu.clock.dram = 877'000'000;
  gpu.memory.model = "full";
  gpu.memory.crossbar.credits = 8;
  gpu.memory.crossbar.request_latency = 20;
  gpu.memory.crossbar.reply_latency = 24;
  gpu.memory.halves.latency = 70;  // of those with two halves
  gpu.memory.l2.slices = 8;
  gpu.memory.l2.ways = 2;
  gpu.memory.l2.size = 8 * 2 * 128 * 4;
  gpu.memory.l2.pending_requests = 4;
  gpu.memory.dram.channels = 4;
  gpu.memory.dram.queue = 4;
  gpu.memory.dram.write_queue = 4;
  gpu.memory.dram.write_high = 3;
  gpu.memory.dram.write_low = 1;
  return gpu;
}

/// Two SMs, one in each half of the L2, and a slice in each.
inline config::GpuConfig gpu_of_two_halves() {
  config::GpuConfig gpu = small_gpu();
  gpu.sm.count = 2;
  gpu.memory.halves.parts = 2;
  gpu.memory.l2.slices = 2;
  gpu.memory.l2.ways = 16;
  gpu.memory.l2.size = std::uint64_t{2 * 16 * 128} * 16;
  gpu.memory.l2.pending_requests = 64;
  gpu.memory.dram.channels = 2;
  return gpu;
}

struct Outcome {
  std::vector<std::uint64_t> digests;
  Cycle last{0};
  stats::MetricSet metrics;
  bool all_done = true;
  std::vector<Cycle> ends{};  ///< of whole epochs after which messages were exchanged
  std::uint64_t epochs = 0;
};

/// Runs random traffic to its end, and checks that nothing was lost. `in_turn`: SMs and memory advance in turn.
inline Outcome run_traffic(const config::GpuConfig& gpu, RandomTraffic traffic, Cycle epoch, unsigned threads,
                           bool in_turn = false) {
  auto memory = MemorySystem::make(gpu);
  std::vector<std::unique_ptr<RandomSm>> sms;
  EpochEngine engine(epoch, threads);
  const std::uint32_t seed = traffic.seed;
  for (std::uint32_t i = 0; i < gpu.sm.count; ++i) {
    traffic.seed = seed * 1000 + i;
    sms.push_back(std::make_unique<RandomSm>(memory->port(SmId(static_cast<std::uint16_t>(i))), traffic));
    engine.add(*sms.back());
  }
  for (Component* component : memory->components()) engine.add_ahead(*component);
  engine.add(*memory);
  Outcome outcome;
  while (engine.step_before(in_turn ? kNever : Cycle{}))
    if (!engine.partial()) outcome.ends.push_back(engine.now());
  outcome.epochs = engine.epochs();
  memory->check_conservation();
  for (auto& sm : sms) {
    outcome.all_done = outcome.all_done && sm->done();
    outcome.digests.push_back(sm->digest());
    outcome.last = std::max(outcome.last, sm->last());
  }
  if (!memory->idle()) {
    WaitGraph graph;
    memory->describe_waits(graph);
    throw std::logic_error("memory is not idle at the end:\n" + graph.text(20));
  }
  stats::CounterValues values;
  memory->report(values);
  outcome.metrics = values.metrics();
  return outcome;
}

}  // namespace sassim::arch::testing
