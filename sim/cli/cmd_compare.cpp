// SPDX-License-Identifier: Apache-2.0
// sassim compare: two runs of the same kernels, or a run beside a profile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/change/change.h"
#include "sim/change/limit.h"
#include "sim/cli/command_line.h"
#include "sim/cli/standard_streams.h"
#include "sim/page/page.h"
#include "sim/report/result_reader.h"
#include "sim/validate/compare.h"

namespace sassim::cli {
namespace {

struct CompareArguments {
  std::string result, html, json;
  std::vector<std::string> profiles;
  std::vector<std::string> renames, limits;
  bool all = false;
  double max_error = -1;  ///< percent; negative: no limit
};

std::vector<report::KernelReport> read_result(const std::string& path) {
  return report::read_result(read_input_file(path, kResultFile), path);
}

/// "OLD=NEW" with names as the table shows them, which may have operators in template arguments: the first sign whose
/// sides are both names decides.
change::Renames renames_of(const std::vector<std::string>& texts) {
  change::Renames renames;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
      throw UsageError("--rename {}: expected OLD=NEW, two names of kernels without parameters", text);
    renames.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  }
  return renames;
}

std::string run_text(const std::string& path, const report::RunReport& run) {
  return fmt::format("{}: {}{}{}", path, run.config_name, run.caches.empty() ? "" : ", caches " + run.caches,
                     run.complete ? "" : ", stopped before its end");
}

change::PageWords words_of(const std::vector<std::string>& files, const report::RunReport& before,
                           const report::RunReport& after) {
  change::PageWords words{.before = run_text(files[0], before), .after = run_text(files[1], after)};
  if (before.caches != after.caches)
    words.notes.emplace_back("The caches that kernels found differ: changes of cycles may come from that alone.");
  words.keys = change::different_keys(before.config_json, after.config_json);
  return words;
}

void show_runs(const change::PageWords& words) {
  show(fmt::format("before  {}\nafter   {}\n", words.before, words.after));
  for (const std::string& note : words.notes) show(note + "\n");
  constexpr std::size_t kMostKeys = 10;
  for (std::size_t i = 0; i < std::min(words.keys.size(), kMostKeys); ++i)
    show(fmt::format("        {}\n", words.keys[i]));
  if (words.keys.size() > kMostKeys) show(fmt::format("        and {} other keys\n", words.keys.size() - kMostKeys));
  show("\n");
}

/// Before and after: two results of sassim.
ExitStatus compare_runs(const CompareArguments& parsed) {
  if (parsed.max_error >= 0)
    throw UsageError("--max-error is for profiles; two results take --json, --html and --fail-if");
  std::vector<change::Limit> limits(parsed.limits.begin(), parsed.limits.end());
  check_outputs({parsed.result, parsed.profiles[0]}, {{"--json", parsed.json}, {"--html", parsed.html}});
  const report::RunReport before = report::read_run(read_input_file(parsed.result, kResultFile), parsed.result);
  const report::RunReport after =
      report::read_run(read_input_file(parsed.profiles[0], kResultFile), parsed.profiles[0]);
  const change::Comparison comparison = change::compare(before.kernels, after.kernels, renames_of(parsed.renames));
  const std::vector<std::string> files = {parsed.result, parsed.profiles[0]};
  const change::PageWords words = words_of(files, before, after);
  show_runs(words);
  show(change::to_text(comparison, parsed.all));
  if (!parsed.json.empty()) write_durably(parsed.json, change::to_json(comparison).dump(1) + "\n");
  if (!parsed.html.empty())
    write_durably(parsed.html, change::to_html(comparison, words_of(page::file_names(files), before, after)));
  if (comparison.kernels.empty())
    throw InputError(
        "nothing was compared: no kernel of {} is in {}; the names are above, and --rename OLD=NEW joins two",
        parsed.result, parsed.profiles[0]);
  bool broken = false;
  for (const change::Limit& limit : limits)
    for (const std::string& sentence : limit.broken(comparison)) {
      broken = true;
      show(sentence + "\n");
    }
  return broken ? ExitStatus::check_failed : ExitStatus::done;
}

/// A result begins as JSON does, a profile as text. What is no regular file cannot be looked at twice.
bool is_result(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return path.ends_with(".json");
  std::ifstream in(path);
  char first = 0;
  return in >> first && first == '{';
}

ExitStatus compare_with_profiles(const CompareArguments& parsed) {
  if (!parsed.json.empty() || !parsed.limits.empty() || !parsed.renames.empty())
    throw UsageError("--json, --fail-if and --rename compare two results of sassim; {} is a profile",
                     parsed.profiles[0]);
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
    write_durably(
        parsed.html,
        validate::to_html(
            comparison,
            fmt::format("{}", fmt::join(page::file_names({parsed.result, parsed.profiles.front()}), " and "))));
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

ExitStatus run_compare(const CompareArguments& parsed) {
  const bool runs = parsed.profiles.size() == 1 && is_result(parsed.profiles[0]);
  return runs ? compare_runs(parsed) : compare_with_profiles(parsed);
}

void add_compare(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<CompareArguments>();
  CLI::App* command = program.add_subcommand(
      "compare",
      "compare two simulated runs, before and after a change, or a simulated run with profiles of Nsight Compute");
  command->add_option("result", parsed->result, "file that `sassim run` or `sassim exec` wrote with --json")
      ->required()
      ->type_name("RESULT.json");
  command
      ->add_option("profiles", parsed->profiles,
                   "the result of a second run, or exports of `ncu --csv --page raw` in launch order")
      ->required()
      ->type_name("AFTER.json|NCU.csv");
  command
      ->add_option("--fail-if", parsed->limits,
                   "of two runs: exit with status 1 if a kernel changed so, as in 'cycles > +2%' or 'saxpy: "
                   "dram__bytes.sum > +5%'")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  command->add_option("--rename", parsed->renames, "of two runs: a kernel that is called NEW in the second one")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  command->add_option("--json", parsed->json, "of two runs: write the comparison for programs")->type_name("FILE");
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
