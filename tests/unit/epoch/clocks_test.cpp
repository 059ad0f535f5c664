// SPDX-License-Identifier: Apache-2.0
// Cycles of different clocks do not mix; conversions between them are exact.
#include <gtest/gtest.h>

#include <concepts>

#include "arch/common/clock_ratio.h"
#include "sim/base/types.h"

namespace sassim::arch {
namespace {

template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a < b;
};
template <class Ratio, class Time>
concept Converts = requires(Ratio ratio, Time time) {
  ratio.up(time);
};

static_assert(Adds<L2Cycle, L2Cycle> && !Adds<L2Cycle, DramCycle> && !Adds<Cycle, L2Cycle>);
static_assert(Compares<Cycle, Cycle> && !Compares<Cycle, L2Cycle> && !Compares<L2Cycle, DramCycle>);
static_assert(Converts<ClockRatio<Cycle, L2Cycle>, Cycle> && !Converts<ClockRatio<Cycle, L2Cycle>, L2Cycle>);

TEST(Clocks, ConvertToTheEdgeBeforeOrAfter) {
  const ClockRatio<Cycle, L2Cycle> to_l2(1'500, 1'000);
  EXPECT_EQ(to_l2.up(Cycle(3)), L2Cycle(2));
  EXPECT_EQ(to_l2.down(Cycle(4)), L2Cycle(2));
  EXPECT_EQ(to_l2.up(Cycle(4)), L2Cycle(3));
  EXPECT_EQ(to_l2.inverse().up(L2Cycle(3)), Cycle(5));
  EXPECT_EQ(to_l2.inverse().down(L2Cycle(3)), Cycle(4));
}

TEST(Clocks, StayExactFarOutAndNeverStaysNever) {
  const ClockRatio<L2Cycle, DramCycle> to_dram(1'597'000'000, 3'201'000'000);
  const L2Cycle far(std::uint64_t{1'597'000'000} * 4'000'000'000);
  EXPECT_EQ(to_dram.up(far), DramCycle(std::uint64_t{3'201'000'000} * 4'000'000'000));
  EXPECT_EQ(to_dram.up(L2Cycle::max()), DramCycle::max());
  EXPECT_EQ(to_dram.down(L2Cycle::max()), DramCycle::max());
}

}  // namespace
}  // namespace sassim::arch
