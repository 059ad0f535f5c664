// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/emu/harness.h"

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
