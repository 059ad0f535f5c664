// SPDX-License-Identifier: Apache-2.0
// The smallest whole program: threads find their place, load, add, store; those beyond the end leave early.
#include <gtest/gtest.h>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

constexpr const char* kVectorAdd = R"(
  S2R R6, SR_CTAID.X
  S2R R3, SR_TID.X
  IMAD R6, R6, c[0x0][0x0], R3
  ISETP.GE.AND P0, PT, R6, c[0x0][0x178], PT
  @P0 EXIT
  MOV R7, 0x4
  IMAD.WIDE R4, R6, R7, c[0x0][0x168]
  IMAD.WIDE R2, R6, R7, c[0x0][0x160]
  LDG.E.SYS R4, [R4]
  LDG.E.SYS R3, [R2]
  IMAD.WIDE R6, R6, R7, c[0x0][0x170]
  FADD R9, R4, R3
  STG.E.SYS [R6], R9
  EXIT
)";

class Counter : public Recorder {
 public:
  void block_started(BlockId, Dim3) override { ++started; }
  void block_finished(BlockId) override { ++finished; }
  void step(BlockId, std::uint32_t, const trace::Step& step) override {
    ++steps;
    if (step.has_addresses) accesses += static_cast<std::uint64_t>(step.lanes.count());
  }
  std::uint64_t started = 0, finished = 0, steps = 0, accesses = 0;
};

TEST(Emulator, AddsVectors) {
  constexpr std::uint32_t kCount = 1000;
  DeviceMemory memory;
  std::vector<float> a(kCount), b(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i)
    a[i] = static_cast<float>(i) * 0.5f, b[i] = 1.0f / static_cast<float>(i + 1);
  const std::uint64_t da = copy_in(memory, a), db = copy_in(memory, b), dc = memory.allocate(4 * kCount);
  const auto kernel = make_kernel("vadd", 70, isa::assemble(kVectorAdd), 28);
  LaunchConfig launch{.grid = {4}, .block = {256}};
  launch.params = pack(da, db, dc, kCount);
  Counter counter;
  const RunResult result = run(*kernel, launch, memory, {.recorder = &counter});
  const std::vector<float> c = copy_out<float>(memory, dc, kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
  EXPECT_EQ(counter.started, 4u);
  EXPECT_EQ(counter.finished, 4u);
  EXPECT_EQ(counter.steps, result.warp_instructions);
  EXPECT_EQ(result.warp_instructions, 32u * 14u) << "the last warp has 8 threads left, and runs to the end too";
  EXPECT_EQ(counter.accesses, 3u * kCount);
}

TEST(Emulator, ReportsWhereAKernelLeavesItsMemory) {
  DeviceMemory memory;
  const std::uint64_t da = memory.allocate(400), db = memory.allocate(400), dc = memory.allocate(399);
  const auto kernel = make_kernel("vadd", 70, isa::assemble(kVectorAdd), 28);
  LaunchConfig launch{.grid = {1}, .block = {128}};
  launch.params = pack(da, db, dc, std::uint32_t{100});
  try {
    run(*kernel, launch, memory);
    FAIL() << "the last element does not fit";
  } catch (const DeviceFault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::illegal_address);
    EXPECT_EQ(fault.site().address, dc + 396);
    EXPECT_EQ(fault.site().thread.x, 99u);
    EXPECT_EQ(fault.site().pc, 12u * 16u);
  }
}

TEST(Emulator, NamesAnOpcodeItDoesNotHave) {
  DeviceMemory memory;
  const auto kernel = make_kernel("texture", 70, isa::assemble("  NOP\n  TEX R0, R2, R4, 0x10\n  EXIT\n"), 0);
  try {
    run(*kernel, {}, memory);
    FAIL() << "TEX is not there";
  } catch (const NotSupported& problem) {
    EXPECT_NE(std::string(problem.what()).find("TEX"), std::string::npos) << problem.what();
    EXPECT_NE(std::string(problem.what()).find("0x10"), std::string::npos) << problem.what();
  }
}

}  // namespace
}  // namespace sassim::emu
