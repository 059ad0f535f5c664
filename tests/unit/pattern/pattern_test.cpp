// SPDX-License-Identifier: Apache-2.0
#include "sim/pattern/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sim/base/error.h"

namespace sassim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string refused(const std::string& expression) {
  try {
    const Pattern pattern("--kernel", expression);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

double seconds(const std::string& expression, const std::string& text, bool expected) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Pattern("--kernel", expression).matches_in(text), expected) << expression.substr(0, 40);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Pattern, MatchesAPartOfTheText) {
  const std::string name = "void cub::scan<float, 4>(float const*, int)";
  for (const char* expression :
       {"scan", "^void", "int\\)$", "scan<.*, \\d>", "(sort|scan)", "fl[oa]{2}t", "\\bcub\\b", ""})
    EXPECT_TRUE(Pattern("", expression).matches_in(name)) << expression;
  for (const char* expression : {"^scan", "sort", "scan<int", "SCAN", "a{3}"})
    EXPECT_FALSE(Pattern("", expression).matches_in(name)) << expression;
  EXPECT_TRUE(Pattern("", "(?i)SCAN").matches_in(name));
  EXPECT_TRUE(
      Pattern("", "a").matches_in("\xff"
                                  "a"))
      << "names may hold any bytes";
}

TEST(Pattern, AWrongOneNamesThePlaceAndWhatIsAllowed) {
  EXPECT_THAT(refused("ab(c"), HasSubstr("--kernel 'ab(c' has a ( without its )"));
  EXPECT_THAT(refused("ab)c"), HasSubstr("has a ) without its ("));
  EXPECT_THAT(refused("ab[c"), HasSubstr("'[c' at byte 3: missing ]"));
  EXPECT_THAT(refused("xy**"), HasSubstr("'**' at byte 3: bad repetition operator"));
  EXPECT_THAT(refused("*x"), HasSubstr("'*' at byte 1: no argument for repetition operator"));
  EXPECT_THAT(refused("x(?=y)"), HasSubstr("'(?=' at byte 2: invalid perl operator"));
  EXPECT_THAT(refused("(x)\\1"), HasSubstr("'\\1' at byte 4: invalid escape sequence"));
  EXPECT_THAT(refused("x\\"), HasSubstr("ends with a \\"));
  EXPECT_THAT(refused("\xff"), HasSubstr("is not UTF-8"));
  for (const char* wrong : {"ab(c", "x(?=y)", "\xff"}) {
    EXPECT_THAT(refused(wrong), HasSubstr("; allowed are text, ."));
    EXPECT_THAT(refused(wrong), HasSubstr("back-references and look-around are not"));
    EXPECT_THAT(refused(wrong), Not(HasSubstr("\n")));
  }
}

TEST(Pattern, ALargeOneIsRefused) {
  EXPECT_THAT(refused(std::string(20'000, '(')), HasSubstr("20000 bytes, the longest allowed has 4096"));
  EXPECT_EQ(refused(std::string(Pattern::kLongest, 'x')), "accepted");
  EXPECT_TRUE(Pattern("", std::string(2'000, '(') + "x" + std::string(2'000, ')')).matches_in("axa"));
  EXPECT_THAT(refused("[^x]{0,900}x[^x]{0,900}"), HasSubstr("too large when its repetitions are written out"));
  EXPECT_LT(refused(std::string(4'000, '(')).size(), 500u) << "a long expression is cut in the message";
}

// std::regex takes exponential time for these, or recurses for each character of the text.
TEST(Pattern, TakesTimeThatIsLinearInTheText) {
  for (const char* expression : {"(.*)*z", "(a*)*z", "(a|a)*z", "(a|ab|b)*z", "(.*.*.*)*z", "(x+x+)+y"})
    EXPECT_LT(seconds(expression, std::string(1'000'000, 'a'), false), 5) << expression;
  EXPECT_LT(seconds("(a?){30}a{30}", std::string(30, 'a'), true), 1);
}

}  // namespace
}  // namespace sassim
