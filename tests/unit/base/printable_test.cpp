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

}  // namespace
}  // namespace sassim
