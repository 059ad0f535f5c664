// SPDX-License-Identifier: Apache-2.0
// Sectors of memory barriers at the end of a kernel and of fences.
#include "arch/memory/end_barriers.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "arch/memory/l2_counters.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {
namespace {

/// 16 SMs in two GPCs, one in each half of the chip; 8 slices, 4 in each half.
config::GpuConfig chip() {
  config::GpuConfig config;
  config.sm.count = 16;
  config.memory.l2.slices = 8;
  config.memory.halves.parts = 2;
  config.memory.l2.end_barriers = true;
  config.memory.halves.latency = 50;
  config.memory.crossbar.gpc_sms = {8, 8};
  config.memory.halves.gpcs = {0, 1};
  return config;
}

/// What an L2 reports that looked up nothing.
stats::CounterValues empty_l2() {
  stats::CounterValues values;
  L2Counters().report(values);
  return values;
}

double value(const stats::CounterValues& values, const char* name) { return values[stats::find_counter(name)]; }

/// The SMs of each half, by the topology itself.
SmId in_half(const Topology& topology, std::uint32_t half) {
  for (std::uint16_t sm = 0; sm < 16; ++sm)
    if (topology.half(Endpoint::of_sm(SmId(sm))) == half) return SmId(sm);
  throw std::logic_error("no SM in this half");
}

TEST(EndBarriers, OneForEachSliceThatAnSmUsedAndThreeForOneOfTheOtherHalf) {
  const config::GpuConfig config = chip();
  const Topology topology(config);
  ASSERT_EQ(topology.halves(), 2u);
  EndBarriers barriers(config, topology);
  barriers.start_kernel();
  const SmId near = in_half(topology, 0), far = in_half(topology, 1);
  for (int times = 0; times < 3; ++times) barriers.used(near, SliceId(1));
  barriers.used(near, SliceId(2));
  barriers.used(far, SliceId(1));
  stats::CounterValues values = empty_l2();
  barriers.report(values);
  EXPECT_EQ(value(values, "lts__t_sectors_op_membar.sum"), 1 + 1 + 3);
  EXPECT_EQ(value(values, "lts__t_sectors.sum"), 5);
  EXPECT_EQ(value(values, "lts__t_sectors_lookup_hit.sum"), 5);
  EXPECT_EQ(value(values, "lts__t_sectors_srcunit_ltcfabric.sum"), 2);

  barriers.start_kernel();
  stats::CounterValues next = empty_l2();
  barriers.report(next);
  EXPECT_EQ(value(next, "lts__t_sectors_op_membar.sum"), 0) << "each kernel counts its own";
}

TEST(EndBarriers, ThoseOfFencesCountBesideThoseOfTheEnd) {
  const config::GpuConfig config = chip();
  const Topology topology(config);
  EndBarriers barriers(config, topology);
  const auto counted = [&] {
    stats::CounterValues values = empty_l2();
    barriers.report(values);
    return std::pair(value(values, "lts__t_sectors_op_membar.sum"),
                     value(values, "lts__t_sectors_srcunit_ltcfabric.sum"));
  };
  barriers.start_kernel();
  barriers.of_fences(0, 0);
  EXPECT_EQ(counted(), std::pair(0.0, 0.0)) << "nothing was used";
  barriers.used(in_half(topology, 0), SliceId(1));
  EXPECT_EQ(counted(), std::pair(1.0, 0.0)) << "of the kernel's end";
  barriers.of_fences(2, 0);
  EXPECT_EQ(counted(), std::pair(3.0, 0.0));
  barriers.of_fences(0, 3);
  EXPECT_EQ(counted(), std::pair(12.0, 6.0)) << "three for one of the other half, two of them on the link";
  barriers.start_kernel();
  EXPECT_EQ(counted(), std::pair(0.0, 0.0));
}

TEST(EndBarriers, WithoutThemNothingIsReported) {
  config::GpuConfig config = chip();
  config.memory.l2.end_barriers = false;
  const Topology topology(config);
  EndBarriers barriers(config, topology);
  barriers.start_kernel();
  barriers.used(SmId(0), SliceId(1));
  stats::CounterValues values = empty_l2();
  barriers.report(values);
  EXPECT_FALSE(values.has(stats::find_counter("lts__t_sectors_op_membar.sum")));
}

}  // namespace
}  // namespace sassim::arch
