// SPDX-License-Identifier: Apache-2.0
// Campaigns whose worker is a script: `point FOLDER KEY --parent PID`.
#include "sim/campaign/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/campaign/campaign_folder.h"
#include "sim/config/gpu_config.h"
#include "tests/support/test_folder.h"

namespace sassim::campaign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CampaignTest : public ::testing::Test {
 protected:
  /// `body` is shell; $content is the point's own, and `finish` leaves its result.
  void worker(const std::string& body) {
    const std::string file = folder_ / "worker";
    std::ofstream(file) << "#!/bin/sh\n"
                           "campaign=$2/campaign\n"
                           "content=$(sed -n 's/.*\"content\": \"\\(.*\\)\".*/\\1/p' $campaign/points/$3.json)\n"
                           "finish() { echo \"{\\\"was\\\": \\\"$content\\\"}\" > $campaign/results/$3.json; }\n"
                           "echo $content >> $2/ran\n"
                        << body << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    options_.program = file;
    options_.folder = folder_.path();
    options_.jobs = 2;
    options_.tell = [this](const std::string& line) { told_ += line + "\n"; };
  }
  static std::vector<Point> points(const std::vector<std::string>& contents) {
    const auto gpu = std::make_shared<config::GpuConfig>();
    std::vector<Point> all;
    for (const std::string& content : contents) all.push_back({"script", gpu, "", content, "point " + content});
    return all;
  }
  std::vector<std::string> ran() {
    std::ifstream in(folder_ / "ran");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  TestFolder folder_;
  CampaignOptions options_;
  std::string told_;
};

const std::string kFinish = "finish x x $3";

TEST_F(CampaignTest, ResultsComeInTheOrderOfThePoints) {
  worker(kFinish);
  const CampaignOutcome outcome = run_campaign(points({"c", "a", "b"}), options_);
  ASSERT_EQ(outcome.points.size(), 3u);
  const char* expected[] = {"c", "a", "b"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outcome.points[i].state, PointState::done);
    EXPECT_EQ(nlohmann::json::parse(outcome.points[i].result).at("was"), expected[i]);
  }
  EXPECT_EQ(outcome.ran, 3u);
  EXPECT_FALSE(outcome.interrupted);
}

TEST_F(CampaignTest, FinishedPointsAreNotRunAgain) {
  worker(kFinish);
  run_campaign(points({"a", "b"}), options_);
  const CampaignOutcome again = run_campaign(points({"b", "c", "a"}), options_);
  EXPECT_EQ(again.ran, 1u);
  EXPECT_EQ(again.reused, 2u);
  EXPECT_THAT(ran(), ElementsAre("a", "b", "c"));
}

TEST_F(CampaignTest, EqualPointsRunOnce) {
  worker(kFinish);
  const CampaignOutcome outcome = run_campaign(points({"a", "a", "a"}), options_);
  EXPECT_EQ(outcome.points.size(), 3u);
  EXPECT_EQ(outcome.points[2].state, PointState::done);
  EXPECT_EQ(outcome.ran, 1u);
  EXPECT_THAT(ran(), ElementsAre("a"));
}

TEST_F(CampaignTest, AFailureIsReportedAndStopsNobody) {
  worker(
      "case $content in\n bad) echo 'sassim: what is wrong' >&2; exit 3;;\n worse) kill -9 $$;;\n"
      " odd) exit 0;;\nesac\n" +
      kFinish);
  const CampaignOutcome outcome = run_campaign(points({"bad", "good", "worse", "odd", "fine"}), options_);
  EXPECT_EQ(outcome.failed, 3u);
  EXPECT_EQ(outcome.ran, 2u);
  EXPECT_EQ(outcome.points[0].state, PointState::failed);
  EXPECT_EQ(outcome.points[0].error, "what is wrong");
  EXPECT_EQ(read_whole_file(outcome.points[0].log), "sassim: what is wrong\n");
  EXPECT_THAT(outcome.points[2].error, HasSubstr("killed by signal 9"));
  EXPECT_EQ(outcome.points[3].error, "ended with status 0 and no result");
  EXPECT_EQ(outcome.points[4].state, PointState::done);
  EXPECT_THAT(told_, HasSubstr("point bad failed: what is wrong (log: "));
}

TEST_F(CampaignTest, FailedPointsAreTriedAgain) {
  worker("[ -e $2/repaired ] || exit 3\n" + kFinish);
  EXPECT_EQ(run_campaign(points({"a"}), options_).failed, 1u);
  std::ofstream(folder_ / "repaired") << "yes";
  const CampaignOutcome again = run_campaign(points({"a"}), options_);
  EXPECT_EQ(again.failed, 0u);
  EXPECT_EQ(again.points[0].state, PointState::done);
}

TEST_F(CampaignTest, ADamagedResultIsRunAgain) {
  worker(kFinish);
  const CampaignOutcome first = run_campaign(points({"a"}), options_);
  const std::string file = folder_ / ("campaign/results/" + first.points[0].key + ".json");
  std::ofstream(file) << "{\"was\": \"b\"}\n";
  const CampaignOutcome again = run_campaign(points({"a"}), options_);
  EXPECT_EQ(again.ran, 1u);
  EXPECT_EQ(again.points[0].result, first.points[0].result);
  EXPECT_THAT(told_, HasSubstr("point a: its result has changed since the point finished"));
}

// Killed after the result had its name and before the journal knew.
TEST_F(CampaignTest, AResultThatTheJournalDoesNotKnowCounts) {
  worker(kFinish);
  const CampaignOutcome first = run_campaign(points({"a", "b"}), options_);
  for (const PointOutcome& point : first.points) CampaignFolder(folder_.path()).write_result(point.key, point.result);
  std::filesystem::remove(folder_ / "campaign/journal");
  const CampaignOutcome again = run_campaign(points({"a", "b"}), options_);
  EXPECT_EQ(again.reused, 2u);
  EXPECT_EQ(again.ran, 0u);
}

TEST_F(CampaignTest, AnEditedResultThatTheJournalDoesNotKnowIsRunAgain) {
  worker(kFinish);
  const CampaignOutcome first = run_campaign(points({"a", "b"}), options_);
  CampaignFolder(folder_.path()).write_result(first.points[0].key, first.points[0].result);  // b has no checksum at all
  std::ofstream(folder_ / ("campaign/results/" + first.points[0].key + ".json")) << "{\"was\": \"edited\"}\n";
  std::filesystem::remove(folder_ / "campaign/journal");
  const CampaignOutcome again = run_campaign(points({"a", "b"}), options_);
  EXPECT_EQ(again.ran, 2u);
  EXPECT_EQ(again.points[0].result, first.points[0].result);
  EXPECT_THAT(told_, HasSubstr("point a: its result has changed since the point finished"));
}

TEST_F(CampaignTest, AnInterruptStopsCleanly) {
  worker("[ $content = slow ] && { kill -INT $5; sleep 60; }\n" + kFinish);
  options_.jobs = 1;
  const CampaignOutcome outcome = run_campaign(points({"a", "slow", "b"}), options_);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(outcome.points[0].state, PointState::done);
  EXPECT_EQ(outcome.points[1].state, PointState::missing);
  EXPECT_EQ(outcome.points[2].state, PointState::missing);
  worker(kFinish);
  EXPECT_EQ(run_campaign(points({"a", "slow", "b"}), options_).ran, 2u);
}

TEST_F(CampaignTest, TwoAtOnceInOneFolderAreRefused) {
  worker(kFinish);
  options_.tell = {};
  std::string second;
  options_.progress = [&](const CampaignProgress&) {
    CampaignOptions other = options_;
    other.progress = {};
    try {
      run_campaign(points({"b"}), other);
    } catch (const InputError& error) {
      second = error.what();
    }
  };
  run_campaign(points({"a"}), options_);
  EXPECT_THAT(second, HasSubstr("works on this folder already"));
}

TEST_F(CampaignTest, NeverMoreAtATimeThanMemoryHasRoomFor) {
  worker(kFinish);
  options_.jobs = 4;
  options_.memory = 1;  // not even one fits: one at a time all the same
  std::size_t most = 0;
  options_.progress = [&](const CampaignProgress& now) { most = std::max(most, now.running); };
  const CampaignOutcome outcome = run_campaign(points({"a", "b", "c"}), options_);
  EXPECT_EQ(outcome.ran, 3u);
  EXPECT_EQ(most, 1u);
  EXPECT_THAT(told_, HasSubstr("memory has room for 1 of 3 points at a time"));
}

TEST_F(CampaignTest, AnUnknownExecutorIsNamed) {
  worker(kFinish);
  options_.executor = "slrum";
  EXPECT_THROW(run_campaign(points({"a"}), options_), UsageError);
}

}  // namespace
}  // namespace sassim::campaign
