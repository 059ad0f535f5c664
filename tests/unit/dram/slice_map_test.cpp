// SPDX-License-Identifier: Apache-2.0
// Which slices, channels and banks hold an address.
#include "arch/network/slice_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arch/common/address_hash.h"
#include "arch/memory/dram_map.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"

namespace sassim::arch {
namespace {

TEST(SliceMap, AnH200sKibibyteIsAtHomeInTwoSlicesAndFourInOneHalf) {
  const config::GpuConfig h200 = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  const SliceMap map(h200.memory);
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;
  std::vector<std::uint32_t> uses(map.slices());
  for (std::uint64_t kib = 0; kib < 4096; ++kib) {
    std::uint32_t slice[4];
    for (std::uint64_t piece = 0; piece < 4; ++piece) {
      const std::uint64_t address = kib * 1024 + piece * 256;
      slice[piece] = map.place(address).slice.value;
      EXPECT_EQ(map.place(address + 128).slice.value, slice[piece]);
      for (const std::uint64_t line : {0, 128})
        EXPECT_TRUE(places.insert({map.place(address + line).slice.value, map.place(address + line).line}).second);
      ++uses[slice[piece]];
    }
    EXPECT_EQ(slice[0], slice[2]);
    EXPECT_EQ(slice[1], slice[3]);
    EXPECT_EQ(slice[0] / 2, slice[1] / 2);
    EXPECT_NE(slice[0], slice[1]);
    EXPECT_EQ(slice[0] < map.slices() / 2, map.place(kib / 4 * 4096).slice.value < map.slices() / 2) << kib;
  }
  for (const std::uint32_t count : uses) EXPECT_NEAR(count, 4096.0 * 4 / map.slices(), 60);
}

TEST(SliceMap, RefusesGroupsThatDoNotFit) {
  config::Memory memory;
  config::L2Config& l2 = memory.l2;
  l2.slices = 6;
  l2.group.members = 4;
  EXPECT_THROW(SliceMap{memory}, InputError);
  l2.group.members = 2;
  EXPECT_NO_THROW(SliceMap{memory});
  l2.group.span = 768;
  EXPECT_THROW(SliceMap{memory}, InputError);
}

// h200/memory.md#refreshes: the four lines of a slice in a KiB arrive together.
TEST(DramMap, NeighbouringLinesOfAnH200AreInDifferentChannelsAndBankGroups) {
  const config::GpuConfig h200 = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  const config::DramConfig& dram = h200.memory.dram;
  const DramMap map(dram, h200.memory.l2, 0, 1, 2), next(dram, h200.memory.l2, 2, 1, 2);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> rows;
  std::set<std::uint32_t> banks;
  for (std::uint64_t line = 0; line < 4096; line += 4) {
    const DramMap::Place a = map.place(0, line), b = map.place(0, line + 1), c = map.place(0, line + 2);
    EXPECT_NE(a.channel, b.channel);
    EXPECT_EQ(a.bank, b.bank);
    EXPECT_NE(a.bank / dram.banks_per_group, c.bank / dram.banks_per_group);
    EXPECT_EQ(a.bank / dram.banks_per_group / 2, c.bank / dram.banks_per_group / 2) << "refreshed together";
    EXPECT_EQ(a.bank % dram.banks_per_group, c.bank % dram.banks_per_group);
    EXPECT_NE(a.bank, next.place(0, line).bank) << "the next group of slices";
    banks.insert(a.bank);
    banks.insert(c.bank);
  }
  EXPECT_EQ(banks.size(), dram.bank_groups * dram.banks_per_group);
  for (std::uint64_t line = 0; line < 4096; ++line) {
    const DramMap::Place at = map.place(0, line);
    rows.insert({at.channel, at.bank, at.row});
  }
  EXPECT_EQ(rows.size(), 4096 * 128 / dram.row_bytes) << "each row is full";
}

TEST(DramMap, NoTwoLinesShareAPlaceInARow) {
  for (const char* name : {"h200", "v100", "t4"}) {
    const config::GpuConfig gpu = config::load_config(fmt::format("{}/configs/chips/{}.yaml", SASSIM_SOURCE_DIR, name));
    const config::DramConfig& dram = gpu.memory.dram;
    for (const char* order : {"row_bank_column", "row_column_bank", "row_column_bank_line"}) {
      config::DramConfig ordered = dram;
      ordered.map = order;
      const DramMap map(ordered, gpu.memory.l2, 0, 2, 2);
      std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>> places;
      for (std::uint64_t line = 0; line < 4096; ++line)
        for (std::uint32_t slice : {0, 1}) {
          const DramMap::Place at = map.place(slice, line);
          EXPECT_LE(map.column(slice, line) + gpu.memory.l2.line, dram.row_bytes);
          places.insert({at.channel, at.bank, at.row, map.column(slice, line)});
        }
      EXPECT_EQ(places.size(), 2u * 4096) << name << ' ' << order;
    }
  }
}

TEST(DramMap, RefusesAnOddNumberOfBankGroupsOnlyIfLinesAlternate) {
  config::DramConfig dram;
  dram.bank_groups = 3;
  EXPECT_NO_THROW(DramMap(dram, {}, 0, 1, 2));
  dram.map = "row_column_bank_line";
  EXPECT_THROW(DramMap(dram, {}, 0, 1, 2), InputError);
}

TEST(AddressHash, IsOneToOneAndSpreadsPowerOfTwoStrides) {
  for (const char* name : {"mix", "fold"}) {
    const auto hash = AddressHash::make(name);
    for (const std::uint32_t targets : {7u, 32u, 48u, 80u, 96u}) {
      for (std::uint64_t first = 0; first < 5ull * targets; first += targets) {
        std::vector<bool> seen(targets);
        for (std::uint64_t unit = first; unit < first + targets; ++unit) {
          const auto place = hash->place(unit, targets);
          EXPECT_EQ(place.row, unit / targets);
          EXPECT_FALSE(seen[place.target]);
          seen[place.target] = true;
        }
      }
      for (std::uint64_t stride = 1; stride <= 4096; stride *= 2) {
        std::vector<std::uint32_t> count(targets);
        for (std::uint64_t i = 0; i < 64ull * targets; ++i) ++count[hash->place(i * stride, targets).target];
        const auto most = *std::max_element(count.begin(), count.end());
        if (std::string(name) == "mix") {
          EXPECT_LE(most, 64u * 8 / 5) << name << ", stride " << stride << ", " << targets << " targets";
        }
      }
    }
  }
}

}  // namespace
}  // namespace sassim::arch
