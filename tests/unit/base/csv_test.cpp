// SPDX-License-Identifier: Apache-2.0
#include "sim/base/csv.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

TEST(Csv, PlainTextAndNumbersStay) {
  for (const char* text :
       {"", "plain", "a b", "-1.5", "+1.5", "-1e-300", "-0", "-inf", "1-2", "a=b", "a@b", "'", "\xc3\xa9"})
    EXPECT_EQ(csv_cell(text), text);
}

TEST(Csv, WhatASpreadsheetWouldRunGetsAQuoteInFront) {
  for (const char* text : {"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "-", "+", "@P0 EXIT", "\t=1",
                           "-1.5 MiB", "--1", "+-1",
                           "\xef\xbc\x9d"
                           "1",
                           "\xef\xbc\xa0x"})
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

}  // namespace
}  // namespace sassim
