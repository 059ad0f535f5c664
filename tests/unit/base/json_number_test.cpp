// SPDX-License-Identifier: Apache-2.0
#include "sim/base/json_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sassim {
namespace {

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

}  // namespace
}  // namespace sassim
