// SPDX-License-Identifier: Apache-2.0
// sassim explore: one workload on many variants of a GPU
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

#include "sim/cli/campaign_options.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/explore/explore_output.h"
#include "sim/plot/plot.h"

namespace sassim::cli {

namespace {

struct ExploreArguments {
  ConfigOptions gpu;
  CampaignCommand campaign;
  explore::ExploreRequest request;
  bool zip = false;
};

ExitStatus explore(ExploreArguments& parsed) {
  parsed.request.config = parsed.gpu.config;
  parsed.request.load = parsed.gpu.load_options();
  parsed.request.combine = parsed.zip ? explore::Combine::zip : explore::Combine::grid;
  if (parsed.request.vary.empty() && !parsed.request.miss_curves && !parsed.request.what_if)
    throw UsageError("explore: nothing to explore; give --vary KEY=V1,V2,..., --what-if or --miss-curves");
  plot::check_png();
  const explore::Explore plan(parsed.request);
  const campaign::CampaignOutcome outcome =
      parsed.campaign.run("explore", plan.points(), [&](const campaign::CampaignOutcome& partial) {
        explore::write_explored_points(parsed.campaign.out(), plan.collect(partial));
      });
  const explore::Explored explored = plan.collect(outcome);
  show("{}", explore::explore_text(explored));
  const auto files = explore::write_explored(parsed.campaign.out(), explored);
  show("written to {}: {}\n", parsed.campaign.out(), fmt::join(files, ", "));
  return explored.failed == 0 ? ExitStatus::done : ExitStatus::check_failed;
}

void add_explore(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ExploreArguments>();
  CLI::App* command = program.add_subcommand(
      "explore", "replay traces on variants of a GPU: which sizes are enough, and what limits performance");
  command->add_option("traces", parsed->request.replay.traces, ".sast files, or folders of Accel-Sim traces")
      ->required()
      ->type_name("TRACE");
  parsed->gpu.add_to(*command);
  command
      ->add_option("--vary", parsed->request.vary,
                   "a key and its values, such as l1.size=32KiB,64KiB or l2.latency=40..60:10; can be repeated: all "
                   "combinations are run")
      ->type_name("KEY=V1,V2,...")
      ->allow_extra_args(false);
  command->add_flag(
      "--zip", parsed->zip,
      "combine the first values of all keys, then the second values, and so on, instead of all combinations");
  command->add_flag("--miss-curves", parsed->request.miss_curves,
                    "hit rates of L1 and L2 for every size, from one more replay");
  command->add_flag("--what-if", parsed->request.what_if,
                    "make one part of the GPU perfect at a time, and rank the parts by the cycles recovered");
  parsed->campaign.add_to(*command);
  command->add_option("--caches", parsed->request.replay.caches, kCachesHelp)
      ->check(CLI::IsMember({"cold", "warm", "keep"}))
      ->capture_default_str();
  command->add_flag("--allow-arch-mismatch", parsed->request.replay.allow_arch_mismatch,
                    "allow traces that were made for another architecture");
  command->callback([&action, parsed] { action = [parsed] { return explore(*parsed); }; });
}

const Command explore_command(40, add_explore);

}  // namespace

}  // namespace sassim::cli
