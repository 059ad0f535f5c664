// SPDX-License-Identifier: Apache-2.0
// A GPU and a kernel that keeps its whole memory system busy.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/gpu_config.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {

/// A sixth of the chip.
inline config::GpuConfig volta(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(),
                   {"sm.count=12", "memory.l2.slices=8", "memory.l2.size=1MiB", "memory.dram.channels=4"});
  return config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml", overrides);
}

/// Every warp reads lines of its own and writes others.
inline SassKernel streaming(std::uint32_t blocks = 48) {
  SassKernel kernel(R"(
  B------:R-:W-:-:S04 MOV R0, 0x0 ;
loop:
  B------:R-:W0:-:S02 LDG.E R8, [R2.64] ;
  B0-----:R0:W-:-:S02 STG.E [R4.64], R8 ;
  B0-----:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ ;
  B------:R-:W-:-:S05 @P0 BRA loop ;
  B------:R-:W-:-:S05 EXIT ;
)");
  constexpr std::uint64_t kRead = 0x10000000, kWritten = 0x40000000, kLine = 128, kSpread = 97;
  kernel.loop("loop", 6).warps(2).blocks(blocks).addresses_by_block(
      [=](std::uint64_t block, std::uint32_t warp, std::uint32_t line, std::uint64_t execution, int lane) {
        const std::uint64_t place = ((block * 2 + warp) * 6 + execution) * kSpread;
        return (line % 2 == 1 ? kRead : kWritten) + place * kLine + static_cast<std::uint64_t>(lane) * 4;
      });
  return kernel;
}

inline void expect_equal(const KernelResult& a, const KernelResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  ASSERT_EQ(a.metrics.all().size(), b.metrics.all().size());
  for (const auto& [row, value] : a.metrics.all()) EXPECT_EQ(value, b.metrics[row->name]) << row->name;
}

}  // namespace sassim::arch::test
