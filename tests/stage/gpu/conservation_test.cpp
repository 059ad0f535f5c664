// SPDX-License-Identifier: Apache-2.0
// A kernel ends with an error when memory traffic was lost or made up on the way.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/memory/full_memory.h"
#include "sim/base/registry.h"
#include "sim/config/loader.h"
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
