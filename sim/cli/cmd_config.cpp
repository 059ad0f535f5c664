// SPDX-License-Identifier: Apache-2.0
// sassim config list|show|check|diff|explain|new: their options. Their work is in config_actions.cpp and
// config_new.cpp.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/cli/command_line.h"
#include "sim/cli/config_actions.h"
#include "sim/cli/config_new.h"

namespace sassim::cli {

namespace {

/// The parsed options, shared with callbacks that run after this function has returned.
struct ConfigArguments {
  ConfigOptions which;
  ShowOptions show;
  std::vector<std::string> names;
  std::string left, right;
  bool all = false;
};
using Shared = std::shared_ptr<ConfigArguments>;

void add_list(CLI::App& group, Action& action) {
  group.add_subcommand("list", "list the GPUs that --config accepts by name")->callback([&action] {
    action = config_list;
  });
}

void add_show(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<ConfigArguments>();
  CLI::App* command =
      group.add_subcommand("show", "print all effective values as a configuration file that --config accepts");
  command->add_option("config,--config", parsed->which.config, "name or YAML file")->required()->type_name("NAME|FILE");
  parsed->which.add_overrides_to(*command);
  command->add_flag("--sources", parsed->show.sources, "add a comment to each value: where it was set, and its source");
  command->add_flag("--json", parsed->show.json, "print JSON, as in results");
  command->callback([&action, parsed] { action = [parsed] { return config_show(parsed->which, parsed->show); }; });
}

void add_check(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<ConfigArguments>();
  CLI::App* command = group.add_subcommand("check", "report all errors in configurations ('-': standard input)");
  command->add_option("configs", parsed->names, "names or YAML files; default: all that 'list' shows")
      ->type_name("NAME|FILE");
  parsed->which.add_overrides_to(*command);
  command->callback([&action, parsed] { action = [parsed] { return config_check(parsed->names, parsed->which); }; });
}

void add_diff(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<ConfigArguments>();
  CLI::App* command = group.add_subcommand("diff", "print the keys whose values differ: key, left value, right value");
  command->add_option("left", parsed->left, "name or YAML file")->required()->type_name("NAME|FILE");
  command->add_option("right", parsed->right, "name or YAML file; -o changes this one")
      ->required()
      ->type_name("NAME|FILE");
  parsed->which.add_overrides_to(*command);
  command->callback(
      [&action, parsed] { action = [parsed] { return config_diff(parsed->left, parsed->right, parsed->which); }; });
}

void add_explain(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<ConfigArguments>();
  CLI::App* command =
      group.add_subcommand("explain", "explain keys: meaning, allowed values, and the source of each GPU's value");
  CLI::Option* keys = command->add_option("keys", parsed->names, "keys or groups, such as l1.size or memory.dram");
  command->add_flag("--all", parsed->all, "every key, one per line")->excludes(keys);
  command->add_option("--config", parsed->which.config, "show only the values of this GPU; default: of all GPUs")
      ->type_name("NAME|FILE");
  parsed->which.add_overrides_to(*command);
  command->callback([&action, parsed] {
    if (parsed->names.empty() && !parsed->all) throw CLI::RequiredError("a key, or --all,");
    action = [parsed] { return config_explain(parsed->names, parsed->which); };
  });
}

/// The options that state a fact of the data sheet: the option, the key, the unit, the help.
constexpr const char* kStated[][4] = {
    {"--arch", "arch", "sm_NN", "compute capability"},
    {"--sms", "sm.count", "N", "number of SMs"},
    {"--clock", "clock.sm", "MHZ", "clock of the SMs, such as 1710MHz"},
    {"--memory", "memory.size", "SIZE", "device memory, such as 10GiB"},
    {"--bandwidth", "memory.bandwidth", "RATE", "bandwidth of the memory's pins, such as 760GB/s"},
    {"--bus", "bus", "BITS", "bits of the memory's bus"},
    {"--l2", "memory.l2.size", "SIZE", "size of the L2, such as 5MiB"},
    {"--dram", "dram", "NAME", "kind of memory, such as gddr6; default: as the nearest chip of the architecture"},
    {"--device", "device", "TEXT", "the name that NVIDIA gives it"},
};

void add_new(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<NewOptions>();
  const auto stated = std::make_shared<std::vector<std::string>>(std::size(kStated));
  CLI::App* command = group.add_subcommand(
      "new", "write the file of a new GPU, from its data sheet, from what tools print, and from measurements");
  command->add_option("name", parsed->name, "the name of the configuration")->required()->type_name("NAME");
  command->add_option("--out", parsed->out, "the file; default: NAME.yaml")->type_name("FILE");
  command->add_option("--from", parsed->outputs, "output of deviceQuery or of 'nvidia-smi -q'")->type_name("FILE");
  command->add_option("--hardware", parsed->hardware, "measured values, written by tools/measure")->type_name("FILE");
  for (std::size_t i = 0; i < std::size(kStated); ++i)
    command->add_option(kStated[i][0], (*stated)[i], kStated[i][3])->type_name(kStated[i][2]);
  command->callback([&action, parsed, stated] {
    for (std::size_t i = 0; i < std::size(kStated); ++i)
      if (!(*stated)[i].empty()) parsed->stated[kStated[i][1]] = {(*stated)[i], "documented: data sheet"};
    if (parsed->out.empty()) parsed->out = parsed->name + ".yaml";
    action = [parsed] { return config_new(*parsed); };
  });
}

void add_config(CLI::App& program, Action& action) {
  CLI::App* group =
      program.add_subcommand("config", "show the GPUs that can be simulated, and check configurations of new ones");
  group->require_subcommand(1);
  add_list(*group, action);
  add_show(*group, action);
  add_check(*group, action);
  add_diff(*group, action);
  add_explain(*group, action);
  add_new(*group, action);
}

const Command config_command(80, add_config);

}  // namespace

}  // namespace sassim::cli
