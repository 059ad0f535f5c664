// SPDX-License-Identifier: Apache-2.0
// The smallest whole program: threads find their place, load, add, store; those beyond the end leave early.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/emu/core/semantics.h"
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
  launch.strict_memory = true;
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

namespace sassim::emu {
namespace {

/// Lanes below 8 read the lane that lies `distance` above; the others keep what they have, 100 plus their number.
std::vector<std::uint32_t> shuffled_down(std::uint32_t distance) {
  constexpr const char* kCode = R"(
  B------:R-:W0:-:S04 S2R R0, SR_TID.X
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
  B------:R-:W-:-:S04 MOV R6, c[0x0][0x168]
  B0-----:R-:W-:-:S05 IMAD.WIDE R2, R0, 0x4, R2
  B------:R-:W-:-:S04 IADD3 R4, R0, 0x64, RZ
  B------:R-:W-:-:S10 ISETP.LT.AND P0, PT, R0, 0x8, PT
  B------:R-:W0:-:S02 @P0 SHFL.DOWN PT, R4, R4, R6, 0x1f
  B0-----:R0:W-:-:S02 STG.E [R2], R4
  B0-----:R-:W-:-:S05 EXIT
)";
  DeviceMemory memory;
  const auto kernel = make_kernel("kernel", 70, isa::assemble(kCode), 12);
  const std::uint64_t words = memory.allocate(128);
  LaunchConfig launch{.grid = {1}, .block = {32}};
  launch.params = pack(words, distance);
  run(*kernel, launch, memory);
  return copy_out<std::uint32_t>(memory, words, 32);
}

TEST(Shuffle, ALaneThatDoesNotExecuteItGivesZero) {
  const std::vector<std::uint32_t> near = shuffled_down(1), far = shuffled_down(8);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(near[lane], lane < 7 ? 101 + lane : lane == 7 ? 0 : 100 + lane);
    EXPECT_EQ(far[lane], lane < 8 ? 0 : 100 + lane);
  }
}

}  // namespace
}  // namespace sassim::emu

namespace sassim::emu {
namespace {

TEST(OpcodeTable, DocumentIsCurrent) {
  const std::string path = SASSIM_SOURCE_DIR "/docs/opcodes.md";
  if (std::getenv("SASSIM_UPDATE")) std::ofstream(path) << opcode_table_markdown();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), opcode_table_markdown()) << "run this test with SASSIM_UPDATE=1";
}

TEST(OpcodeTable, NamesEachOpcodeOnce) {
  std::set<std::pair<isa::InstructionSet, std::string_view>> seen;
  for (std::span<const Semantics> family : all_semantics())
    for (const Semantics& row : family) EXPECT_TRUE(seen.insert({row.set, row.mnemonic}).second) << row.mnemonic;
}

TEST(OpcodeTable, NamesArchitecturesThatExist) {
  for (std::span<const Semantics> family : all_semantics())
    for (const Semantics& row : family) EXPECT_NE(isa::find_architecture(row.first_sm), nullptr) << row.mnemonic;
}

}  // namespace
}  // namespace sassim::emu
