// SPDX-License-Identifier: Apache-2.0
// Which slices hold an address.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "arch/memory/address_map.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"

namespace sassim::arch {
namespace {

TEST(SliceMap, AnH200sKibibyteIsAtHomeInTwoSlicesAndFourInOneHalf) {
  const config::GpuConfig h200 = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  const SliceMap map(h200.memory.l2);
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;
  std::vector<std::uint32_t> uses(map.slices());
  for (std::uint64_t kib = 0; kib < 4096; ++kib) {
    std::uint32_t slice[4];
    for (std::uint64_t piece = 0; piece < 4; ++piece) {
      const std::uint64_t address = kib * 1024 + piece * 256;
      slice[piece] = map.place(address).slice;
      EXPECT_EQ(map.place(address + 128).slice, slice[piece]);
      for (const std::uint64_t line : {0, 128})
        EXPECT_TRUE(places.insert({map.place(address + line).slice, map.place(address + line).line}).second);
      ++uses[slice[piece]];
    }
    EXPECT_EQ(slice[0], slice[2]);
    EXPECT_EQ(slice[1], slice[3]);
    EXPECT_EQ(slice[0] / 2, slice[1] / 2);
    EXPECT_NE(slice[0], slice[1]);
    EXPECT_EQ(slice[0] < map.slices() / 2, map.place(kib / 4 * 4096).slice < map.slices() / 2) << kib;
  }
  for (const std::uint32_t count : uses) EXPECT_NEAR(count, 4096.0 * 4 / map.slices(), 60);
}

TEST(SliceMap, RefusesGroupsThatDoNotFit) {
  config::L2Config l2;
  l2.slices = 6;
  l2.group = 4;
  EXPECT_THROW(SliceMap{l2}, InputError);
  l2.group = 2;
  EXPECT_NO_THROW(SliceMap{l2});
  l2.group_interleave = 768;
  EXPECT_THROW(SliceMap{l2}, InputError);
}

}  // namespace
}  // namespace sassim::arch
