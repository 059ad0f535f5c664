// SPDX-License-Identifier: Apache-2.0
#include "sim/base/default_float.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace sassim {
namespace {

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

}  // namespace
}  // namespace sassim
