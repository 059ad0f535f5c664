// SPDX-License-Identifier: Apache-2.0
// sassim check: holds a program's kernels to limits
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>

#include "sim/base/durable_file.h"
#include "sim/base/input_file.h"
#include "sim/base/stop_signals.h"
#include "sim/change/budget.h"
#include "sim/cli/command_line.h"
#include "sim/cli/common_options.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/replay/run.h"
#include "sim/session/execute.h"
#include "sim/trace/open.h"

namespace sassim::cli {

namespace {

struct CheckArguments {
  std::string budgets, junit, caches;
  std::vector<std::string> overrides, traces, command;
  unsigned threads = 1;
  bool all = false;
};

std::vector<report::KernelReport> replayed(const CheckArguments& parsed, const config::GpuConfig& gpu) {
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  for (const std::string& path : parsed.traces)
    for (auto& kernel : trace::open(path)) kernels.push_back(std::move(kernel));
  arch::RunOptions options;
  options.threads = parsed.threads;
  options.caches = replay::cache_start(parsed.caches.empty() ? "cold" : parsed.caches);
  return replay::run(gpu, kernels, options).kernels;
}

/// Throws Error if the program or its kernels did not end as they should: then its cycles say nothing.
std::vector<report::KernelReport> executed(const CheckArguments& parsed, const config::GpuConfig& gpu) {
  session::ExecuteOptions options;
  options.command = parsed.command;
  options.threads = parsed.threads;
  if (!parsed.caches.empty()) options.caches = parsed.caches;
  std::vector<report::KernelReport> kernels;
  StopSignals signals;
  const session::ExecuteResult result =
      session::execute(gpu, options, signals, [&](const auto& kernel) { kernels.push_back(kernel); });
  if (signals.received() != 0) end_as_stopped(signals.received());
  for (const std::string& line : result.notices) fmt::print(stderr, "sassim: {}\n", line);
  const std::string& program = parsed.command.front();
  if (result.ended) throw Error(*result.ended, fmt::format("{}: the simulation ended the program", program));
  if (result.program.signal != 0 || result.program.status != 0 || !result.complete || result.session.faults != 0)
    throw Error(ExitStatus::check_failed,
                fmt::format("{} did not end well on {} (status {}, kernels that faulted: {}): no limit was checked",
                            program, gpu.name, result.program.status, result.session.faults));
  return kernels;
}

ExitStatus check_limits(const CheckArguments& parsed) {
  if (parsed.traces.empty() == parsed.command.empty())
    throw UsageError("check takes a program, after --, or traces (--trace FILE)");
  std::vector<std::filesystem::path> inputs(parsed.traces.begin(), parsed.traces.end());
  inputs.emplace_back(parsed.budgets);
  check_outputs(inputs, {{"--junit", parsed.junit}});
  const change::Budgets budgets = change::read_budgets(read_input_file(parsed.budgets, kLimitsFile), parsed.budgets);
  std::vector<change::Verdict> verdicts;
  for (const change::GpuBudget& budget : budgets.gpus) {
    const config::GpuConfig gpu = ConfigOptions{budget.gpu, parsed.overrides}.load();
    const auto kernels = parsed.traces.empty() ? executed(parsed, gpu) : replayed(parsed, gpu);
    const auto held = change::judge(budgets, budget, kernels);
    verdicts.insert(verdicts.end(), held.begin(), held.end());
  }
  show(change::to_text(verdicts, parsed.all));
  if (!parsed.junit.empty()) write_durably(parsed.junit, change::to_junit(verdicts));
  const bool held = std::all_of(verdicts.begin(), verdicts.end(), [](const auto& one) { return one.held; });
  return held ? ExitStatus::done : ExitStatus::check_failed;
}

void add_limits_check(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<CheckArguments>();
  CLI::App* command =
      program.add_subcommand("check", "hold the kernels of a program, or of traces, to limits on one or several GPUs");
  command->add_option("budgets", parsed->budgets, "limits: GPU: {KERNEL: {METRIC: MOST}} (docs/before-after.md)")
      ->required()
      ->type_name("BUDGETS.yaml");
  command->add_option("--trace", parsed->traces, "a trace to replay, instead of a program")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--junit", parsed->junit, "write the results as JUnit does, for continuous integration")
      ->type_name("FILE");
  command->add_option("-o,--override", parsed->overrides, "change one value of every GPU")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--caches", parsed->caches, "what a kernel finds in the caches; default: as in run and in exec")
      ->check(CLI::IsMember({"cold", "warm", "keep"}));
  add_threads(*command, parsed->threads);
  command->add_flag("--all", parsed->all, "show every limit, not only those that are broken");
  command->add_option("program", parsed->command, "the program and its arguments, after --");
  command->callback([&action, parsed] { action = [parsed] { return check_limits(*parsed); }; });
}

const Command check_command(62, add_limits_check);

}  // namespace

}  // namespace sassim::cli
