// SPDX-License-Identifier: Apache-2.0
// sassim reproduce: replays a bundle and compares the results
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/base/durable_file.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/bundle/difference.h"
#include "sim/cli/bundle_options.h"
#include "sim/cli/command_line.h"
#include "sim/cli/common_options.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/replay/known_names.h"
#include "sim/session/session_folder.h"

namespace sassim::cli {

namespace {

struct ReproduceArguments {
  std::string file, json;
  unsigned threads = 1;
};

/// At most twenty names in one line.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kMost ? text : fmt::format("{} and {} more", text, names.size() - kMost);
}

ExitStatus report_difference(const std::string& file, const std::string& then, const std::string& now) {
  const bundle::Difference found = bundle::difference(then, now, file + ", part result.json");
  if (found.first.empty()) {
    show("{}: not identical: all values agree, but their text differs\n", file);
    return ExitStatus::check_failed;
  }
  show("{}: not identical\n  first: {}\n", file, found.first);
  if (!found.metrics.empty()) show("  metrics: {}\n", listed(found.metrics));
  if (!found.others.empty()) show("  besides: {}\n", listed(found.others));
  return ExitStatus::check_failed;
}

/// Replaces the temporary file of a part in a message by the bundle and the part, which is all that the user has.
std::string renamed(std::string message, const std::string& folder, const std::string& file) {
  for (std::size_t at = 0; (at = message.find(folder, at)) != std::string::npos; at += file.size())
    message.replace(at, folder.size() + 1, file + ", part ");
  return message;
}

ExitStatus reproduce_in(const ReproduceArguments& parsed, const std::filesystem::path& folder, StopSignals& signals) {
  const bundle::Bundle bundle = bundle::unpack(parsed.file, folder);
  if (bundle.version != kVersion)
    show("{}: made by sassim {}; this is {}\n", parsed.file, printable(bundle.version), kVersion);
  const config::GpuConfig gpu = bundle::gpu_of(bundle.recipe, (folder / "config.yaml").string(), replay::known_names());
  const auto result = folder / "result-now.json";
  const bundle::Totals totals = run_watched(signals, gpu, bundle.recipe, parsed.threads, result);
  const std::string now = read_input_file(result, kResultFile);
  const std::string then = bundle::with_version(read_input_file(bundle.result, kResultFile), kVersion);
  ExitStatus status = ExitStatus::done;
  if (then != now)
    status = report_difference(parsed.file, then, now);
  else
    show("{}: identical ({}, {} cycles)\n", parsed.file, counted(totals.kernels, "kernel"), totals.cycles);
  if (!parsed.json.empty()) write_durably(parsed.json, now);
  return status;
}

ExitStatus reproduce(const ReproduceArguments& parsed, StopSignals& signals) {
  check_outputs({parsed.file}, {{"--json", parsed.json}});
  const session::SessionFolder folder;
  try {
    return reproduce_in(parsed, folder.path(), signals);
  } catch (const Error& error) {
    throw Error(error.status(), renamed(error.what(), folder.path().string(), parsed.file));
  }
}

void add_reproduce(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ReproduceArguments>();
  CLI::App* command = program.add_subcommand(
      "reproduce",
      "run a bundle again, using only the bundle, and compare byte by byte; exits with 1 if the result differs");
  command->add_option("bundle", parsed->file, "a file that 'sassim bundle' has made")->required()->type_name("FILE");
  add_threads(*command, parsed->threads);
  command->add_option("--json", parsed->json, "write the result of this run")->type_name("FILE");
  command->callback([&action, parsed] {
    action = [parsed] { return unless_stopped([&](StopSignals& signals) { return reproduce(*parsed, signals); }); };
  });
}

const Command reproduce_command(13, add_reproduce);

}  // namespace

}  // namespace sassim::cli
