// SPDX-License-Identifier: Apache-2.0
// Eight sums of a tensor core at once have the bits of one at a time, whatever the factors are.
#include "sim/emu/exec/tensor_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"

namespace sassim::emu {
namespace {

using Random = std::mt19937;
using Factor = std::function<float(Random&)>;

std::uint16_t bits16(Random& random) { return static_cast<std::uint16_t>(random()); }
float integer(Random& random) { return static_cast<float>(random() % 17) - 8; }
/// A half of any finite value, also a subnormal one.
float any_half(Random& random) { return half_to_float(static_cast<std::uint16_t>(bits16(random) & 0xbbff)); }
float near_one(Random& random) {
  return half_to_float(static_cast<std::uint16_t>((bits16(random) & 0x83ffu) | (12 + random() % 8) << 10));
}
float bfloat(Random& random) {
  return bfloat_to_float(static_cast<std::uint16_t>((bits16(random) & 0x807fu) | (111 + random() % 32) << 7));
}
float mostly_zero(Random& random) { return random() % 3 == 0 ? integer(random) : random() % 2 == 0 ? 0.0f : -0.0f; }

struct Tile {
  float a[8][16], b[8][16], c[8];
};

Tile tile(Random& random, const Factor& factor, bool half) {
  Tile t;
  for (auto& row : t.a)
    for (float& x : row) x = factor(random);
  for (auto& column : t.b)
    for (float& x : column) x = factor(random);
  for (float& x : t.c) {
    const float scaled =
        std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())), -static_cast<int>(random() % 60));
    x = random() % 4 == 0 ? -0.0f : half ? any_half(random) : scaled;
  }
  return t;
}

struct Compared {
  int equal = 0, left = 0, different = 0;  ///< left: to the general form
};

/// A half is compared as it is written to the register.
void compare(const DotProduct& dot, const Tile& t, int depth, Compared& compared) {
  TensorFactors a, b;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < depth; ++k) a.factor[k][i] = t.a[i][k], b.factor[k][i] = t.b[i][k];
  ASSERT_TRUE(a.prepare(depth) && b.prepare(depth));
  const auto bits = [&](float x) { return dot.half_result ? float_to_half(x) : std::bit_cast<std::uint32_t>(x); };
  constexpr unsigned kRows = 0b10110111;
  float results[8][8];
  for (auto& row : results) std::copy_n(t.c, 8, row);
  const unsigned left = multiply_rows(dot, a, b, depth, kRows, results);
  EXPECT_EQ(left & ~kRows, 0u);
  for (int row = 0; row < 8; ++row) {
    const bool added = ((kRows & ~left) >> row & 1) != 0;
    compared.left += static_cast<int>(left >> row & 1);
    for (int i = 0; i < 8; ++i) {
      const float expected = added ? dot(t.a[row], t.b[i], depth, t.c[i]) : t.c[i];
      if (added || bits(results[row][i]) != bits(expected))
        ++(bits(results[row][i]) == bits(expected) ? compared.equal : compared.different);
    }
  }
}

/// Lane 8 * row + i of half a tile, and then of the other half, has the factors of row and column i.
void compare_lanes(const DotProduct& dot, const Tile& t, Compared& compared) {
  const auto bits = [&](float x) { return dot.half_result ? float_to_half(x) : std::bit_cast<std::uint32_t>(x); };
  for (const int first : {0, 4}) {
    QuadElements of_a, of_b;
    QuadPlaces places;
    float results[32];
    for (int lane = 0; lane < 32; ++lane) {
      for (int k = 0; k < kQuadDepth; ++k) {
        of_a[k][31 - lane] = t.a[first + lane / 8][k], of_b[k][31 - lane] = t.b[lane % 8][k];
        places[static_cast<std::size_t>(k) * 32 + static_cast<std::size_t>(lane)] =
            static_cast<std::uint8_t>(k * 32 + 31 - lane);
      }
      results[lane] = t.c[lane % 8];
    }
    LaneFactors a, b;
    ASSERT_TRUE(a.pick(of_a, places) && b.pick(of_b, places));
    const std::uint32_t left = multiply_lanes(dot, a, b, results);
    for (int lane = 0; lane < 32; ++lane) {
      const bool added = (left >> lane & 1) == 0;
      compared.left += added ? 0 : 1;
      const float expected =
          added ? dot(t.a[first + lane / 8], t.b[lane % 8], kQuadDepth, t.c[lane % 8]) : t.c[lane % 8];
      if (added || bits(results[lane]) != bits(expected))
        ++(bits(results[lane]) == bits(expected) ? compared.equal : compared.different);
    }
  }
}

class TensorLanes : public testing::TestWithParam<std::pair<const char*, Factor>> {};

TEST_P(TensorLanes, AreTheSumsOneByOne) {
  Random random(7);
  Compared compared;
  for (const int group : {4, 8, 16})
    for (const int extra : {0, 1, 2})
      for (const bool half : {false, true})
        for (const int depth : {4, 8, 16})
          for (int n = 0; n < 60; ++n)
            compare({{group, extra}, half}, tile(random, GetParam().second, half), depth, compared);
  EXPECT_EQ(compared.different, 0);
  EXPECT_GT(compared.equal, 20 * 8 * compared.left / 2);  // nearly all
}

TEST_P(TensorLanes, OfQuadPairsToo) {
  Random random(8);
  Compared compared;
  for (const int extra : {0, 1, 2})
    for (const bool half : {false, true})
      for (int n = 0; n < 200; ++n) compare_lanes({{4, extra}, half}, tile(random, GetParam().second, half), compared);
  EXPECT_EQ(compared.different, 0);
  EXPECT_GT(compared.equal, 20 * compared.left / 2);
}

INSTANTIATE_TEST_SUITE_P(Factors, TensorLanes,
                         testing::Values(std::pair<const char*, Factor>("integers", integer),
                                         std::pair<const char*, Factor>("halves", any_half),
                                         std::pair<const char*, Factor>("near_one", near_one),
                                         std::pair<const char*, Factor>("bfloats", bfloat),
                                         std::pair<const char*, Factor>("zeros", mostly_zero)),
                         [](const auto& test) { return test.param.first; });

/// The host's own conversions, where it has them: any two halves, NaNs and subnormal ones among them.
TEST(HalfLanes, AreTheHalvesOneByOne) {
  Random random(11);
  const auto half = [](std::uint32_t pair, unsigned upper) { return static_cast<std::uint16_t>(pair >> (16 * upper)); };
  for (int n = 0; n < 20'000; ++n) {
    std::uint32_t a[32], b[32], c[32], sums[32], products[32], fused[32];
    for (auto* words : {a, b, c})
      for (int i = 0; i < 32; ++i) words[i] = static_cast<std::uint32_t>(random());
    // Sums that are nearly 0, and ties.
    for (int i = 0; i < 8; ++i) c[i] = a[i] ^ (0x80008000u | (random() & 0x00030003u));
    for (int i = 0; i < 8; ++i) b[i] = n % 2 == 0 ? 0x3c013c00u : 0x14003c01u;
    add_f16x2(a, b, sums);
    mul_f16x2(a, b, products);
    fma_f16x2(a, b, c, fused);
    for (int i = 0; i < 32; ++i)
      for (const unsigned upper : {0u, 1u}) {
        const std::uint16_t x = half(a[i], upper), y = half(b[i], upper), z = half(c[i], upper);
        ASSERT_EQ(half(sums[i], upper), fma_half(x, 0x3c00, y)) << x << " + " << y;
        ASSERT_EQ(half(products[i], upper), float_to_half(half_to_float(x) * half_to_float(y))) << x << " * " << y;
        ASSERT_EQ(half(fused[i], upper), fma_half(x, y, z)) << x << " * " << y << " + " << z;
      }
  }
}

TEST(HalfLanes, BecomeFloatsAndHalvesAgain) {
  for (std::uint32_t first = 0; first < 0x10000; first += 32) {
    std::uint32_t words[32], again[32];
    for (std::uint32_t i = 0; i < 32; ++i) words[i] = (first + i) | (0xffff - first - i) << 16;
    float lower[32], upper[32];
    floats_of_halves(words, lower, upper);
    halves_of_floats(lower, upper, again);
    for (int i = 0; i < 32; ++i)
      for (const unsigned of_upper : {0u, 1u}) {
        const auto half = static_cast<std::uint16_t>(words[i] >> (16 * of_upper));
        const float expected = half_to_float(half), found = of_upper != 0 ? upper[i] : lower[i];
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(found)) << half;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected)) << half;
          ASSERT_EQ(again[i] >> (16 * of_upper) & 0xffff, half);
        }
      }
  }
}

TEST(TensorLanes, LeaveWhatIsNoNumberToTheGeneralForm) {
  TensorFactors factors;
  for (auto& lines : factors.factor) std::fill_n(lines, 8, 1.0f);
  factors.factor[2][5] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(factors.prepare(4));
  EXPECT_TRUE(factors.prepare(2));
  factors.factor[2][5] = 1;
  ASSERT_TRUE(factors.prepare(4));
  for (const float no_number : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    float results[8][8] = {{1, 2, 3, no_number, 5, 6, 7, 8}};
    EXPECT_EQ(multiply_rows({{4, 0}, false}, factors, factors, 4, 0b11, results), 0b01u);
    EXPECT_EQ(results[0][0], 1);
    EXPECT_EQ(results[1][0], 4);
  }
}

TEST(TensorLanes, LeaveTheLanesBesideOneWithoutANumber) {
  QuadElements ones;
  for (auto& row : ones) std::fill_n(row, 32, 1.0f);
  LaneFactors factors;
  ASSERT_TRUE(factors.pick(ones, QuadPlaces{}));
  float results[32] = {};
  results[13] = std::nanf("");
  EXPECT_EQ(multiply_lanes({{4, 0}, false}, factors, factors, results), 0xff00u);
  EXPECT_EQ(results[7], 4);
  EXPECT_EQ(results[8], 0);
}

/// A sum of equal products: whether the fast form adds it. It has the bits of the general form then, and else is left
/// as it was.
bool adds(const DotProduct& dot, int depth, float factor, float sum) {
  TensorFactors factors;
  for (auto& lines : factors.factor) std::fill_n(lines, 8, factor);
  EXPECT_TRUE(factors.prepare(depth));
  float results[8][8];
  std::fill_n(&results[0][0], 64, sum);
  const bool added = multiply_rows(dot, factors, factors, depth, 1, results) == 0;
  std::vector<float> line(static_cast<std::size_t>(depth), factor);
  const float expected = added ? dot(line.data(), line.data(), depth, sum) : sum;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(results[0][0]), std::bit_cast<std::uint32_t>(expected));
  return added;
}

TEST(TensorLanes, KnowTheirLimits) {
  constexpr float kBelowTwo = 2047.0f / 1024, kMost = std::numeric_limits<float>::max();
  EXPECT_TRUE(adds({{16, 2}, false}, 16, kBelowTwo, 0));
  EXPECT_FALSE(adds({{16, 2}, false}, 16, kBelowTwo, std::bit_cast<float>(0x3fffffffu))) << "more than 32 bits";
  EXPECT_TRUE(adds({{8, 2}, false}, 8, kBelowTwo, std::bit_cast<float>(0x3fffffffu)));
  EXPECT_TRUE(adds({{16, 2}, false}, 16, 0x1p40f, kMost));
  EXPECT_TRUE(adds({{16, 2}, false}, 16, 0x1.8p50f, kMost)) << "products are below its last bit";
  EXPECT_FALSE(adds({{4, 0}, false}, 4, 0, 0x1.2345p-120f)) << "too small to be scaled";
  EXPECT_TRUE(adds({{4, 0}, false}, 4, 0, 0x1.2345p-99f));
  EXPECT_FALSE(adds({{4, 0}, false}, 4, 0, 0x1p-140f)) << "subnormal";
  EXPECT_TRUE(adds({{4, 0}, false}, 4, 1, 0x1p-140f));
  EXPECT_FALSE(adds({{4, 0}, false}, 4, 1, std::numeric_limits<float>::infinity()));
}

TEST(TensorLanes, LeaveFactorsFarFromOneToTheGeneralForm) {
  TensorFactors factors;
  for (const auto& [factor, usual] : {std::pair(0x1p50f, true), std::pair(0x1p51f, false), std::pair(0x1p-50f, true),
                                      std::pair(0x1p-51f, false), std::pair(0.0f, true)}) {
    for (auto& lines : factors.factor) std::fill_n(lines, 8, factor);
    EXPECT_EQ(factors.prepare(4), usual) << factor;
  }
}

}  // namespace
}  // namespace sassim::emu
