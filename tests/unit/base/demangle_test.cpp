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

}  // namespace
}  // namespace sassim
