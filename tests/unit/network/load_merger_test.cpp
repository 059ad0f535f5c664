// SPDX-License-Identifier: Apache-2.0
// Loads of a GPC's SMs that become one.
#include "arch/network/load_merger.h"

#include <gtest/gtest.h>

#include <set>

namespace sassim::arch {
namespace {

MemRequest load(std::uint16_t sm, std::uint64_t time, std::uint64_t address, std::uint8_t sectors = 15) {
  MemRequest request;
  request.time = Cycle{time};
  request.from = Endpoint::of_sm(SmId(sm));
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
    config.merge.window = 70;
    config.merge.most = 4;
    return config;
  }
  static constexpr Cycle kLookahead{40};
  LoadMerger merger{crossbar(), kLookahead};
};

TEST_F(Merging, LoadsOfTheSameSectorsWithinTheWindowGoOnAsOne) {
  const auto sent = pass({load(0, 10, 0), load(1, 79, 0), load(2, 80, 0), load(3, 20, 128), load(4, 21, 128, 3)});
  ASSERT_EQ(sent.size(), 4u) << "one joined; one came too late; other sectors do not join";
  EXPECT_EQ(sent.front().time, Cycle{10});
  ASSERT_EQ(merger.credits().size(), 1u);
  EXPECT_EQ(merger.credits()[0].to, SmId(1));
  for (const MemRequest& request : sent) merger.deliver(answer(request, Cycle{400}), Cycle{200});
  std::multiset<std::pair<std::uint16_t, std::uint32_t>> who;
  for (const MemReply& reply : merger.replies()) {
    who.insert({reply.to.sm().value, reply.tag});
    EXPECT_EQ(reply.time, Cycle{400});
  }
  EXPECT_EQ(who,
            (std::multiset<std::pair<std::uint16_t, std::uint32_t>>{{0, 100}, {1, 101}, {2, 102}, {3, 103}, {4, 104}}));
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

TEST_F(Merging, LoadsOfSystemScopeGoOnAloneIfTheyAreSetTo) {
  const auto polls = [](std::uint64_t from) {
    std::vector<MemRequest> requests;
    for (std::uint16_t sm = 0; sm < 4; ++sm) requests.push_back(load(sm, from + sm, 0));
    for (MemRequest& request : requests) request.load.system_scope = request.from != Endpoint::of_sm(SmId(3));
    return requests;
  };
  EXPECT_EQ(pass(polls(10)).size(), 1u) << "they merge as others do";
  config::CrossbarConfig config = crossbar();
  config.merge.system = false;
  LoadMerger apart(config, kLookahead);
  for (const MemRequest& request : polls(10)) apart.deliver(request);
  apart.settle(Cycle{});
  apart.advance(Cycle{1000});
  ASSERT_EQ(apart.sent().size(), 4u) << "nor does a load of another scope join one of them";
  EXPECT_EQ(apart.sent()[0].merger, 0u) << "its reply goes to its SM directly";
  EXPECT_NE(apart.sent()[3].merger, 0u);
  EXPECT_TRUE(apart.credits().empty());
}

TEST_F(Merging, LoadsOfWholeLinesBySystemScopeHaveALimitOfTheirOwn) {
  const auto sent = [](std::uint32_t most, std::uint8_t sectors) {
    config::CrossbarConfig config = crossbar();
    config.merge.system = false;
    config.merge.system_lines = most;
    LoadMerger tried(config, kLookahead);
    for (std::uint16_t sm = 0; sm < 6; ++sm) {
      MemRequest request = load(sm, 10 + sm, 0, sectors);
      request.load.system_scope = true;
      tried.deliver(request);
    }
    tried.settle(Cycle{});
    tried.advance(Cycle{1000});
    return tried.sent().size();
  };
  EXPECT_EQ(sent(1, 15), 6u);
  EXPECT_EQ(sent(2, 15), 3u);
  EXPECT_EQ(sent(3, 15), 2u);
  EXPECT_EQ(sent(3, 7), 6u) << "parts of a line";
}

TEST_F(Merging, LoadsThatSplitACopyGoOnAloneIfTheyAreSetTo) {
  for (const bool merge : {true, false}) {
    config::CrossbarConfig config = crossbar();
    config.merge.split_copies = merge;
    LoadMerger tried(config, kLookahead);
    for (std::uint16_t sm = 0; sm < 3; ++sm) {
      MemRequest request = load(sm, 10 + sm, 0);
      request.load.split_copy = true;
      tried.deliver(request);
    }
    tried.settle(Cycle{});
    tried.advance(Cycle{1000});
    EXPECT_EQ(tried.sent().size(), merge ? 1u : 3u);
  }
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

// A window longer than the way to the L2 and back: the answer is late, and no later than it must be.
TEST_F(Merging, AnAnswerGoesOnALookaheadAfterTheWindowHasClosed) {
  const auto sent = pass({load(0, 10, 0), load(1, 11, 128)});
  merger.deliver(answer(sent[0], Cycle{119}), Cycle{90});
  merger.deliver(answer(sent[1], Cycle{122}), Cycle{90});
  ASSERT_EQ(merger.replies().size(), 2u);
  EXPECT_EQ(merger.replies()[0].time, Cycle{10 + 70} + kLookahead);
  EXPECT_EQ(merger.replies()[1].time, Cycle{122}) << "the way took longer than that";
}

}  // namespace
}  // namespace sassim::arch
