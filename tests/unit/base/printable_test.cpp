// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

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

}  // namespace
}  // namespace sassim
