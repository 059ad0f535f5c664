// SPDX-License-Identifier: Apache-2.0
// Who is where on the chip, and how far slices are from an SM.
#include "arch/network/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/memory/end_barriers.h"
#include "arch/memory/l2_counters.h"
#include "sim/config/gpu_config.h"
#include "sim/config/loader.h"

namespace sassim::arch {
namespace {

config::GpuConfig gpu(std::uint32_t slices, std::uint32_t partitions, std::uint32_t spread) {
  config::GpuConfig config;
  config.sm.count = 16;
  config.memory.l2.slices = slices;
  config.memory.halves.parts = partitions;
  config.memory.crossbar.spread = spread;
  return config;
}

std::vector<std::uint64_t> seen(const Topology& topology, SmId sm, std::uint32_t slices) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t slice = 0; slice < slices; ++slice) all.push_back(topology.distance(sm, SliceId(slice)).value);
  return all;
}

TEST(Topology, EverySmSeesTheSlicesEvenlyBetweenNearestAndFarthest) {
  for (std::uint32_t slices : {5u, 12u, 48u}) {
    const Topology topology(gpu(slices, 1, 30));
    for (std::uint16_t sm = 0; sm < 16; ++sm) {
      std::vector<std::uint64_t> all = seen(topology, SmId(sm), slices);
      std::sort(all.begin(), all.end());
      for (std::uint32_t i = 0; i < slices; ++i) EXPECT_EQ(all[i], std::uint64_t{i} * 30 / (slices - 1)) << slices;
    }
  }
}

TEST(Topology, NeighboursAgreeAndOthersSeeAnotherOrder) {
  const Topology topology(gpu(48, 1, 30));
  EXPECT_EQ(seen(topology, SmId(0), 48), seen(topology, SmId(1), 48));
  EXPECT_NE(seen(topology, SmId(0), 48), seen(topology, SmId(2), 48));
}

TEST(Topology, TheNearestSliceCanBeChosen) {
  for (std::uint32_t nearest : {0u, 1u, 25u, 47u}) {
    config::GpuConfig config = gpu(48, 1, 30);
    config.memory.crossbar.nearest = nearest;
    const Topology topology(config);
    const std::vector<std::uint64_t> all = seen(topology, SmId(0), 48);
    EXPECT_EQ(all[nearest], 0u);
    EXPECT_EQ(std::count(all.begin(), all.end(), 0u), 2) << "and the second nearest, less than a cycle farther";
  }
}

// h200.json.xz, l2.line.*: the two slices that share a KiB are up to 12 cycles apart, there and back, for two thirds of
// all KiB, and 20 to 50 for the others.
TEST(Topology, TwoSlicesOfAGroupAreNeighboursButForAThird) {
  for (std::uint32_t nearest : {0u, 7u, 30u}) {
    config::GpuConfig config = gpu(96, 2, 30);
    config.memory.l2.group.members = 2;
    config.memory.crossbar.nearest = nearest;
    const Topology topology(config);
    for (std::uint16_t sm = 0; sm < 16; sm += 2) {
      const std::vector<std::uint64_t> all = seen(topology, SmId(sm), 48);
      int close = 0, far = 0;
      for (std::size_t i = 0; i < all.size(); i += 2) {
        const std::uint64_t apart = 2 * (std::max(all[i], all[i + 1]) - std::min(all[i], all[i + 1]));
        close += apart <= 12 ? 1 : 0;
        far += apart >= 20 && apart <= 50 ? 1 : 0;
      }
      EXPECT_EQ(close, 16) << nearest;
      EXPECT_EQ(far, 8) << nearest;
    }
    EXPECT_EQ(topology.distance(SmId(0), SliceId(nearest)), Cycle{});
  }
}

TEST(Topology, EverySmSeesPairsEvenlyToo) {
  for (std::uint32_t slices : {2u, 4u, 6u, 16u, 48u, 64u}) {
    config::GpuConfig config = gpu(slices, 1, 30);
    config.memory.l2.group.members = 2;
    std::vector<std::uint64_t> all = seen(Topology(config), SmId(5), slices);
    std::sort(all.begin(), all.end());
    for (std::uint32_t i = 0; i < slices; ++i) EXPECT_EQ(all[i], std::uint64_t{i} * 30 / (slices - 1)) << slices;
  }
}

TEST(Topology, BothHalvesAreAlike) {
  const Topology topology(gpu(48, 2, 30));
  for (std::uint32_t slice = 0; slice < 24; ++slice)
    EXPECT_EQ(topology.distance(SmId(3), SliceId(slice)), topology.distance(SmId(3), SliceId(slice + 24)));
}

TEST(Topology, WithoutSpreadAllAreNear) {
  const Topology topology(gpu(1, 1, 0));
  EXPECT_EQ(topology.distance(SmId(15), SliceId(0)), Cycle{});
}

TEST(Topology, SlicesOfOneNumberAreTwins) {
  const Topology two(gpu(48, 2, 30)), one(gpu(48, 1, 30));
  EXPECT_EQ(two.twin(SliceId(5)), SliceId(29));
  EXPECT_EQ(two.twin(SliceId(29)), SliceId(5));
  EXPECT_TRUE(two.apart(Endpoint::of_slice(SliceId(5)), Endpoint::of_slice(SliceId(29))));
  EXPECT_FALSE(two.apart(Endpoint::of_slice(SliceId(5)), Endpoint::of_slice(SliceId(23))));
  EXPECT_TRUE(two.apart(Endpoint::of_sm(SmId(0)), Endpoint::of_sm(SmId(15))));
  EXPECT_FALSE(two.apart(Endpoint::walker(), Endpoint::of_slice(SliceId(0))));
  EXPECT_FALSE(one.apart(Endpoint::of_slice(SliceId(5)), Endpoint::of_slice(SliceId(29)))) << "one L2";
}

TEST(Topology, TheH200sFirstSmsShareAGpcAsMeasured) {
  const config::GpuConfig h200 = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  const Topology topology(h200);
  EXPECT_EQ(topology.gpcs(), 8u);
  std::set<unsigned> with_first;
  for (std::uint16_t sm = 0; sm < 120; ++sm)
    if (topology.gpc(SmId(sm)) == topology.gpc(SmId(0))) with_first.insert(sm);
  EXPECT_EQ(with_first, (std::set<unsigned>{0, 1, 16, 17, 32, 33, 48, 49}));
  EXPECT_EQ(topology.gpc(SmId(131)), topology.gpc(SmId(0)));
  EXPECT_EQ(topology.half(Endpoint::of_sm(SmId(0))), topology.half(Endpoint::of_sm(SmId(8))));
  for (const std::uint16_t sm : {2, 4, 6, 14})
    EXPECT_NE(topology.half(Endpoint::of_sm(SmId(sm))), topology.half(Endpoint::of_sm(SmId(0)))) << sm;
}

TEST(Topology, APartOfAChipKeepsItsSmsWhereTheyAre) {
  const config::GpuConfig whole = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  config::GpuConfig part = whole;
  part.sm.count = 22;
  const Topology all(whole), some(part);
  EXPECT_EQ(some.gpcs(), all.gpcs());
  for (std::uint16_t sm = 0; sm < 22; ++sm) {
    EXPECT_EQ(some.gpc(SmId(sm)), all.gpc(SmId(sm))) << sm;
    EXPECT_EQ(some.half(Endpoint::of_sm(SmId(sm))), all.half(Endpoint::of_sm(SmId(sm)))) << sm;
  }
}

}  // namespace
}  // namespace sassim::arch

// Sectors of memory barriers at the end of a kernel and of fences.
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
