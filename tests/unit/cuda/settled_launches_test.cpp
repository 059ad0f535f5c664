// SPDX-License-Identifier: Apache-2.0
// Launches that need not be executed again, because they leave memory as they find it; the branches of a graph.
#include "sim/cuda/settled_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sim/cuda/graph_branches.h"
#include "sim/emu/memory/device_memory.h"
#include "tests/unit/emu/harness.h"

namespace sassim::cuda {
namespace {

constexpr const char* kParameter = R"(
  B------:R-:W-:-:S04 MOV R2, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R3, c[0x0][0x164]
)";
constexpr const char* kStore = "  B------:R0:W-:-:S02 STG.E [R2], R4\n  B0-----:R-:W-:-:S05 EXIT\n";

class Settled : public testing::Test {
 protected:
  /// Executes the launch unless what it does is known; returns whether it was executed.
  bool run(const emu::Kernel& kernel, std::uint64_t word) {
    emu::LaunchConfig config{.grid = {1}, .block = {32}};
    config.params = emu::pack(word);
    config.grid_id = ++launches_;
    const std::function<void()> settle;
    const DeviceLaunch request{kernel, config, {}, {}, launches_, 0, false, {}, settle};
    if (settled_.find(request, memory_)) return false;
    settled_.executed(request, memory_, emu::run(kernel, config, memory_));
    return true;
  }
  static std::shared_ptr<const emu::Kernel> kernel(const std::string& value) {
    return emu::make_kernel("kernel", 70, isa::assemble(kParameter + value + kStore), 8);
  }
  /// Stores 7.
  std::shared_ptr<const emu::Kernel> seven_ = kernel("  B------:R-:W-:-:S04 MOV R4, 0x7\n");
  emu::DeviceMemory memory_;
  SettledLaunches settled_;
  std::uint64_t launches_ = 0;
};

TEST_F(Settled, ALaunchThatChangesNothingIsNotExecutedAgainUntilMemoryChanges) {
  const std::uint64_t word = memory_.allocate(4), other = memory_.allocate(4);
  EXPECT_TRUE(run(*seven_, word)) << "the word was 0";
  EXPECT_TRUE(run(*seven_, word));
  EXPECT_FALSE(run(*seven_, word));
  EXPECT_TRUE(run(*seven_, other)) << "another argument";
  EXPECT_TRUE(run(*seven_, word)) << "the launch between changed memory";
  EXPECT_FALSE(run(*seven_, word));
  const std::uint32_t one = 1;
  memory_.write(other, &one, sizeof one);
  EXPECT_TRUE(run(*seven_, word)) << "the host wrote";
}

TEST_F(Settled, SeveralLaunchesInTurnsAreKnown) {
  const std::uint64_t word = memory_.allocate(4), other = memory_.allocate(4);
  for (int i = 0; i < 2; ++i) run(*seven_, word), run(*seven_, other);
  EXPECT_FALSE(run(*seven_, word));
  EXPECT_FALSE(run(*seven_, other));
}

TEST_F(Settled, MemoryOfTheHostMayChangeAtAnyTime) {
  alignas(64) static std::uint32_t words[16] = {7};
  memory_.map_host(words, sizeof words);
  const std::uint64_t word = memory_.translate(reinterpret_cast<std::uint64_t>(words));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(*seven_, word));
}

TEST_F(Settled, AnAtomicSumChangesMemory) {
  const auto sum =
      emu::make_kernel("kernel", 70,
                       isa::assemble(std::string(kParameter) + "  B------:R-:W-:-:S04 MOV R4, 0x1\n"
                                                               "  B------:R0:W-:-:S02 RED.E.ADD.STRONG.GPU [R2], R4\n"
                                                               "  B0-----:R-:W-:-:S05 EXIT\n"),
                       8);
  const std::uint64_t word = memory_.allocate(4);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(*sum, word));
  EXPECT_EQ(emu::copy_out<std::uint32_t>(memory_, word, 1)[0], 96u);
}

TEST_F(Settled, TheNumberOfALaunchIsAnotherEachTime) {
  const auto number = kernel("  B------:R-:W-:-:S04 MOV R4, c[0x0][0x30]\n  B------:R-:W-:-:S04 MOV R4, RZ\n");
  const std::uint64_t word = memory_.allocate(4);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(*number, word));
}

TEST_F(Settled, WhatIsAllocatedAndFreedCounts) {
  const std::uint64_t word = memory_.allocate(4);
  memory_.allocate(4);  // keeps the page mapped
  run(*seven_, word);
  run(*seven_, word);
  EXPECT_FALSE(run(*seven_, word));
  memory_.free(word);
  EXPECT_TRUE(run(*seven_, word)) << "beside allocations now";
}

using testing::ElementsAre;

TEST(GraphBranches, AChainIsOneBranch) { EXPECT_THAT(branches_of({{}, {0}, {1}, {2}}), ElementsAre(0, 0, 0, 0)); }

TEST(GraphBranches, StepsThatDoNotDependOnEachOtherAreInSeveral) {
  EXPECT_THAT(branches_of({{}, {}, {}}), ElementsAre(0, 1, 2));
}

TEST(GraphBranches, AForkContinuesOneBranchAndAJoinTheFirst) {
  EXPECT_THAT(branches_of({{}, {0}, {0}, {0}, {1, 2, 3}, {4}}), ElementsAre(0, 0, 1, 2, 0, 0));
}

TEST(GraphBranches, BranchesThatHaveEndedAreUsedAgain) {
  EXPECT_THAT(branches_of({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}), ElementsAre(0, 0, 1, 0, 0, 1, 0));
  EXPECT_THAT(branches_of({{}, {}, {0}, {0}}), ElementsAre(0, 1, 0, 2)) << "branch 1 may still run";
}

}  // namespace
}  // namespace sassim::cuda
