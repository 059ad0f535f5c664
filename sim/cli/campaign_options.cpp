// SPDX-License-Identifier: Apache-2.0
// Declares the options of `sassim explore` and `sweep` that say where points run; runs them.
#include "sim/cli/campaign_options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>

#include "sim/base/error.h"
#include "sim/base/output_target.h"
#include "sim/base/printable.h"
#include "sim/base/stop_signals.h"
#include "sim/cli/standard_streams.h"
#include "sim/config/units.h"
#include "sim/replay/progress.h"

namespace sassim::cli {

namespace {

std::string campaign_text(const std::string& name, const campaign::CampaignProgress& now) {
  return fmt::format("{}: {} of {} points done, {} running{}{}", name, now.done, now.total, now.running,
                     now.failed ? fmt::format(", {} failed", now.failed) : "",
                     now.seconds_left < 0 ? "" : fmt::format(", {} left", replay::duration_text(now.seconds_left)));
}

std::uint64_t bytes(const std::string& text) {
  std::uint64_t value = 0;
  if (text.empty()) return 0;
  const std::string wrong = config::parse_quantity(text, config::Unit::bytes, value);
  if (!wrong.empty()) throw UsageError("--memory: {}", wrong);
  return value;
}

}  // namespace

void CampaignCommand::add_to(CLI::App& command) {
  command
      .add_option("--out", options_.folder,
                  "folder for the results. To resume after an interruption, give the same folder: finished points do "
                  "not run again")
      ->required()
      ->type_name("DIR");
  command
      .add_option("--jobs", options_.jobs,
                  "points that run at the same time on this machine; default: one per processor")
      ->type_name("N")
      ->check(CLI::Range(1u, 4096u));
  command
      .add_option("--memory", memory_,
                  "memory that all running points together may use, such as 8GiB; default: the available memory")
      ->type_name("SIZE");
  command
      .add_option("--executor", options_.executor,
                  "where the points run: on this machine, or as a job array on a cluster")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command
      .add_option("--slurm-option", options_.slurm.arguments,
                  "an option for sbatch, such as --slurm-option=--partition=long; can be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command
      .add_option("--chunk", options_.slurm.chunk,
                  "points per task of the job array; default: one, or more if the array would be too large")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000000u));
  command.add_option("--poll", options_.slurm.poll_seconds, "seconds between two checks of the job array")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
}

campaign::CampaignOutcome CampaignCommand::run(const std::string& name, const std::vector<campaign::Point>& points,
                                               const Partial& partial) {
  options_.memory = bytes(memory_);
  check_output_folder(options_.folder, {"points.csv", "points.json", "index.html"});
  replay::ProgressLine line;
  options_.progress = [&](const campaign::CampaignProgress& now) { line.show(campaign_text(name, now)); };
  options_.snapshot = [&](const campaign::CampaignProgress& now) { options_.tell(campaign_text(name, now)); };
  options_.tell = [&](const std::string& text) {
    line.clear();
    say(fmt::format("sassim: {}\n", printable(text)).c_str());
  };
  campaign::CampaignOutcome outcome = campaign::run_campaign(points, options_);
  line.clear();
  if (outcome.interrupted) {
    say(fmt::format("sassim: stopped by {} with {} of {} points done; run the same command again to resume\n",
                    signal_name(outcome.interrupted), outcome.ran + outcome.reused, points.size())
            .c_str());
    if (outcome.ran + outcome.reused != 0) partial(outcome);
    end_as_stopped(outcome.interrupted);
  }
  return outcome;
}

}  // namespace sassim::cli
