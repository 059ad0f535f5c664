// SPDX-License-Identifier: Apache-2.0
// Tags that were saved and loaded into new ones choose the same victims from then on, under every replacement policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "arch/cache/tag_array.h"
#include "arch/cache/tlb.h"
#include "sim/base/error.h"
#include "sim/base/state_archive.h"
#include "sim/config/gpu_config.h"
#include "tests/support/saved_state.h"

namespace sassim::arch {
namespace {

using testing::load;
using testing::saved;

/// Uses lines at random, and says in which slots they are.
class Walk {
 public:
  explicit Walk(std::uint32_t seed) : random_(seed) {}

  std::uint64_t step(TagArray& tags) {
    const std::uint64_t line = random_() % (tags.slots() * 3 / 2);
    const std::size_t set = line % tags.sets();
    const LineUse use{.now = now_ += random_() % 30'000};
    if (random_() % 50 == 0) {
      const std::size_t slot = random_() % tags.slots();
      if (tags.line_at(slot) != TagArray::kEmpty) tags.expect(slot, random_() % 2 == 0);
    }
    std::size_t slot = tags.find(set, line);
    if (slot != TagArray::kNone) {
      tags.used(slot, use);
    } else if ((slot = tags.make_room(set, line, use)) != TagArray::kNone) {
      tags.fill(slot, line, use);
    }
    return slot;
  }

 private:
  std::mt19937 random_;
  std::uint64_t now_ = 0;
};

CacheShape shape(const std::string& policy, std::uint32_t ways) {
  CacheShape shape{.sets = 3, .ways = ways};
  if (policy != "sweep") return shape;
  shape.several = true;
  shape.lines = shape.sets * ways;
  shape.tags = shape.lines * 3 / 2;
  shape.rows = {.masks = {0b110100, 0b1001000}, .emptied = 2};
  return shape;
}

const std::vector<std::string> kPolicies{"ages",       "fifo",   "lru",   "not_recent",
                                         "priorities", "random", "sweep", "ship_of_the_test"};

TEST(CacheCheckpoint, EveryPolicyOfTheSimulatorIsTestedHere) {
  for (const std::string& name : Replacements::instance().names())
    EXPECT_TRUE(name.ends_with("of_the_test") || std::find(kPolicies.begin(), kPolicies.end(), name) != kPolicies.end())
        << name;
}

TEST(CacheCheckpoint, TagsContinueUnderEveryPolicy) {
  for (const std::string& policy : kPolicies)
    for (const std::uint32_t ways : {2u, 12u, 40u})  // looked at one by one, and by an index
      for (const int before : {0, 5, 300, 1000}) {
        TagArray tags(shape(policy, ways), policy), loaded(shape(policy, ways), policy);
        Walk walk(ways);
        for (int i = 0; i < before; ++i) walk.step(tags);
        Walk other_walk = walk;
        load(loaded, saved(tags));
        EXPECT_EQ(loaded.resident(), tags.resident());
        EXPECT_TRUE(before < 1000 || tags.resident() > tags.slots() * 2 / 3) << policy;
        for (int i = 0; i < 2000; ++i)
          ASSERT_EQ(walk.step(tags), other_walk.step(loaded)) << policy << ", " << ways << " ways, use " << i;
        EXPECT_TRUE(saved(tags) == saved(loaded)) << policy;
        tags.clear();
        loaded.clear();
        EXPECT_TRUE(saved(tags) == saved(loaded)) << policy << " when cleared";
      }
}

TEST(CacheCheckpoint, TagsLoadIntoAnArrayThatWasInUse) {
  TagArray tags(shape("lru", 40), "lru"), used(shape("lru", 40), "lru");
  Walk walk(1), other(2);
  for (int i = 0; i < 500; ++i) walk.step(tags), other.step(used);
  load(used, saved(tags));
  for (std::size_t slot = 0; slot < tags.slots(); ++slot)
    EXPECT_TRUE(tags.line_at(slot) == TagArray::kEmpty || used.find(tags.line_at(slot)) == slot) << slot;
}

TEST(CacheCheckpoint, ATlbKnowsItsPages) {
  const config::TlbConfig config{.entries = 4, .page = 4096, .ways = 2};
  Tlb tlb(config, "tlb"), loaded(config, "tlb");
  for (const std::uint64_t page : {1, 2, 3, 4, 1}) tlb.insert(page * 4096, {});
  load(loaded, saved(tlb));
  for (std::uint64_t page = 0; page < 8; ++page)
    EXPECT_EQ(loaded.lookup(page * 4096, {}), tlb.lookup(page * 4096, {})) << page;
}

TEST(CacheCheckpoint, OfAnotherShapeIsRefused) {
  const TagArray tags(shape("lru", 4), "lru");
  TagArray other(shape("lru", 5), "lru");
  const std::string bytes = saved(tags);
  StateReader reader(bytes);
  EXPECT_THROW(reader(other), InputError);
}

class Unsaved final : public Replacement {
 public:
  explicit Unsaved(const CacheShape&) {}
  std::uint32_t victim(const SetView& set, std::uint64_t, const LineUse&) override {
    std::uint32_t way = 0;
    while (!set.may_go(way)) ++way;
    return way;
  }
};
const Registered<Replacement, Unsaved, const CacheShape&> unsaved_registered("unsaved_of_the_test");

TEST(CacheCheckpoint, APolicyThatSavesNothingSaysSo) {
  const TagArray tags(shape("", 4), "unsaved_of_the_test");
  EXPECT_THROW(saved(tags), InputError);
}

}  // namespace
}  // namespace sassim::arch
