// SPDX-License-Identifier: Apache-2.0
// What the L1 keeps: the sizes that a pointer chase detects, and what a replacement policy may never do.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "arch/sm/l1_tags.h"
#include "tests/unit/lsu/bench.h"

namespace sassim::arch::test {
namespace {

constexpr std::uint64_t kKiB = 1024;

/// One thread walks an array twice, 32 bytes a step; the misses of the second walk, as the reports' benchmark counts.
std::uint64_t second_walk_misses(const config::Sm& sm, std::uint64_t carveout, std::uint64_t array) {
  Bench bench(sm);
  bench.pipeline.start_kernel(carveout, false);
  const auto load = decoded(isa::OpClass::load, isa::Space::global);
  const auto walk = [&] {
    for (std::uint64_t at = 0; at < array; at += 32) {
      bench.issue(make_op(
          load, [&](int) { return at; }, LaneMask{1}));
      bench.limit = bench.now.value + 100'000;
      bench.drain();
    }
    return bench.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum");
  };
  const std::uint64_t first = walk();
  return walk() - first;
}

/// The chase finds exactly this size: an array of it stays, one that is a line larger does not.
void expect_detected(const config::Sm& sm, std::uint64_t carveout, std::uint64_t size) {
  EXPECT_EQ(second_walk_misses(sm, carveout, size), 0u) << size;
  EXPECT_GT(second_walk_misses(sm, carveout, size + sm.l1.line), 0u) << size;
}

TEST(L1Size, AChaseDetectsSevenKiBLessThanConfiguredOnVolta) {
  for (const char* policy : {"volta", "random", "lru"}) {
    config::Sm sm;
    sm.l1.replacement = policy;
    expect_detected(sm, 96 * kKiB, 25 * kKiB);
    expect_detected(sm, 64 * kKiB, 57 * kKiB);
    expect_detected(sm, 0, 121 * kKiB);
  }
}

/// Misses of the third walk through this many lines, in order or in a random order, the same in each walk.
std::uint64_t third_walk_misses(L1Tags& tags, std::uint32_t lines, std::uint32_t seed) {
  std::vector<std::uint64_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::uint64_t missed = 0;
  for (int walk = 0; walk < 3; ++walk) {
    missed = 0;
    for (std::uint64_t line : order) {
      if (tags.sectors(line * 128) != 0) {
        tags.touch(line * 128);
      } else {
        ++missed;
        tags.fill(line * 128, 0xf);
      }
    }
  }
  return missed;
}

// An H200 with 64 KiB of shared memory (validation/hardware/h200.json, l1d.over.*): what misses in arrays larger than
// the 185 KiB that it keeps.
TEST(L1Size, AnH200LosesSomeLinesForEachLineTooMany) {
  const L1Shape shape{185 * 8, 4, false, true};
  struct Point {
    std::uint32_t kib;
    double in_order, random;
  };
  for (const Point point :
       {Point{0, 0, 0}, Point{1, 48, 34}, Point{2, 90, 61}, Point{4, 184, 127}, Point{8, 372, 250}}) {
    L1Tags tags("columns", shape, 128);
    EXPECT_NEAR(third_walk_misses(tags, (185 + point.kib) * 8, 0), point.in_order, 0.1 * point.in_order) << point.kib;
    double random = 0;
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
      L1Tags each("columns", shape, 128);
      random += static_cast<double>(third_walk_misses(each, (185 + point.kib) * 8, seed)) / 10;
    }
    EXPECT_NEAR(random, point.random, 0.15 * point.random + 2) << point.kib << " (27 and 42 were measured for 1 KiB)";
  }
}

// All arrays of whole lines find the sets equally full; strides of a set's number of lines reach all sets.
TEST(L1Size, FoldedSetsFillAlike) {
  for (std::uint32_t sets : {1u, 3u, 4u, 8u})
    for (std::uint32_t stride : {1u, sets, sets * sets}) {
      L1Tags tags("lru", L1Shape{sets * 16, sets, false, true}, 128);
      for (std::uint64_t line = 0; line < sets * 16; ++line) tags.fill(line * stride * 128, 0xf);
      std::uint32_t held = 0;
      for (std::uint64_t line = 0; line < sets * 16; ++line) held += tags.sectors(line * stride * 128) != 0;
      EXPECT_GE(held, sets * (stride == 1 ? 16 : 14)) << sets << " sets, stride " << stride;
    }
}

TEST(L1Size, OddSizesAreDetectedAsWell) {
  config::Sm sm;
  sm.l1.size = 101 * 128;
  sm.l1.sets = 3;
  sm.l1.detected_loss = 11 * 128;
  sm.occupancy.carveouts = {};
  expect_detected(sm, 0, 90 * 128);
}

TEST(L1Size, AnOversizedArrayIsKeptInPartExceptByLru) {
  config::Sm sm;
  const std::uint64_t array = 25 * kKiB + 2 * kKiB, sectors = array / 32;
  sm.l1.replacement = "lru";
  EXPECT_EQ(second_walk_misses(sm, 96 * kKiB, array), sectors);
  for (const char* policy : {"volta", "random"}) {
    sm.l1.replacement = policy;
    const std::uint64_t misses = second_walk_misses(sm, 96 * kKiB, array);
    EXPECT_GT(misses, 2 * kKiB / 32) << policy;
    EXPECT_LT(misses, sectors * 7 / 10) << policy;
  }
}

TEST(L1Size, VoltaGivesUpTheSameLinesOfEachSetFirst) {
  config::Sm sm;
  const L1Shape shape{200, 4, false};
  L1Tags tags("volta", shape, 128);
  for (std::uint64_t line = 0; line < shape.lines + 4; ++line) tags.fill(line * 128, 0xf);
  for (std::uint64_t line = 0; line < shape.lines + 4; ++line)
    EXPECT_EQ(tags.sectors(line * 128) != 0, line >= 4) << "line " << line;
}

TEST(L1Size, WholeSectorsOfALineGoTogether) {
  L1Tags tags("random", L1Shape{64, 4, false}, 128);
  for (std::uint64_t line = 0; line < 1000; ++line) {
    for (int sector = 0; sector < 4; ++sector) tags.fill(line * 128, static_cast<std::uint8_t>(1 << sector));
    EXPECT_EQ(tags.sectors(line * 128), 0xf);
  }
  EXPECT_EQ(tags.resident(), 64u);
  for (std::uint64_t line = 0; line < 1000; ++line)
    EXPECT_TRUE(tags.sectors(line * 128) == 0 || tags.sectors(line * 128) == 0xf);
}

TEST(L1Size, AnySizeOfWholeLinesWorks) {
  for (std::uint32_t lines : {3u, 5u, 7u, 100u, 801u})
    for (std::uint32_t sets : {1u, 3u})
      for (bool mixed : {false, true})
        for (const std::string& policy : L1ReplacementRegistry::instance().names()) {
          L1Tags tags(policy, L1Shape{lines, sets, mixed}, 128);
          for (std::uint64_t line = 0; line < lines; ++line) tags.fill(line * 128, 1);
          for (std::uint64_t line = 0; line < lines && !mixed; ++line)
            EXPECT_EQ(tags.sectors(line * 128), 1) << policy << ' ' << lines;
          for (std::uint64_t line = 0; line < 5000; ++line) tags.fill(line * line * 128, 1);
          for (std::uint64_t line = 0; line < 5000; ++line) tags.fill(line * 128, 1);
          EXPECT_EQ(tags.resident(), lines) << policy << ' ' << lines;
        }
}

std::uint64_t misses(const char* policy, std::uint32_t lines, std::uint64_t seed) {
  L1Tags tags(policy, L1Shape{lines, 4, false}, 128);
  std::uint64_t count = 0, state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (int i = 0; i < 4000; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const std::uint64_t line =
        i % 3 == 0 ? state >> 33 & 0x3ff : (static_cast<std::uint64_t>(i) * 5 + (state >> 60)) % 300;
    if (tags.sectors(line * 128) == 0) {
      ++count;
      tags.fill(line * 128, 1);
    } else {
      tags.touch(line * 128);
    }
  }
  return count;
}

TEST(L1Size, MoreWaysNeverMissMoreUnderLru) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t lines = 4, last = ~0ull; lines <= 1024; lines += lines < 64 ? 4 : 52) {
      const std::uint64_t now = misses("lru", static_cast<std::uint32_t>(lines), seed);
      EXPECT_LE(now, last) << lines << " lines, seed " << seed;
      last = now;
    }
}

TEST(L1Size, AnUnknownPolicyIsNamedWithItsNeighbours) {
  config::Sm sm;
  sm.l1.replacement = "vlota";
  try {
    Bench bench(sm);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown L1 replacement policy 'vlota' (did you mean 'volta'?); known: columns, lru, random, volta");
  }
}

}  // namespace
}  // namespace sassim::arch::test
