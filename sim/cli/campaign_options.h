// SPDX-License-Identifier: Apache-2.0
// The options --out, --jobs, --executor and others of the commands that run many simulations, `sassim explore` and
// `sweep`, and the run of these simulations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/campaign/campaign.h"

namespace CLI {
class App;
}

namespace sassim::cli {

class CampaignCommand {
 public:
  /// Adds the options. The object must exist until parsing has finished.
  void add_to(CLI::App& command);

  const std::string& out() const { return options_.folder; }

  using Partial = std::function<void(const campaign::CampaignOutcome&)>;
  /// Runs the points, with a progress line on a terminal, and reports failures on standard error when they happen.
  /// `name`: the command's name. If a signal stops the run (Ctrl-C), it says how to resume, calls `partial` to write
  /// the finished points, and ends the process by the signal.
  campaign::CampaignOutcome run(const std::string& name, const std::vector<campaign::Point>& points,
                                const Partial& partial);

 private:
  campaign::CampaignOptions options_;
  std::string memory_;
};

}  // namespace sassim::cli
