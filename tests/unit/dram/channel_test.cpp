// SPDX-License-Identifier: Apache-2.0
// When each command of a DRAM channel may be issued: expected times are sums of the timings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/row_policy.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"
#include "sim/config/gpu_config.h"
#include "tests/unit/config/load.h"

namespace sassim::arch {
namespace {

config::DramConfig timings() {
  config::DramConfig d;
  d.refresh = "none";
  return d;
}

std::unique_ptr<Dram> dram(const config::DramConfig& config, std::uint32_t index) {
  return Drams::instance().make(config.model, config, {index, DramCycle{}});
}

struct Done : Dram::Reader {
  void read_done(std::uint32_t tag, DramCycle end) override { all.push_back({tag, end.value}); }
  struct One {
    std::uint32_t tag;
    std::uint64_t end;
  };
  std::vector<One> all;
};

std::vector<Done::One> run(const config::DramConfig& config, const std::vector<DramAccess>& accesses) {
  auto channel = dram(config, 0);
  Done done;
  for (const DramAccess& access : accesses) channel->accept(access, DramCycle(0));
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  return done.all;
}

TEST(DramChannel, AClosedRowIsOpenedFirst) {
  const config::DramConfig d = timings();
  const auto done = run(d, {{.row = 5, .bank = 0, .tag = 1}});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].end, d.tRCD + d.tCL + d.burst / d.beats_per_clock);
}

TEST(DramChannel, AnIdleReadTakesWhatTheChannelSays) {
  config::DramConfig d = timings();
  for (const char* model : {"ddr", "fixed"}) {
    d.model = model;
    EXPECT_EQ(run(d, {{.row = 5, .bursts = 3, .tag = 1}})[0].end, dram(d, 0)->idle_read(3)) << model;
  }
}

TEST(DramChannel, ARowHitFollowsAtTheRateOfTheBus) {
  const config::DramConfig d = timings();
  const auto done = run(d, {{.row = 5, .tag = 1}, {.row = 5, .tag = 2}});
  EXPECT_EQ(done[1].end - done[0].end, std::max(d.tCCDL, d.burst / d.beats_per_clock));
}

TEST(DramChannel, AnotherRowOfTheBankWaitsForTheWholeRowCycle) {
  config::DramConfig d = timings();
  d.tRC = d.tRAS + d.tRP;
  const auto done = run(d, {{.row = 5, .tag = 1}, {.row = 6, .tag = 2}});
  EXPECT_EQ(done[1].end - done[0].end, d.tRC);
}

TEST(DramChannel, AnotherBankOpensInTheShadow) {
  const config::DramConfig d = timings();
  const auto done = run(d, {{.row = 5, .bank = 0, .tag = 1}, {.row = 6, .bank = d.banks_per_group, .tag = 2}});
  EXPECT_EQ(done[1].end - done[0].end, d.tRRDS) << "a bank of another group";
}

TEST(DramChannel, ARowThatNothingWantsIsClosedBehindTheAccess) {
  config::DramConfig d = timings();
  const auto later = [&d](std::uint64_t row) {  // a second access, long after the first
    auto channel = dram(d, 0);
    Done done;
    channel->accept({.row = 5, .tag = 1}, DramCycle(0));
    while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
    channel->accept({.row = row, .tag = 2}, DramCycle(1000));
    while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
    return done.all.back().end - 1000;
  };
  const std::uint64_t data = d.tCL + d.burst / d.beats_per_clock;
  EXPECT_EQ(later(5), data);
  EXPECT_GT(later(6), d.tRP + d.tRCD + data - 1);
  d.row_policy = "closed";
  EXPECT_EQ(later(5), d.tRCD + data);
  EXPECT_EQ(later(6), d.tRCD + data);
  const auto queued = run(d, {{.row = 5, .tag = 1}, {.row = 5, .tag = 2}});
  EXPECT_EQ(queued[1].end - queued[0].end, std::max(d.tCCDL, d.burst / d.beats_per_clock))
      << "the second wants it open";
}

TEST(DramChannel, ColumnsOfOneBankGroupAreFurtherApart) {
  config::DramConfig d = timings();
  d.tCCDS = 2;
  d.tCCDL = 5;
  const auto same = run(d, {{.row = 5, .tag = 1}, {.row = 5, .tag = 2}});
  EXPECT_EQ(same[1].end - same[0].end, d.tCCDL);
}

TEST(DramChannel, FirstReadyLetsRowHitsPassAndFcfsDoesNot) {
  config::DramConfig d = timings();
  const std::vector<DramAccess> accesses = {{.row = 5, .tag = 1}, {.row = 6, .tag = 2}, {.row = 5, .tag = 3}};
  EXPECT_EQ(run(d, accesses)[1].tag, 3u);
  d.scheduler = "fcfs";
  EXPECT_EQ(run(d, accesses)[1].tag, 2u);
}

TEST(DramChannel, AStarvedAccessIsNoLongerPassed) {
  config::DramConfig d = timings();
  std::vector<DramAccess> accesses = {{.row = 5, .tag = 0}, {.row = 6, .tag = 999}};
  for (std::uint32_t tag = 1; tag < 60; ++tag) accesses.push_back({.row = 5, .tag = tag});
  EXPECT_EQ(run(d, accesses).back().tag, 999u);
  d.starvation_limit = 40;
  EXPECT_NE(run(d, accesses).back().tag, 999u);
}

TEST(DramChannel, StaysWithWritesForATimeOnceItHasTurnedToThem) {
  config::DramConfig d = timings();
  d.write_stay = 300;
  const auto channel = dram(d, 0);
  Done done;
  channel->accept({.row = 5, .bank = 0, .write = true}, DramCycle(0));
  while (channel->next_event() < DramCycle(10)) channel->work(channel->next_event(), done);
  channel->accept({.row = 6, .bank = d.banks_per_group, .tag = 1}, DramCycle(10));
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  ASSERT_EQ(done.all.size(), 1u);
  EXPECT_EQ(done.all[0].end, d.write_stay + d.tRCD + d.tCL + d.burst / d.beats_per_clock);
}

/// What a channel knows from the command before: one that forgets it each time does the same.
TEST(DramChannel, WhatItKeepsIsWhatItWouldFind) {
  config::DramConfig config;
  config.tCCDL = config.tCCDS + 3;  // of one group far apart
  std::mt19937 random(3);
  auto keeps = dram(config, 0), forgets = dram(config, 0);
  const auto forget = [&] {
    StateWriter writer;
    forgets->save(writer);
    forgets = dram(config, 0);
    StateReader reader(writer.bytes());
    forgets->load(reader);
  };
  Done kept, found;
  DramCycle now;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const DramCycle next = keeps->next_event();
    ASSERT_EQ(forgets->next_event(), next);
    forget();
    now = std::min(next, now + random() % 4);
    if (now < next && keeps->accesses_waiting() < 100) {
      const DramAccess access{
          .row = random() % 3, .bank = static_cast<std::uint32_t>(random() % 16), .tag = i, .write = random() % 3 == 0};
      keeps->accept(access, now);
      forgets->accept(access, now);
    } else {
      now = next;
      keeps->work(now, kept);
      forgets->work(now, found);
    }
  }
  EXPECT_GT(kept.all.size(), 1000u);
  ASSERT_EQ(kept.all.size(), found.all.size());
  for (std::size_t i = 0; i < kept.all.size(); ++i) {
    ASSERT_EQ(kept.all[i].tag, found.all[i].tag);
    ASSERT_EQ(kept.all[i].end, found.all[i].end);
  }
}

TEST(DramChannel, CheckBitsTakeTheBusButAreNoData) {
  const config::DramConfig d = timings();
  auto channel = dram(d, 0);
  Done done;
  channel->accept({.row = 1, .bursts = 4, .checks = 1}, DramCycle(0));
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  EXPECT_EQ(done.all[0].end, d.tRCD + d.tCL + 5 * d.burst / d.beats_per_clock);
  EXPECT_EQ(channel->counters().read_bursts, 4u);
  EXPECT_EQ(channel->counters().check_bursts, 1u);
}

// t4-v100.md: one thread of a T4 moves as many check bits as data, many warps half of that and less.
TEST(DramChannel, AccessesThatWaitShareTheCheckBitsOfTheirSpan) {
  config::DramConfig d = timings();
  d.check_span = 512;
  const auto checks = [&d](std::vector<DramAccess> accesses) {
    auto channel = dram(d, 0);
    Done done;
    for (const DramAccess& access : accesses) channel->accept(access, DramCycle(0));
    while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
    return channel->counters().check_bursts;
  };
  for (const bool write : {false, true}) {
    const DramAccess first = {.row = 1, .bursts = 2, .checks = 2, .piece = 3, .write = write};
    DramAccess other = first, apart = first, turned = first;
    other.piece = 4;
    apart.bank = 1;
    turned.write = !write;
    EXPECT_EQ(checks({first}), 2u) << "idle: each burst moves them";
    EXPECT_EQ(checks({first, first}), 2u) << "the second finds them";
    EXPECT_EQ(checks({first, first, first}), 2u) << "and the third";
    EXPECT_EQ(checks({first, other}), 3u) << "another span; what waits moves them once";
    EXPECT_EQ(checks({first, apart}), 3u) << "another bank";
    EXPECT_EQ(checks({first, turned}), 3u) << "another direction";
  }
}

TEST(DramChannel, CheckBitsThatHaveBegunToMoveAreNotShared) {
  config::DramConfig d = timings();
  d.check_span = 512;
  d.tCCDL = 2 * d.burst / d.beats_per_clock;  // one burst at a time
  const DramAccess access = {.row = 1, .bursts = 4, .checks = 1, .piece = 3};
  auto channel = dram(d, 0);
  Done done;
  channel->accept(access, DramCycle(0));
  while (channel->counters().read_bursts == 0) channel->work(channel->next_event(), done);
  channel->accept(access, channel->next_event());
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  EXPECT_EQ(channel->counters().check_bursts, 2u);
}

TEST(DramChannel, ARefreshHoldsUpWhoComesDuringIt) {
  config::DramConfig d = timings();
  d.refresh = "all_bank";
  auto channel = dram(d, 0);
  Done done;
  channel->accept({.row = 1}, DramCycle(d.tREFI + 10));
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  EXPECT_EQ(done.all[0].end, d.tREFI + d.tRFC + d.tRCD + d.tCL + d.burst / d.beats_per_clock);
}

// Who takes one bank after the other at the refreshes' own pace would, if all channels refreshed their banks in that
// order, meet every refresh or none.
TEST(DramChannel, RefreshesDoNotFollowWhoWalksThroughTheBanks) {
  config::DramConfig d = timings();
  d.refresh = "per_bank";
  const std::uint32_t banks = d.bank_groups * d.banks_per_group, channels = 32;
  const std::uint64_t interval = d.tREFI / banks, alone = d.tRCD + d.tCL + d.burst / d.beats_per_clock;
  for (std::uint32_t first = 0; first < banks; ++first) {
    std::uint32_t held = 0;
    for (std::uint32_t index = 0; index < channels; ++index) {
      auto channel = dram(d, index);
      Done done;
      for (std::uint32_t i = 0; i < 4 * banks; ++i) {
        const std::uint64_t at = (8 * banks + i) * interval + index * 37 % interval + 1;
        channel->accept({.row = i, .bank = (first + i) % banks}, DramCycle(at));
        while (done.all.size() <= i) channel->work(channel->next_event(), done);
        held += done.all.back().end - at > alone;
      }
    }
    const double share = static_cast<double>(held) / (4 * banks * channels);
    EXPECT_GT(share, 0.02) << "beginning with bank " << first;
    EXPECT_LT(share, 0.3) << "beginning with bank " << first;
  }
}

/// DRAM that refreshes pairs of banks.
config::DramConfig pairs_of_banks(std::uint32_t skew) {
  config::DramConfig d = timings();
  d.refresh = "bank_pairs";
  d.refresh_skew = skew;
  return d;
}

/// Cycles from `at` until a read of the bank has ended, on a channel that has nothing else to do.
std::uint64_t read_takes(const config::DramConfig& d, std::uint32_t index, std::uint32_t bank, std::uint64_t at) {
  auto channel = dram(d, index);
  Done done;
  channel->accept({.row = 1, .bank = bank}, DramCycle(at));
  while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  return done.all[0].end - at;
}

// h200/memory.md#refreshes: channels of one half refresh the same two banks at nearly the same time, those of a slice
// at the same time, and the other half half an interval later.
TEST(DramChannel, ChannelsRefreshPairsOfBanksTogether) {
  config::DramConfig d = pairs_of_banks(20);
  d.channels = 4;
  d.pseudo_channels = 2;
  const std::uint32_t banks = d.bank_groups * d.banks_per_group;
  const std::uint64_t interval = 2 * d.tREFI / banks, alone = d.tRCD + d.tCL + d.burst / d.beats_per_clock;
  const auto waits = [&](std::uint32_t index, std::uint32_t bank, std::uint64_t at) {
    return read_takes(d, index, bank, at) - alone;
  };
  const auto refreshed = [&](std::uint32_t index, std::uint64_t at) {  // as long as after the skew
    std::vector<std::uint32_t> all;
    for (std::uint32_t bank = 0; bank < banks; ++bank)
      if (waits(index, bank, at) > d.tRFCpb - 2 * d.refresh_skew) all.push_back(bank);
    return all;
  };
  std::vector<std::vector<std::uint32_t>> orders;
  for (std::uint64_t round = 2; round < 6; ++round) {
    std::vector<std::uint32_t>& order = orders.emplace_back();
    for (std::uint32_t i = 0; i < banks / 2; ++i) {
      const std::uint64_t at = (round * banks / 2 + i + 1) * interval + d.refresh_skew;
      const std::vector<std::uint32_t> pair = refreshed(0, at);
      ASSERT_EQ(pair.size(), 2u);
      EXPECT_EQ(pair[0] / d.banks_per_group % 2, 0u) << "of two neighbouring groups";
      EXPECT_EQ(pair[1], pair[0] + d.banks_per_group) << "the same bank";
      for (std::uint32_t index = 1; index < 4; ++index) EXPECT_EQ(refreshed(index, at), pair) << index;
      EXPECT_EQ(refreshed(4, at + interval / 2), pair) << "the other half, later";
      order.push_back(pair[0]);
    }
    std::vector<std::uint32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << "each pair once in a round";
  }
  EXPECT_NE(orders[0], orders[1]) << "no pace may meet them in step";
  const std::uint64_t first = (2 * banks / 2 + 1) * interval + d.refresh_skew;
  EXPECT_EQ(waits(1, orders[0][0], first), waits(0, orders[0][0], first)) << "two pseudo channels of a slice";
  EXPECT_EQ(waits(2, orders[0][0], first), waits(0, orders[0][0], first) + 37 % d.refresh_skew) << "begins later";
}

// A kernel meets refreshes from its first cycle on, as often as later.
TEST(DramChannel, BeginsAmongRefreshes) {
  config::DramConfig d = timings();
  d.refresh = "per_bank";
  const std::uint32_t banks = d.bank_groups * d.banks_per_group;
  const std::uint64_t interval = d.tREFI / banks, alone = d.tRCD + d.tCL + d.burst / d.beats_per_clock;
  const auto held = [&](std::uint64_t at) {
    std::uint32_t count = 0;
    for (std::uint32_t index = 0; index < 32; ++index)
      for (std::uint32_t bank = 0; bank < banks; ++bank) count += read_takes(d, index, bank, at) > alone ? 1 : 0;
    return count;
  };
  EXPECT_GT(held(0), 0u);
  const std::uint64_t later = 5 * banks * interval;
  EXPECT_EQ(held(0), held(later));
  EXPECT_EQ(held(interval / 3), held(later + interval / 3));
}

// Whenever a channel begins, an access finds what it would have found in the first cycle of a simulation.
TEST(DramChannel, BeginsAlikeAtAnyTime) {
  for (const char* refresh : {"all_bank", "per_bank", "bank_pairs"}) {
    config::DramConfig d = timings();
    d.refresh = refresh;
    for (std::uint32_t index = 0; index < 8; ++index)
      for (std::uint64_t at : {0ul, 100ul, 3 * d.tREFI + 7ul}) {
        const auto ends = [&](std::uint64_t begin) {
          auto channel = Drams::instance().make(d.model, d, {index, DramCycle(begin)});
          Done done;
          for (std::uint32_t bank = 0; bank < d.bank_groups * d.banks_per_group; ++bank)
            channel->accept({.row = 1, .bank = bank}, DramCycle(begin + at));
          while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
          std::vector<std::uint64_t> all;
          for (const Done::One& one : done.all) all.push_back(one.end - begin);
          return all;
        };
        EXPECT_EQ(ends(12345), ends(0)) << refresh << " channel " << index << " at " << at;
      }
  }
}

TEST(DramChannel, SixPairsAreRefreshedOnceInEachRound) {
  config::DramConfig d = pairs_of_banks(0);
  d.bank_groups = 4;
  d.banks_per_group = 3;
  const std::uint32_t banks = 12, pairs = 6;
  const std::uint64_t interval = 2 * d.tREFI / banks;
  for (std::uint64_t round = 2; round < 12; ++round) {
    std::set<std::uint32_t> refreshed;
    for (std::uint32_t i = 0; i < pairs; ++i)
      for (std::uint32_t bank = 0; bank < banks; ++bank)
        if (read_takes(d, 0, bank, (round * pairs + i + 1) * interval) > d.tRFCpb) refreshed.insert(bank);
    EXPECT_EQ(refreshed.size(), banks) << "round " << round;
  }
}

std::string refusal(const config::DramConfig& d) {
  try {
    dram(d, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DramChannel, AnUnknownNameIsRefusedWithTheKnownOnesAndTheNearest) {
  config::DramConfig scheduler = timings(), rows = timings(), refresh = timings(), model = timings();
  scheduler.scheduler = "fr_fcsf";
  rows.row_policy = "close";
  refresh.refresh = "bank_pair";
  model.model = "ddd";
  EXPECT_EQ(refusal(scheduler), "unknown DRAM scheduler 'fr_fcsf' (did you mean 'fr_fcfs'?); known: fcfs, fr_fcfs");
  EXPECT_EQ(refusal(rows), "unknown row policy of DRAM 'close' (did you mean 'closed'?); known: closed, open");
  EXPECT_EQ(refusal(refresh),
            "unknown refresh of DRAM 'bank_pair' (did you mean 'bank_pairs'?); known: all_bank, bank_pairs, none, "
            "per_bank");
  EXPECT_EQ(refusal(model), "unknown DRAM model 'ddd' (did you mean 'ddr'?); known: ddr, fixed, tlm");
}

/// As `closed` does.
class Impatient final : public DramRowPolicy {
 public:
  bool closes_unwanted() const override { return true; }
};

/// Cycles of an access to a bank that has served another row a long time ago.
std::uint64_t another_row_takes(const std::string& policy) {
  config::DramConfig d = timings();
  d.row_policy = policy;
  auto channel = dram(d, 0);
  Done done;
  for (const std::uint64_t row : {1u, 2u}) {
    channel->accept({.row = row}, DramCycle(1000 * row));
    while (channel->next_event() != kNeverDram) channel->work(channel->next_event(), done);
  }
  return done.all.at(1).end - 2000;
}

TEST(DramChannel, APolicyIsAFileThatRegistersItself) {
  const Registered<DramRowPolicy, Impatient> registered("impatient");
  EXPECT_EQ(another_row_takes("impatient"), another_row_takes("closed"));
  EXPECT_EQ(another_row_takes("impatient") + timings().tRP, another_row_takes("open"));
  EXPECT_THROW((Registered<DramRowPolicy, Impatient>("open")), std::logic_error);
}

}  // namespace
}  // namespace sassim::arch

// Values of `memory.dram` that do not fit each other are refused by the model that reads them.
namespace sassim::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DramCheck, DramTimingsMustAgree) {
  EXPECT_THAT(problems("memory: {dram: {tRC: 10}}"), HasSubstr("memory.dram.tRC: 10 is below tRAS = 34"));
  EXPECT_THAT(problems("memory: {dram: {tRFC: 4000}}"), HasSubstr("leaves no time between refreshes"));
}

TEST(DramCheck, AModelChecksOnlyWhatItReads) {
  EXPECT_THAT(problems("memory: {dram: {model: fixed, tRC: 10, tRFC: 4000, bank_groups: 17}}"), IsEmpty());
}

TEST(DramCheck, ABankHasTimeForAnAccessBetweenTwoRefreshes) {
  const std::string fits = "tRFC + tRCD + tRAS + tRP + tRRDL = 260 + 14 + 34 + 14 + 6";
  EXPECT_THAT(problems("memory: {dram: {tREFI: 329}}"), IsEmpty()) << fits;
  EXPECT_THAT(problems("memory: {dram: {tREFI: 328}}"),
              HasSubstr("memory.dram.tRFC: 260 leaves no time between refreshes (tREFI = 328)"))
      << fits;
  EXPECT_THAT(problems("memory: {dram: {tRCD: 3585}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {tRCD: 3586}}"), HasSubstr("expected at most 3585, or memory.dram.tREFI = 0"));
  EXPECT_THAT(problems("memory: {dram: {tRCD: 4096, tREFI: 0}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {tRCD: 4096, refresh: none}}"), IsEmpty());
  // A bank in turn: each once in all 16 turns.
  EXPECT_THAT(problems("memory: {dram: {refresh: per_bank, tRFCpb: 3819}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {refresh: per_bank, tRFCpb: 3820}}"), HasSubstr("memory.dram.tRFCpb: 3820"));
}

TEST(DramCheck, PairsOfBanksNeedPairsOfBankGroups) {
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, bank_groups: 1, tRFCpb: 20}}"),
              HasSubstr("memory.dram.bank_groups: 1 is odd, and memory.dram.refresh = bank_pairs needs pairs"));
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, refresh_skew: 500}}"),
              HasSubstr("memory.dram.refresh_skew: 500 is more than the 487 cycles"));
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, refresh_skew: 487}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, bank_groups: 1, tREFI: 0}}"), IsEmpty());
}

TEST(DramCheck, CheckBitsCoverWholeLines) {
  EXPECT_THAT(problems("memory: {dram: {check_span: 512}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {check_span: 100}}"),
              HasSubstr("memory.dram.check_span: 100 bytes cut lines of the L2; expected a multiple of 128, or 0"));
}

TEST(DramCheck, AChannelHasAtMost64Banks) {
  EXPECT_THAT(problems("memory: {dram: {bank_groups: 16}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {bank_groups: 17}}", {"dram.bank_groups=17"}),
              HasSubstr("memory.dram.bank_groups: bank_groups x banks_per_group = 17 x 4 are more than 64 banks; at "
                        "most 16 fit"));
}

}  // namespace
}  // namespace sassim::config
