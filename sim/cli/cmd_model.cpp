// SPDX-License-Identifier: Apache-2.0
// sassim model: predictions of analytic models
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/cli/command_line.h"
#include "sim/cli/model_actions.h"

namespace sassim::cli {

namespace {

void add_model(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ModelOptions>();
  CLI::App* command = program.add_subcommand(
      "model", "print predictions of analytic models for a mix of one load (or MUFU, or LDS) and alpha dependent adds");
  command->add_option("models", parsed->names, "names separated by commas, 'all', or 'list' to list them")
      ->required()
      ->type_name("NAME");
  CLI::Option* config =
      command->add_option("--config", parsed->config.config, "parameters from a configuration")->type_name("NAME|FILE");
  parsed->config.add_overrides_to(*command);
  command->add_option("--gpu", parsed->gpu, "parameters from Volkov's dissertation: g80, gt200, fermi, kepler, maxwell")
      ->type_name("NAME")
      ->excludes(config);
  command->add_option("--mix", parsed->mix, "instruction that is mixed with the adds: mem, sfu or smem")
      ->type_name("KIND")
      ->capture_default_str();
  command->add_option("--alpha", parsed->alpha, "adds after each load; 'inf' for adds alone")
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--warps", parsed->warps, "warps per SM; default: each whole number per scheduler")
      ->type_name("LIST");
  command->add_option("--transactions", parsed->transactions, "128-byte transactions per load: 2 with stride 2")
      ->check(CLI::Range(1.0, 32.0))
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      ->add_option("--unit", parsed->unit,
                   "ipc: instructions, adds: additions, other: loads per cycle and SM; gbs: GB/s")
      ->check(CLI::IsMember({"ipc", "adds", "other", "gbs"}))
      ->capture_default_str();
  command
      ->add_option("--needed", parsed->needed,
                   "print the number of warps that reaches this share of the peak, such as 0.9")
      ->check(CLI::Range(0.01, 1.0))
      ->type_name("PART");
  command
      ->add_option("--contention", parsed->contention,
                   "memory latency = A + B x / (C - x) cycles at x GB/s, for volkov-refined")
      ->delimiter(',')
      ->expected(3)
      ->type_name("A,B,C");
  command->add_option("--csv", parsed->csv, "write every point, one per line, in all units")->type_name("FILE");
  command->callback([&action, parsed] {
    action = [parsed] { return parsed->names == "list" ? model_list() : model_predict(*parsed); };
  });
}

const Command model_command(60, add_model);

}  // namespace

}  // namespace sassim::cli
