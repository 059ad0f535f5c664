// SPDX-License-Identifier: Apache-2.0
#include "sim/base/suggest.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

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
