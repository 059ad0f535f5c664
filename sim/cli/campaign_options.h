// SPDX-License-Identifier: Apache-2.0
// --out, --jobs, --executor and the rest, as every command has them that runs many points.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/study/campaign.h"

namespace CLI {
class App;
}

namespace sassim::cli {

class CampaignCommand {
 public:
  /// Adds the options. The object must outlive the parsing.
  void add_to(CLI::App& command);

  const std::string& out() const { return options_.folder; }

  using Partial = std::function<void(const study::CampaignOutcome&)>;
  /// Runs the points, with a progress line on a terminal and failures on standard error as they happen; `name` is the
  /// command's. When a signal stops it (Ctrl-C), it says how to go on, has `partial` write the points that are done,
  /// and ends the process as the signal does.
  study::CampaignOutcome run(const std::string& name, const std::vector<study::Point>& points, const Partial& partial);

 private:
  study::CampaignOptions options_;
  std::string memory_;
};

}  // namespace sassim::cli
