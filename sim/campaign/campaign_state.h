// SPDX-License-Identifier: Apache-2.0
// The record of which points of a campaign are done, failed or open, for run_locally() and run_on_slurm(), which
// simulate the open ones.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/base/child_process.h"
#include "sim/base/stop_signals.h"
#include "sim/campaign/campaign.h"
#include "sim/campaign/campaign_folder.h"
#include "sim/campaign/journal.h"
#include "sim/campaign/memory_budget.h"

namespace sassim::campaign {

class CampaignState {
 public:
  CampaignState(const std::vector<Point>& points, const CampaignOptions& options);

  const CampaignOptions& options() const { return options_; }
  const CampaignFolder& folder() const { return folder_; }
  Journal& journal() { return journal_; }
  const Point& point(const std::string& key) const { return *by_key_.at(key); }
  bool knows(const std::string& key) const { return by_key_.contains(key); }
  /// One key per given point.
  const std::vector<std::string>& keys() const { return keys_; }
  /// True if the point is neither done nor failed in this run.
  bool open(const std::string& key) const { return states_.at(key) == PointState::missing; }
  /// The open points, in order.
  std::vector<std::string> todo() const;
  /// Counts of points: those that were done before this run, and those that failed or were simulated in it.
  std::size_t reused() const { return reused_; }
  std::size_t failed() const { return failed_; }
  std::size_t ran() const { return ran_; }

  /// Looks for the point's result or failure. Returns true and writes an event to the journal if there is one.
  bool settle(const std::string& key);
  /// Like the function above, after the point's worker has ended; `end` has its time and memory. A worker that ended
  /// without a result has failed.
  void settle(const std::string& key, const ProcessEnd& end);
  /// Records that the point failed.
  void fail(const std::string& key, const Failure& failure);

  /// Appends an event to the journal.
  void note(const nlohmann::ordered_json& event);
  /// Passes a line for the user to CampaignOptions::tell.
  void tell(const std::string& line) const;
  /// `asked`: the user asked for a snapshot.
  void show_progress(std::size_t running, bool asked) const;

 private:
  void finish(const std::string& key, const nlohmann::ordered_json& details);

  const CampaignOptions& options_;
  CampaignFolder folder_;
  Journal journal_;
  std::vector<std::string> keys_;
  std::map<std::string, const Point*> by_key_;
  std::map<std::string, PointState> states_;
  std::size_t reused_ = 0, ran_ = 0, failed_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// The command line of a worker.
std::vector<std::string> worker_command(const std::string& program, const CampaignFolder& folder,
                                        const std::string& key);

/// Why a worker left no result: the last line of its log.
Failure failure_of(const CampaignFolder& folder, const std::string& key, const ProcessEnd& end);

/// Simulate the open points, on this machine or by Slurm, until all have ended or a signal asks for a stop.
void run_locally(CampaignState& campaign, StopSignals& stop);
void run_on_slurm(CampaignState& campaign, StopSignals& stop);

}  // namespace sassim::campaign
