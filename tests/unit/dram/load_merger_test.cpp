// SPDX-License-Identifier: Apache-2.0
// Loads of a GPC's SMs that become one; which SMs form a GPC; which slices hold an address.
#include "arch/memory/load_merger.h"

#include <gtest/gtest.h>

#include <set>

#include "arch/memory/address_map.h"
#include "arch/memory/topology.h"
#include "sim/base/error.h"
#include "sim/config/loader.h"

namespace sassim::arch {
namespace {

MemRequest load(std::uint16_t sm, std::uint64_t time, std::uint64_t address, std::uint8_t sectors = 15) {
  MemRequest request;
  request.time = Cycle{time};
  request.sm = SmId(sm);
  request.tag = 100u + sm;
  request.sequence = static_cast<std::uint32_t>(time);
  request.address = address;
  request.sectors = sectors;
  return request;
}

class Merging : public ::testing::Test {
 protected:
  /// What goes on to the L2.
  std::vector<MemRequest> pass(const std::vector<MemRequest>& requests) {
    for (const MemRequest& request : requests) merger.deliver(request);
    merger.settle(Cycle{});
    merger.advance(Cycle{1000});
    std::vector<MemRequest> sent;
    sent.swap(merger.sent());
    return sent;
  }
  static config::CrossbarConfig crossbar() {
    config::CrossbarConfig config;
    config.request_latency = 80;
    config.merge_window = 70;
    config.merge_most = 4;
    return config;
  }
  LoadMerger merger{crossbar(), 40};
};

TEST_F(Merging, LoadsOfTheSameSectorsWithinTheWindowGoOnAsOne) {
  const auto sent = pass({load(0, 10, 0), load(1, 79, 0), load(2, 80, 0), load(3, 20, 128), load(4, 21, 128, 3)});
  ASSERT_EQ(sent.size(), 4u) << "one joined; one came too late; other sectors do not join";
  EXPECT_EQ(sent.front().time, Cycle{50}) << "the rest of the way";
  EXPECT_EQ(merger.credits().size(), 1u);
  for (const MemRequest& request : sent) merger.deliver(answer(request, Cycle{400}), Cycle{200});
  std::multiset<std::pair<std::uint16_t, std::uint32_t>> who;
  for (const MemReply& reply : merger.replies()) {
    who.insert({reply.sm.value, reply.tag});
    EXPECT_EQ(reply.time, Cycle{400});
  }
  EXPECT_EQ(who, (std::multiset<std::pair<std::uint16_t, std::uint32_t>>{{0, 100}, {1, 101}, {2, 102}, {3, 103}, {4, 104}}));
  EXPECT_TRUE(merger.idle());
}

TEST_F(Merging, NoMoreThanFourBecomeOneAndStoresPass) {
  std::vector<MemRequest> requests;
  for (std::uint16_t sm = 0; sm < 9; ++sm) requests.push_back(load(sm, 10 + sm, 0));
  EXPECT_EQ(pass(requests).size(), 3u);
  MemRequest a = load(0, 2000, 256), b = load(1, 2001, 256);
  a.kind = b.kind = RequestKind::store;
  merger.deliver(a);
  merger.deliver(b);
  merger.settle(Cycle{});
  merger.advance(Cycle{3000});
  EXPECT_EQ(merger.sent().size(), 2u);
}

TEST_F(Merging, AnAnswerThatComesEarlyWaitsForThoseWhoMayStillJoin) {
  merger.deliver(load(0, 10, 0));
  merger.settle(Cycle{});
  merger.advance(Cycle{30});
  const MemRequest sent = merger.sent().front();
  merger.deliver(answer(sent, Cycle{150}), Cycle{60});
  merger.settle(Cycle{60});
  EXPECT_TRUE(merger.replies().empty());
  merger.deliver(load(1, 70, 0));
  merger.settle(Cycle{60});
  merger.advance(Cycle{90});
  EXPECT_EQ(merger.replies().size(), 2u);
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
  EXPECT_EQ(topology.upper_half(SmId(0)), topology.upper_half(SmId(8)));
  for (const std::uint16_t sm : {2, 4, 6, 14}) EXPECT_NE(topology.upper_half(SmId(sm)), topology.upper_half(SmId(0))) << sm;
}

TEST(Topology, APartOfAChipKeepsItsSmsWhereTheyAre) {
  const config::GpuConfig whole = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/h200.yaml");
  config::GpuConfig part = whole;
  part.sm.count = 22;
  const Topology all(whole), some(part);
  EXPECT_EQ(some.gpcs(), all.gpcs());
  for (std::uint16_t sm = 0; sm < 22; ++sm) {
    EXPECT_EQ(some.gpc(SmId(sm)), all.gpc(SmId(sm))) << sm;
    EXPECT_EQ(some.upper_half(SmId(sm)), all.upper_half(SmId(sm))) << sm;
  }
}

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
