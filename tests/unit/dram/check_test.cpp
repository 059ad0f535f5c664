// SPDX-License-Identifier: Apache-2.0
// Values of `memory.dram` that do not fit each other are refused by the model that reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DramCheck, DramTimingsMustAgree) {
  EXPECT_THAT(problems("memory: {dram: {tRC: 10}}"), HasSubstr("memory.dram.tRC: 10 is below tRAS = 34"));
  EXPECT_THAT(problems("memory: {dram: {tRFC: 4000}}"), HasSubstr("leaves no time between refreshes"));
}

TEST(DramCheck, AModelChecksOnlyWhatItReads) {
  EXPECT_THAT(problems("memory: {dram: {model: fixed, tRC: 10, tRFC: 4000, bank_groups: 17}}"), IsEmpty());
}

TEST(DramCheck, ABankHasTimeForAnAccessBetweenTwoRefreshes) {
  const std::string fits = "tRFC + tRCD + tRAS + tRP + tRRDL = 260 + 14 + 34 + 14 + 6";
  EXPECT_THAT(problems("memory: {dram: {tREFI: 329}}"), IsEmpty()) << fits;
  EXPECT_THAT(problems("memory: {dram: {tREFI: 328}}"),
              HasSubstr("memory.dram.tRFC: 260 leaves no time between refreshes (tREFI = 328)"))
      << fits;
  EXPECT_THAT(problems("memory: {dram: {tRCD: 3585}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {tRCD: 3586}}"), HasSubstr("expected at most 3585, or memory.dram.tREFI = 0"));
  EXPECT_THAT(problems("memory: {dram: {tRCD: 4096, tREFI: 0}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {tRCD: 4096, refresh: none}}"), IsEmpty());
  // A bank in turn: each once in all 16 turns.
  EXPECT_THAT(problems("memory: {dram: {refresh: per_bank, tRFCpb: 3819}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {refresh: per_bank, tRFCpb: 3820}}"), HasSubstr("memory.dram.tRFCpb: 3820"));
}

TEST(DramCheck, PairsOfBanksNeedPairsOfBankGroups) {
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, bank_groups: 1, tRFCpb: 20}}"),
              HasSubstr("memory.dram.bank_groups: 1 is odd, and memory.dram.refresh = bank_pairs needs pairs"));
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, refresh_skew: 500}}"),
              HasSubstr("memory.dram.refresh_skew: 500 is more than the 487 cycles"));
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, refresh_skew: 487}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {refresh: bank_pairs, bank_groups: 1, tREFI: 0}}"), IsEmpty());
}

TEST(DramCheck, AChannelHasAtMost64Banks) {
  EXPECT_THAT(problems("memory: {dram: {bank_groups: 16}}"), IsEmpty());
  EXPECT_THAT(problems("memory: {dram: {bank_groups: 17}}", {"dram.bank_groups=17"}),
              HasSubstr("memory.dram.bank_groups: bank_groups x banks_per_group = 17 x 4 are more than 64 banks; at "
                        "most 16 fit"));
}

}  // namespace
}  // namespace sassim::config
