// SPDX-License-Identifier: Apache-2.0
// The tags that all caches share, and what each replacement policy keeps.
#include "arch/cache/tag_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "arch/cache/line_cache.h"
#include "arch/cache/replacement.h"
#include "arch/cache/tlb.h"
#include "arch/gpu/gpu.h"
#include "sim/config/gpu_config.h"
#include "sim/config/loader.h"
#include "tests/support/sass_kernel.h"

namespace sassim::arch {
namespace {

const auto kAny = [](std::size_t) { return true; };

/// Finds the line, or brings it. True: it was there.
bool access(TagArray& tags, std::uint64_t number, std::uint64_t now = 0) {
  const std::size_t set = number % tags.sets();
  if (const std::size_t slot = tags.find(set, number); slot != TagArray::kNone) {
    tags.used(slot, {.now = now});
    return true;
  }
  tags.fill(tags.choose(set, number, {.now = now}, kAny), number, {.now = now});
  return false;
}

std::vector<std::string> policies_of_one() {
  std::vector<std::string> names;
  for (const std::string& name : Replacements::instance().names())
    if (name != "sweep") names.push_back(name);
  return names;
}

TEST(TagArray, EveryPolicyFillsEmptySlotsFirstAndNeverHoldsALineTwice) {
  for (const std::string& policy : policies_of_one())
    for (const std::uint32_t ways : {1u, 4u, 33u, 100u}) {  // looked at one by one, and by an index
      TagArray tags({.sets = 3, .ways = ways}, policy);
      for (std::uint64_t line = 0; line < 3 * ways; ++line) EXPECT_FALSE(access(tags, line)) << policy;
      EXPECT_EQ(tags.resident(), 3 * ways);
      for (std::uint64_t line = 0; line < 3 * ways; ++line) EXPECT_TRUE(access(tags, line)) << policy << ' ' << ways;
      for (std::uint64_t line = 0; line < 1000; ++line) access(tags, line * 7 % 501, line * 1000);
      EXPECT_EQ(tags.resident(), 3 * ways) << policy;
      std::set<std::uint64_t> held;
      for (std::size_t slot = 0; slot < tags.slots(); ++slot) held.insert(tags.line_at(slot));
      EXPECT_EQ(held.size(), tags.slots()) << policy;
    }
}

TEST(TagArray, NoPolicyGivesUpALineThatMustStay) {
  for (const std::string& policy : policies_of_one()) {
    TagArray tags({.sets = 1, .ways = 8}, policy);
    for (std::uint64_t line = 0; line < 8; ++line) access(tags, line);
    for (int round = 0; round < 50; ++round) {
      const std::size_t slot = tags.choose(0, 100, {}, [](std::size_t way) { return way == 5; });
      EXPECT_EQ(slot, 5u) << policy;
    }
    EXPECT_EQ(tags.choose(0, 100, {}, [](std::size_t) { return false; }), TagArray::kNone);
    tags.drop(3);
    EXPECT_EQ(tags.choose(0, 100, {}, [](std::size_t) { return false; }), 3u) << "an empty slot";
    EXPECT_EQ(tags.first_to_go(0, [](std::size_t way) { return way == 3; }), TagArray::kNone) << "there is no line";
  }
}

TEST(TagArray, AClearedArrayIsAsNew) {
  for (const std::string& policy : policies_of_one()) {
    TagArray fresh({.sets = 2, .ways = 40}, policy), cleared({.sets = 2, .ways = 40}, policy);
    for (std::uint64_t line = 0; line < 300; ++line) access(cleared, line * line % 211);
    cleared.clear();
    EXPECT_EQ(cleared.resident(), 0u);
    for (std::uint64_t line = 0; line < 2000; ++line)
      EXPECT_EQ(access(fresh, line * line % 211), access(cleared, line * line % 211)) << policy;
  }
}

TEST(TagArray, PoliciesDifferInWhatTheyKeep) {
  const auto gone = [](const char* policy) {
    TagArray tags({.sets = 1, .ways = 4}, policy);
    for (const std::uint64_t line : {0, 1, 2, 3, 0, 4}) access(tags, line);
    for (std::uint64_t line = 0; line < 4; ++line)
      if (tags.find(0, line) == TagArray::kNone) return line;
    return TagArray::kEmpty;
  };
  EXPECT_EQ(gone("lru"), 1u);
  EXPECT_EQ(gone("fifo"), 0u) << "used again or not";
  EXPECT_EQ(gone("not_recent"), 1u);
  EXPECT_EQ(gone("priorities"), 1u) << "0 was used again";
}

TEST(TagArray, SetsMayDifferByOneWay) {
  for (const std::string& policy : policies_of_one()) {
    TagArray tags({.sets = 4, .ways = 3, .lines = 10}, policy);
    for (std::uint64_t line = 0; line < 100; ++line) access(tags, line);
    EXPECT_EQ(tags.resident(), 10u) << policy;
  }
}

TEST(TagArray, APolicyThatGivesUpSeveralLinesIsForCachesThatCan) {
  EXPECT_NO_THROW(TagArray({.sets = 4, .ways = 371, .several = true}, "sweep"));
  try {
    TagArray tags({.sets = 4, .ways = 371}, "sweep");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::StartsWith("replacement policy 'sweep' evicts several lines at once, which only "
                                      "the L1 data cache can do; known policies: ages, fifo, lru"));
  }
}

TEST(LineCache, TheLeastRecentlyUsedLineOfASetLeaves) {
  LineCache cache(config::CacheGeometry{.size = 6 * 64, .line = 64, .ways = 2});  // three sets
  for (const std::uint64_t line : {0, 3, 1}) cache.insert(line, {});
  EXPECT_TRUE(cache.access(0, {}));
  cache.insert(6, {});
  EXPECT_TRUE(cache.probe(0));
  EXPECT_FALSE(cache.probe(3)) << "of lines 0, 3, 6 the one not used since";
  EXPECT_TRUE(cache.probe(1)) << "another set";
  EXPECT_EQ(cache.line_of(64 * 6 + 63), 6u);
  cache.erase(2, 6);
  EXPECT_TRUE(cache.probe(0) && cache.probe(1));
  EXPECT_FALSE(cache.probe(6));
  cache.clear();
  EXPECT_FALSE(cache.probe(0));
}

TEST(LineCache, NoWaysMeansFullyAssociativeAndNoSizeThatNothingStays) {
  LineCache cache(config::CacheGeometry{.size = 4 * 64, .line = 64, .ways = 0});
  for (const std::uint64_t line : {0, 8, 16, 24}) cache.insert(line, {});
  for (const std::uint64_t line : {0, 8, 16, 24}) EXPECT_TRUE(cache.probe(line));
  for (const std::uint32_t ways : {0u, 4u}) {
    LineCache none(config::CacheGeometry{.size = 0, .line = 64, .ways = ways});
    none.insert(1, {});
    EXPECT_FALSE(none.probe(1) || none.access(1, {}));
  }
}

TEST(Tlb, KnowsTheLastPagesOfASet) {
  config::TlbConfig config;
  config.entries = 4;
  config.ways = 2;
  config.page = 1 << 21;
  Tlb tlb(config, "sm.tlb");
  const auto page = [](std::uint64_t n) { return n << 21; };
  EXPECT_FALSE(tlb.lookup(page(0), {}));
  for (const std::uint64_t n : {0, 2}) tlb.insert(page(n), {});
  EXPECT_TRUE(tlb.lookup(page(0) + 12345, {}));
  tlb.insert(page(4), {});  // the same set
  EXPECT_TRUE(tlb.lookup(page(0), {}));
  EXPECT_FALSE(tlb.lookup(page(2), {})) << "not used since";
  EXPECT_EQ(tlb.page_of(page(4) + 99), page(4));
  tlb.clear();
  EXPECT_FALSE(tlb.lookup(page(0), {}));
  config.entries = 0;
  Tlb none(config, "sm.tlb");
  EXPECT_FALSE(none.enabled());
  EXPECT_TRUE(none.lookup(page(7), {})) << "every page is known";
}

}  // namespace
}  // namespace sassim::arch

// What a replacement policy learns of each use, in the L1 and in the L2: line, kind, PC, SM and time.
namespace sassim::arch::test {
namespace {

struct Seen {
  bool in_l1;
  std::uint64_t number;
  LineUse use;
};
std::vector<Seen> seen;

class Recorder final : public Replacement {
 public:
  explicit Recorder(const CacheShape& shape) : in_l1_(shape.several) {}
  void used(std::size_t, std::uint64_t number, const LineUse& use) override { seen.push_back({in_l1_, number, use}); }
  void filled(std::size_t, std::uint64_t number, const LineUse& use) override { seen.push_back({in_l1_, number, use}); }
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    std::uint32_t way = 0;
    while (!set.may_go(way)) ++way;
    return way;
  }

 private:
  bool in_l1_;
};

const Registered<Replacement, Recorder, const CacheShape&> recorder_registered("recorder_of_the_test");

TEST(LineUse, PoliciesOfBothLevelsSeeWhoUsesALineWhatForAndWhen) {
  config::GpuConfig config = config::load_config(SASSIM_SOURCE_DIR "/configs/chips/v100.yaml");
  config.sm.count = 2;
  config.sm.l1.replacement = config.memory.l2.replacement = "recorder_of_the_test";
  SassKernel kernel(
      "MOV R2, 0x0 ;\nB------:R-:W0:-:S02 LDG.E R4, [R2] ;\nB0-----:R-:W0:-:S02 LDG.E R5, [R2] ;\n"
      "B0-----:R-:W-:-:S02 STG.E [R6], R5 ;\nEXIT ;\n");
  kernel.blocks(2);
  kernel.addresses_by_block([](std::uint64_t block, std::uint32_t, std::uint32_t line, std::uint64_t, int lane) {
    return (line == 3 ? 0x20000000 : 0x10000000) + block * 4096 + static_cast<std::uint64_t>(lane) * 4;
  });
  seen.clear();
  Gpu gpu(config);
  const auto source = kernel.source();
  gpu.run(*source, {});

  std::set<std::pair<std::uint16_t, std::uint64_t>> loaded, found;
  std::set<std::uint16_t> asked_l2, stored_l2;
  for (const Seen& s : seen) {
    if (s.in_l1) {
      EXPECT_TRUE(s.use.kind == RequestKind::load || s.use.kind == RequestKind::store);
      EXPECT_GT(s.use.now, 0u);
      if (s.use.pc == 0x10) loaded.insert({s.use.sm.value, s.number});
      if (s.use.pc == 0x20) found.insert({s.use.sm.value, s.number});
    } else if (s.use.now != 0) {  // what a launch leaves there has no cycle
      if (s.use.kind == RequestKind::load && s.use.pc == 0x10) asked_l2.insert(s.use.sm.value);
      if (s.use.kind == RequestKind::store && s.use.pc == 0x30) stored_l2.insert(s.use.sm.value);
    }
  }
  const std::set<std::uint16_t> both = {0, 1};
  ASSERT_EQ(loaded.size(), 2u) << "each SM a line";
  EXPECT_EQ(loaded, found) << "the first load brings what the second finds";
  EXPECT_EQ(loaded.begin()->second + loaded.rbegin()->second, 2 * (0x10000000u / 128) + 4096 / 128);
  EXPECT_EQ(asked_l2, both);
  EXPECT_EQ(stored_l2, both);
}

}  // namespace
}  // namespace sassim::arch::test
