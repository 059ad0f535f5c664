// SPDX-License-Identifier: Apache-2.0
// Does a sleep end where an H200 ends it?
#include "sim/base/nap.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

constexpr std::uint64_t kHz = 2'000'000'000;

TEST(Nap, EndsAtAMultipleOfThePowerOfTwoAbove) {
  EXPECT_EQ(nap_ends(0, 100, kHz), 2 * 128u);
  EXPECT_EQ(nap_ends(255, 100, kHz), 2 * 128u);
  EXPECT_EQ(nap_ends(256, 100, kHz), 2 * 256u);
  EXPECT_EQ(nap_ends(2 * 1000, 64, kHz), 2 * 1024u);
  EXPECT_EQ(nap_ends(2 * 1024, 1024, kHz), 2 * 2048u);
}

// 512 ns are 1013.76 cycles: a nap that ends in the middle of a cycle ends with it, and the next one not at once.
TEST(Nap, TheNextOneBeginsBehindTheMultiple) {
  const std::uint64_t first = nap_ends(0, 500, 1'980'000'000);
  EXPECT_EQ(first, 1014u);
  EXPECT_EQ(nap_ends(first, 500, 1'980'000'000), 2028u);
  EXPECT_EQ(nap_ends(first - 1, 500, 1'980'000'000), first);
}

TEST(Nap, AShortOneEndsAtAMultipleToo) { EXPECT_EQ(nap_ends(1000, 31, kHz), 1024u); }

// Means of an H200 at 1.98 GHz, each 21 cycles after the end of the one before: 231, 482, 985, 4013.
TEST(Nap, RowsOfThemTakeWhatTheyTakeOnAnH200) {
  for (const auto& [asked, measured] : {std::pair{100u, 231.0}, {200u, 482.0}, {400u, 985.0}, {2000u, 4013.0}}) {
    std::uint64_t now = 0, slept = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t end = nap_ends(now, asked, 1'980'000'000);
      slept += end - now;
      now = end + 21;
    }
    EXPECT_NEAR(static_cast<double>(slept) / 100, measured, 0.02 * measured) << asked;
  }
}

}  // namespace
}  // namespace sassim
