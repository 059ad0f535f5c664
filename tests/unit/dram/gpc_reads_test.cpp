// SPDX-License-Identifier: Apache-2.0
// Code and constants: a slice counts a sector once for each GPC that reads it.
#include "arch/memory/gpc_reads.h"

#include <gtest/gtest.h>

namespace sassim::arch {
namespace {

TEST(GpcReads, ASectorIsNewToEachGpcOnce) {
  GpcReads reads;
  EXPECT_EQ(reads.first(0, 7, 0b0011), 0b0011);
  EXPECT_EQ(reads.first(0, 7, 0b0110), 0b0100);
  EXPECT_EQ(reads.first(0, 7, 0b0111), 0);
  EXPECT_EQ(reads.first(1, 7, 0b0011), 0b0011) << "another GPC";
  EXPECT_EQ(reads.first(0, 8, 0b0011), 0b0011) << "another line";
}

TEST(GpcReads, ALaunchReadsAllAgain) {
  GpcReads reads;
  reads.first(0, 7, 0b1111);
  reads.clear();
  EXPECT_EQ(reads.first(0, 7, 0b0001), 0b0001);
}

}  // namespace
}  // namespace sassim::arch
