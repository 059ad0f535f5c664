// SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/errors.h"

#include <gtest/gtest.h>

#include <thread>

namespace sassim::cuda {
namespace {

TEST(LastError, IsReadOnceAndKeptPerThread) {
  remember(kInvalidValue);
  remember(kSuccess);
  EXPECT_EQ(last_error(false), kInvalidValue) << "a success does not clear it";
  std::thread([] { EXPECT_EQ(last_error(true), kSuccess); }).join();
  EXPECT_EQ(last_error(true), kInvalidValue);
  EXPECT_EQ(last_error(true), kSuccess);
}

TEST(LastError, AStickyErrorIsItOnceACallHasReturnedIt) {
  set_sticky(kIllegalAddress);
  EXPECT_EQ(last_error(true), kSuccess);
  remember(sticky());
  EXPECT_EQ(last_error(true), kIllegalAddress);
  EXPECT_EQ(last_error(true), kSuccess);
  EXPECT_EQ(sticky(), kIllegalAddress);
  set_sticky(kSuccess);
}

TEST(ErrorText, NamesKnownAndUnknownCodes) {
  EXPECT_STREQ(error_text(kIllegalAddress).name, "cudaErrorIllegalAddress");
  EXPECT_STREQ(error_text(static_cast<Result>(4711)).name, "unrecognized error code");
}

}  // namespace
}  // namespace sassim::cuda
