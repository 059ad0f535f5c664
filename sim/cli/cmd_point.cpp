// SPDX-License-Identifier: Apache-2.0
// sassim point, points: one simulation of a study. Studies start these commands; users do not.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/base/child_process.h"
#include "sim/campaign/campaign.h"
#include "sim/cli/command_line.h"

namespace sassim::cli {

namespace {

struct PointArguments {
  std::string folder, what;
  int parent = 0;
};

void add_point(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<PointArguments>();
  CLI::App* command = program.add_subcommand("point", "simulate one point of a study (sweep and explore do this)");
  command->group("");  // hidden from the help
  command->add_option("folder", parsed->folder, "of the study")->required();
  command->add_option("key", parsed->what, "of the point")->required();
  command->add_option("--parent", parsed->parent, "end when this process does");
  command->callback([&action, parsed] {
    action = [parsed] {
      if (parsed->parent != 0) die_with_parent(parsed->parent);
      campaign::run_point(parsed->folder, parsed->what);
      return ExitStatus::done;
    };
  });
}

void add_points(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<PointArguments>();
  CLI::App* command = program.add_subcommand("points", "simulate a list of points of a study");
  command->group("");
  command->add_option("folder", parsed->folder, "of the study")->required();
  command->add_option("list", parsed->what, "file of keys, one per line")->required();
  command->callback([&action, parsed] {
    action = [parsed] {
      campaign::run_points(parsed->folder, parsed->what);
      return ExitStatus::done;
    };
  });
}

const Command point_command(90, add_point);
const Command points_command(91, add_points);

}  // namespace

}  // namespace sassim::cli
