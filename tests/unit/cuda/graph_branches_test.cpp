// SPDX-License-Identifier: Apache-2.0
// Which steps of a graph form a branch.
#include "sim/cuda/graph_branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sassim::cuda {
namespace {

using testing::ElementsAre;

TEST(GraphBranches, AChainIsOneBranch) { EXPECT_THAT(branches_of({{}, {0}, {1}, {2}}), ElementsAre(0, 0, 0, 0)); }

TEST(GraphBranches, StepsThatDoNotDependOnEachOtherAreInSeveral) {
  EXPECT_THAT(branches_of({{}, {}, {}}), ElementsAre(0, 1, 2));
}

TEST(GraphBranches, AForkContinuesOneBranchAndAJoinTheFirst) {
  EXPECT_THAT(branches_of({{}, {0}, {0}, {0}, {1, 2, 3}, {4}}), ElementsAre(0, 0, 1, 2, 0, 0));
}

TEST(GraphBranches, BranchesThatHaveEndedAreUsedAgain) {
  EXPECT_THAT(branches_of({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}), ElementsAre(0, 0, 1, 0, 0, 1, 0));
  EXPECT_THAT(branches_of({{}, {}, {0}, {0}}), ElementsAre(0, 1, 0, 2)) << "branch 1 may still run";
}

}  // namespace
}  // namespace sassim::cuda
