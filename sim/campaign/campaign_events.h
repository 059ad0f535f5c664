// SPDX-License-Identifier: Apache-2.0
// The lines of a campaign's journal, parsed for a run that continues the campaign.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sassim::campaign {

/// A field that the line does not have is empty or zero.
struct CampaignEvent {
  std::string kind;       ///< "begin", "done", "submitting", ...
  std::string key, sum;   ///< of a finished point: its key and the checksum of its result
  std::string name, job;  ///< of a job array: the name that it was submitted with, and its number in Slurm
  std::size_t tasks = 0;  ///< number of tasks of the job array
};

/// Above Slurm's own limit; a line with a larger number is damaged.
inline constexpr std::size_t kMostTasks = 10'000'000;

/// Skips lines that are not events: the campaign finds out again what they said.
std::vector<CampaignEvent> read_events(const std::vector<std::string>& lines);

}  // namespace sassim::campaign
