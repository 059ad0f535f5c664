// SPDX-License-Identifier: Apache-2.0
// The lines of a campaign's journal, as those who go on with it read them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sassim::study {

/// What a line has not is empty or zero.
struct CampaignEvent {
  std::string kind;      ///< "begin", "done", "submitting", ...
  std::string key, sum;  ///< of a finished point: its name and its result's checksum
  std::string name, job;
  std::size_t tasks = 0;  ///< of the job array
};

/// Slurm's own limit is below this; a line that says more is damaged.
inline constexpr std::size_t kMostTasks = 10'000'000;

/// Lines that are no events are left out: what they told is found out again.
std::vector<CampaignEvent> read_events(const std::vector<std::string>& lines);

}  // namespace sassim::study
