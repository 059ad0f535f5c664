// SPDX-License-Identifier: Apache-2.0
#include "sim/base/demangle.h"

#include <gtest/gtest.h>

namespace sassim {
namespace {

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

}  // namespace
}  // namespace sassim
