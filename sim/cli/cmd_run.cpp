// SPDX-License-Identifier: Apache-2.0
// sassim run: replay traces
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/base/output_target.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/progress.h"
#include "sim/cli/write_results.h"
#include "sim/study/run.h"
#include "sim/trace/open.h"

namespace sassim::cli {

namespace {

struct RunArguments {
  ConfigOptions gpu;
  ResultOptions results;
  std::vector<std::string> traces;
  std::string caches = "cold";
  arch::RunOptions run;
};

arch::CacheStart cache_start(const std::string& name) {
  return name == "keep" ? arch::CacheStart::keep : name == "warm" ? arch::CacheStart::warm : arch::CacheStart::cold;
}

void check_files(const RunArguments& parsed) {
  std::vector<std::filesystem::path> inputs = {parsed.gpu.config};
  for (const std::string& path : parsed.traces)
    for (auto& file : trace::trace_files(path)) inputs.push_back(std::move(file));
  check_outputs(inputs, parsed.results.files());
}

ExitStatus run_traces(RunArguments& parsed) {
  check_files(parsed);
  const config::GpuConfig gpu = parsed.gpu.load();
  std::vector<std::shared_ptr<trace::BlockSource>> kernels;
  for (const std::string& path : parsed.traces)
    for (auto& kernel : trace::open(path)) kernels.push_back(std::move(kernel));
  parsed.run.caches = cache_start(parsed.caches);
  Progress progress("run");
  parsed.run.progress = progress.observer();
  const report::RunReport report = study::run(gpu, kernels, parsed.run);
  progress.finish();
  write_results(report, parsed.results);
  return ExitStatus::done;
}

void add_run(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<RunArguments>();
  CLI::App* command = program.add_subcommand("run", "replay traces on a simulated GPU and report where the time went");
  command->add_option("traces", parsed->traces, ".sast files, or folders of Accel-Sim traces")
      ->required()
      ->type_name("TRACE");
  parsed->gpu.add_to(*command);
  parsed->results.add_to(*command);
  command->add_option("--threads", parsed->run.threads, "host threads; changes no result")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  command->add_option("--caches", parsed->caches, "what each kernel finds in the caches")
      ->check(CLI::IsMember({"cold", "warm", "keep"}))
      ->capture_default_str();
  command->add_flag("--allow-arch-mismatch", parsed->run.allow_arch_mismatch,
                    "run a trace that was made for another architecture");
  command
      ->add_option("--no-progress-cycles", parsed->run.no_progress_cycles,
                   "give up after so many cycles without an issue")
      ->type_name("N")
      ->capture_default_str();
  command->callback([&action, parsed] { action = [parsed] { return run_traces(*parsed); }; });
}

const Command run_command(10, add_run);

}  // namespace

}  // namespace sassim::cli
