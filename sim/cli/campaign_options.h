// SPDX-License-Identifier: Apache-2.0
// --out, --jobs, --executor and the rest, as every command has them that runs many points.
#pragma once

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

  /// Runs the points, with a progress line on a terminal and failures on standard error as they happen; `name` is the
  /// command's. When Ctrl-C stops it, it says how to go on and ends the process as Ctrl-C does.
  study::CampaignOutcome run(const std::string& name, const std::vector<study::Point>& points);

 private:
  study::CampaignOptions options_;
  std::string memory_;
};

}  // namespace sassim::cli
