// SPDX-License-Identifier: Apache-2.0
#include "sim/config/units.h"

#include <gtest/gtest.h>

namespace sassim::config {
namespace {

std::uint64_t value(const char* text, Unit unit) {
  std::uint64_t result = 0;
  EXPECT_EQ(parse_quantity(text, unit, result), "") << text;
  return result;
}

bool refused(const char* text, Unit unit) {
  std::uint64_t result = 0;
  return !parse_quantity(text, unit, result).empty();
}

TEST(Units, SizesAreBinary) {
  EXPECT_EQ(value("64KiB", Unit::bytes), 65536u);
  EXPECT_EQ(value("64 KiB", Unit::bytes), 65536u);
  EXPECT_EQ(value("1.5MiB", Unit::bytes), 1572864u);
  EXPECT_EQ(value("100000", Unit::bytes), 100000u);
  EXPECT_EQ(value("7B", Unit::bytes), 7u);
  EXPECT_TRUE(refused("1.3B", Unit::bytes));
  EXPECT_TRUE(refused("1e3", Unit::bytes));
  EXPECT_TRUE(refused("0x40", Unit::bytes));
  EXPECT_TRUE(refused("99999999999GiB", Unit::bytes));
}

TEST(Units, ClocksAreExact) {
  EXPECT_EQ(value("1.38GHz", Unit::hertz), 1'380'000'000u);
  EXPECT_EQ(value("877.5MHz", Unit::hertz), 877'500'000u);
  EXPECT_TRUE(refused("1590", Unit::hertz));
  EXPECT_TRUE(refused("1.0000000001GHz", Unit::hertz));
}

TEST(Units, MasksAreHexadecimal) {
  EXPECT_EQ(value("0x1ed5da", Unit::mask), 0x1ed5dau);
  EXPECT_EQ(value("0xffffffffffffffff", Unit::mask), ~0ull);
  EXPECT_EQ(value("12", Unit::mask), 12u);
  EXPECT_EQ(format_quantity(0x1ed5da, Unit::mask), "0x1ed5da");
  for (const char* text : {"0x", "0xg", "0x1 ", "0x-1", "ed5da", "0x10000000000000000"})
    EXPECT_TRUE(refused(text, Unit::mask)) << text;
}

TEST(Units, WhatIsPrintedReadsBackTheSame) {
  for (const std::uint64_t number :
       {0ull, 1ull, 1000ull, 1024ull, 1536ull, 47104ull, 6291456ull, 1590000000ull, 1234567891ull})
    for (const Unit unit : {Unit::bytes, Unit::hertz, Unit::cycles, Unit::count, Unit::mask})
      EXPECT_EQ(value(format_quantity(number, unit).c_str(), unit), number) << format_quantity(number, unit);
}

TEST(Units, LargestExactSuffixIsPrinted) {
  EXPECT_EQ(format_quantity(6u << 20, Unit::bytes), "6MiB");
  EXPECT_EQ(format_quantity(1'590'000'000, Unit::hertz), "1590MHz");
  EXPECT_EQ(format_quantity(100000, Unit::bytes), "100000");
}

}  // namespace
}  // namespace sassim::config
