// SPDX-License-Identifier: Apache-2.0
#include "sim/base/number_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/error.h"

namespace sassim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> list(std::string_view text) { return parse_number_list(text, "--alpha"); }

std::string refusal(std::string_view text) {
  try {
    list(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NumberList, TakesNumbersAndRangesMixed) {
  EXPECT_THAT(list("1,2,8"), ElementsAre(1, 2, 8));
  EXPECT_THAT(list("4..16:4"), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(list("0,4..9:4,0.5"), ElementsAre(0, 4, 8, 0.5));
  EXPECT_THAT(list("8..2:-3"), ElementsAre(8, 5, 2));
  EXPECT_THAT(list("1..40:*3"), ElementsAre(1, 3, 9, 27));
  EXPECT_THAT(list("7..7:1"), ElementsAre(7));
}

TEST(NumberList, IncludesAnEndThatIsNotExactInBinary) { EXPECT_THAT(list("0..0.3:0.1"), ::testing::SizeIs(4)); }

TEST(NumberList, GoesOnAsTheNumbersBeforeBegan) {
  EXPECT_THAT(list("0,1,2,4..32"), ElementsAre(0, 1, 2, 4, 8, 16, 32));
  EXPECT_THAT(list("0,4,8..20"), ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_THAT(list("2..5"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(refusal("1,2,7..512"), HasSubstr("needs a :STEP"));
}

TEST(NumberList, TakesInfinity) { EXPECT_TRUE(std::isinf(list("inf").front())); }

TEST(NumberList, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "1,", "a", "1..", "..3", "1..2:", "1..2:x", "1 2", "1..8:0", "1..8:-1", "0..8:*2",
                           "1..8:*1", "inf..8:1", "1..inf:1", "nan", "0..1e300:1", "1e15..1e16"})
    EXPECT_THAT(refusal(text), HasSubstr("--alpha: ")) << text;
}

TEST(NumberList, NamesTheItemThatIsWrong) {
  EXPECT_THAT(refusal("1,2x,3"), HasSubstr("'2x' in '1,2x,3' is no number"));
}

TEST(IntegerList, TakesWholeNumbersFromTheLeast) {
  EXPECT_THAT(parse_integer_list("4..12:4", "--warps", 1), ElementsAre(4, 8, 12));
  EXPECT_THROW(parse_integer_list("0", "--warps", 1), UsageError);
  EXPECT_THROW(parse_integer_list("1.5", "--warps", 1), UsageError);
  EXPECT_THROW(parse_integer_list("inf", "--warps", 1), UsageError);
}

}  // namespace
}  // namespace sassim
