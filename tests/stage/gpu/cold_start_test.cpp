// SPDX-License-Identifier: Apache-2.0
// A kernel that finds nothing in the caches does not see what ran before it: not the phase of the DRAM's refreshes, nor
// open rows, nor what units remember of the last requests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/gpu/gpu.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch::test {
namespace {

struct Workload {
  const char* name;
  const char* code;
  std::uint32_t warps, blocks;
  std::uint64_t step;  ///< bytes from warp to warp
};

constexpr Workload kWorkloads[] = {
    {"loads", "LDG.E R8, [R2.64]", 8, 60, 8192},
    {"stores", "STG.E [R2.64], R8", 4, 40, 144},
    {"scattered stores", "STG.E.U8 [R2.64], R8", 4, 30, 4099},
    {"reductions", "RED.E.ADD.STRONG.GPU [R2.64], R8", 8, 20, 4},
    {"additions with results", "ATOMG.E.ADD.STRONG.GPU PT, R8, [R2.64], R9", 4, 20, 64},
    {"float additions", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R8", 4, 20, 4},
    {"a few loads", "LDG.E R8, [R2.64]", 1, 3, 128},
};

stats::MetricSet run(Gpu& gpu, const Workload& workload, int sm) {
  SassKernel kernel(std::string("B------:R-:W0:-:S02 ") + workload.code + " ;\nB0-----:R-:W-:-:S05 EXIT ;\n", sm);
  kernel.warps(workload.warps)
      .blocks(workload.blocks)
      .addresses_by_block([&](std::uint64_t block, std::uint32_t warp, std::uint32_t, std::uint64_t, int lane) {
        const std::uint64_t place = (block * workload.warps + warp) * workload.step;
        return 0x20000000 + place + static_cast<std::uint64_t>(lane) * 4;
      });
  RunOptions cold;
  cold.caches = CacheStart::cold;
  return gpu.run(*kernel.source(), cold).metrics;
}

void expect_equal(const stats::MetricSet& got, const stats::MetricSet& expected) {
  for (const auto& [row, value] : expected.all()) EXPECT_EQ(got[row->name], value) << row->name;
}

class ColdStart : public testing::TestWithParam<const char*> {};

TEST_P(ColdStart, AKernelDoesNotSeeWhatRanBefore) {
  // With odd clocks the common edges of all clocks are far apart.
  const config::GpuConfig config = config::load_config(
      std::string(SASSIM_SOURCE_DIR "/configs/chips/") + GetParam() + ".yaml", {"sm.count=4", "clock.l2=1413MHz"});
  std::vector<stats::MetricSet> alone;
  for (const Workload& workload : kWorkloads) {
    Gpu gpu(config);
    alone.push_back(run(gpu, workload, config.arch));
  }
  Gpu gpu(config);
  for (std::size_t before = 0; before < std::size(kWorkloads); ++before)
    for (std::size_t after = 0; after < std::size(kWorkloads); ++after) {
      SCOPED_TRACE(std::string(kWorkloads[after].name) + " after " + kWorkloads[before].name);
      run(gpu, kWorkloads[before], config.arch);
      expect_equal(run(gpu, kWorkloads[after], config.arch), alone[after]);
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, ColdStart, testing::Values("h200", "t4", "v100"));

}  // namespace
}  // namespace sassim::arch::test
