// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>

namespace sassim::arch::test {

/// The value lies within `tolerance` of what was published, as a part of that.
inline void expect_within(double value, double expected, double tolerance, const char* source) {
  EXPECT_NEAR(value, expected, std::fabs(expected) * tolerance) << source;
}

}  // namespace sassim::arch::test
