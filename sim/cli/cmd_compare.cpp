// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/cli/command_line.h"
#include "sim/cli/standard_streams.h"
#include "sim/report/result_reader.h"
#include "sim/validate/compare.h"

namespace sassim::cli {
namespace {

struct CompareArguments {
  std::string result, html;
  std::vector<std::string> profiles;
  bool all = false;
  double max_error = -1;  ///< percent; negative: no limit
};

std::vector<report::KernelReport> read_result(const std::string& path) {
  return report::read_result(read_input_file(path, kResultFile), path);
}

ExitStatus run_compare(const CompareArguments& parsed) {
  std::vector<std::filesystem::path> inputs(parsed.profiles.begin(), parsed.profiles.end());
  inputs.emplace_back(parsed.result);
  check_outputs(inputs, {{"--html", parsed.html}});
  std::vector<validate::ProfiledKernel> profiled;
  for (const std::string& path : parsed.profiles) {
    for (auto& kernel : validate::read_ncu_csv(path)) profiled.push_back(std::move(kernel));
  }
  validate::Comparison comparison = validate::compare(read_result(parsed.result), profiled);
  show(validate::to_text(comparison, parsed.all));
  if (!parsed.html.empty())
    write_durably(parsed.html, validate::to_html(comparison, parsed.result + " and " + parsed.profiles.front()));
  if (comparison.kernels.empty())
    throw InputError("nothing was compared: no kernel of {} is in {}; the names are above", parsed.result,
                     fmt::join(parsed.profiles, ", "));
  if (parsed.max_error < 0) return ExitStatus::done;
  for (const auto& row : comparison.summary()) {
    if (row.quantity == "cycles")
      return 100 * row.mean <= parsed.max_error ? ExitStatus::done : ExitStatus::check_failed;
  }
  throw InputError("{}: has no cycles (gpc__cycles_elapsed.max) to compare", parsed.profiles.front());
}

void add_compare(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<CompareArguments>();
  CLI::App* command = program.add_subcommand("compare", "compare a simulated run with a profile of Nsight Compute");
  command->add_option("result", parsed->result, "file that `sassim run` or `sassim exec` wrote with --json")
      ->required()
      ->type_name("RESULT.json");
  command->add_option("profiles", parsed->profiles, "exports of `ncu --csv --page raw`, in launch order")
      ->required()
      ->type_name("NCU.csv");
  command->add_flag("--all", parsed->all, "show every quantity of every kernel, not only those out of tolerance");
  command->add_option("--html", parsed->html, "write the comparison as a page for a browser")->type_name("FILE");
  command
      ->add_option("--max-error", parsed->max_error,
                   "exit with status 1 if the mean absolute error of the cycles is larger")
      ->check(CLI::NonNegativeNumber)
      ->type_name("PERCENT");
  command->callback([&action, parsed] { action = [parsed] { return run_compare(*parsed); }; });
}

const Command compare_command(60, add_compare);

}  // namespace
}  // namespace sassim::cli
