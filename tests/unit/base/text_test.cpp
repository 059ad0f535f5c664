// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "sim/base/csv.h"
#include "sim/base/default_float.h"
#include "sim/base/demangle.h"
#include "sim/base/error.h"
#include "sim/base/json_number.h"
#include "sim/base/number_list.h"
#include "sim/base/printable.h"
#include "sim/base/suggest.h"

namespace sassim {
namespace {

TEST(Csv, PlainTextAndNumbersStay) {
  for (const char* text :
       {"", "plain", "a b", "-1.5", "+1.5", "-1e-300", "-0", "-inf", "1-2", "a=b", "a@b", "'", "\xc3\xa9"})
    EXPECT_EQ(csv_cell(text), text);
}

TEST(Csv, WhatASpreadsheetWouldRunGetsAQuoteInFront) {
  for (const char* text : {"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "-", "+", "@P0 EXIT", "\t=1",
                           "-1.5 MiB", "--1", "+-1", "\xef\xbc\x9d\x31", "\xef\xbc\xa0x"})
    EXPECT_EQ(csv_cell(text), "'" + std::string(text));
  EXPECT_EQ(csv_cell("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_cell("=a,b"), "\"'=a,b\"");
}

TEST(Csv, SeparatorsAndQuotesAreQuoted) {
  EXPECT_EQ(csv_cell("f(int, int)"), "\"f(int, int)\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(quoted_csv_cell("plain"), "\"plain\"");
  EXPECT_EQ(quoted_csv_cell("-1.5"), "\"-1.5\"");
  EXPECT_EQ(quoted_csv_cell("=1"), "\"'=1\"");
}

// Volatile, so that it is computed where it stands.
double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

class DefaultFloatTest : public ::testing::Test {
 protected:
  ~DefaultFloatTest() override { std::fesetenv(FE_DFL_ENV); }
  const double nearest_ = third();
};

TEST_F(DefaultFloatTest, ComputesAsByDefaultAndLeavesEverythingAsItWas) {
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  feenableexcept(FE_INEXACT);
  {
    const DefaultFloat scope;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(third(), nearest_) << "inexact, and nobody is killed";
    const DefaultFloat inner;
    EXPECT_EQ(fegetexcept(), 0);
  }
  EXPECT_EQ(fegetexcept(), FE_INEXACT);
  fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_OVERFLOW) << "what was computed inside raised nothing";
  EXPECT_NE(third(), nearest_) << "upwards again";
}

TEST_F(DefaultFloatTest, AFunctionThatIsCalledBackHasItsOwnState) {
  std::fesetround(FE_UPWARD);
  {
    const DefaultFloat scope, nested;
    {
      const CallerFloat back;
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
      std::fesetround(FE_DOWNWARD);
    }
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD) << "what it changed stays";
  const CallerFloat outside;
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
}

TEST(Demangle, NamesThatAreNotMangledStay) {
  EXPECT_EQ(demangled("_Z5saxpyf"), "saxpy(float)");
  EXPECT_EQ(demangled("saxpy"), "saxpy");
}

TEST(Demangle, ParametersAreCutBehindTheName) {
  EXPECT_EQ(without_parameters("saxpy(float)"), "saxpy");
  EXPECT_EQ(without_parameters("saxpy"), "saxpy");
  EXPECT_EQ(without_parameters("void (anonymous namespace)::adds<1>(float*, int)"), "void adds<1>");
  EXPECT_EQ(without_parameters("void sum<(int)4, pair<int, void (*)(int)> >(int*)"),
            "void sum<(int)4, pair<int, void (*)(int)> >");
}

// Each A<...> holds the one before it twice: 2^32 of them in 210 bytes.
TEST(Demangle, ANameThatStandsForGigabytesStaysMangled) {
  std::string name = "_Z1f1AIiiE";
  for (int i = 0; i < 32; ++i) {
    const std::string before = i == 0 ? "S0_" : std::string("S") + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] + "_";
    name += "S_I" + before + before + "E";
    if (i == 3) {
      EXPECT_EQ(demangled(name).substr(0, 20), "f(A<int, int>, A<A<i");
    }
  }
  EXPECT_EQ(demangled(name), name);
  EXPECT_EQ(demangled("_Z1f" + std::string(100'000, 'P') + "i").substr(0, 6), "_Z1fPP");
}

using Json = nlohmann::json;

TEST(JsonNumber, AWholeNumberThatFitsIsTaken) {
  EXPECT_EQ(whole_at<std::uint64_t>(Json::parse(R"({"n": 18446744073709551615})"), "n"), 18446744073709551615u);
  EXPECT_EQ(whole_number<std::uint32_t>(Json(4294967295u), "n"), 4294967295u);
  EXPECT_EQ(whole_number<std::uint32_t>(Json(7), "n"), 7u) << "signed";
  EXPECT_EQ(whole_or(Json::object(), "n", 5u), 5u);
}

TEST(JsonNumber, OtherNumbersAreRefused) {
  for (const char* text :
       {"1e300", "-1", "1.5", "4294967296", "1.0", "18446744073709551616", "\"7\"", "null", "[[7]]", "true"}) {
    try {
      whole_number<std::uint32_t>(Json::parse(text), "max_cycles");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("\"max_cycles\" is "));
      EXPECT_THAT(error.what(), ::testing::EndsWith("; expected a whole number from 0 to 4294967295"));
    }
  }
}

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

TEST(Printable, KeepsWhatCanBeShown) {
  for (const char* text : {"", "_Z6vecaddPKf", "a b", "caf\xc3\xa9", "\xe6\xa0\xb8", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[2J\nb\tc\x7f"), "a\\x1b[2J\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of two bytes";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of text";
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
}

TEST(Printable, EscapesWhatNobodySees) {
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right-to-left override";
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6") << "left-to-right isolate";
  EXPECT_EQ(printable("\xe2\x80\x8f"), "\\xe2\\x80\\x8f") << "right-to-left mark";
  EXPECT_EQ(printable("\xd8\x9c"), "\\xd8\\x9c") << "Arabic letter mark";
  EXPECT_EQ(printable("\xe2\x80\x8b"), "\\xe2\\x80\\x8b") << "zero-width space";
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\xef\\xbb\\xbf") << "byte-order mark";
  EXPECT_EQ(printable("\xc2\xad"), "\\xc2\\xad") << "soft hyphen";
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8") << "line separator";
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\\xf3\\xa0\\x81\\x81") << "tag character";
  for (const char* kept : {"\xd7\x90", "\xd8\xa7", "\xe2\x80\x90", "\xe2\x80\xa6", "\xc2\xae"})
    EXPECT_EQ(printable(kept), kept) << "letters of right-to-left scripts, hyphen, ellipsis";
}

TEST(Printable, InAJsonDocumentTheStringsAreEscaped) {
  EXPECT_EQ(printable_json("{\"a\": \"\xe2\x80\xae\\u001b\"}"), "{\"a\": \"\\\\xe2\\\\x80\\\\xae\\u001b\"}");
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3") << "cut off";
  EXPECT_EQ(printable("\xc3("), "\\xc3(") << "the second byte is none";
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "longer than needed";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(Printable, LinesStayLinesAndAreCut) {
  EXPECT_EQ(printable_lines("ab\ncd\x1b\n", 10), "ab\ncd\\x1b\n");
  EXPECT_EQ(printable_lines("abcdef\nabc", 3), "ab...f\nabc");
}

TEST(Suggest, CountsEdits) {
  EXPECT_EQ(edit_distance("latency", "latency"), 0);
  EXPECT_EQ(edit_distance("lantency", "latency"), 1);
  EXPECT_EQ(edit_distance("latnecy", "latency"), 1) << "neighbours swapped";
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Suggest, NamesTheClosestKnownWord) {
  EXPECT_EQ(did_you_mean("lantency", {"size", "latency", "ways"}), " (did you mean 'latency'?)");
  EXPECT_EQ(did_you_mean("colour", {"size", "latency", "ways"}), "");
  EXPECT_EQ(did_you_mean("lat", {"size", "latency", "ways"}), " (did you mean 'latency'?)") << "its beginning";
  EXPECT_EQ(did_you_mean("la", {"size", "latency", "ways"}), "") << "a beginning of two letters says too little";
  EXPECT_EQ(did_you_mean(std::string(100'000, 'l'), {"latency"}), "");
}

}  // namespace
}  // namespace sassim
