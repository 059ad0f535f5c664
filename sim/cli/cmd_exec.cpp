// SPDX-License-Identifier: Apache-2.0
// sassim exec: a CUDA program on a GPU that is not there
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/progress.h"
#include "sim/cli/write_results.h"
#include "sim/study/execute.h"
#include "sim/study/run.h"

namespace sassim::cli {

namespace {

struct ExecArguments {
  ConfigOptions gpu;
  study::ExecuteOptions execute;
  ResultOptions results;
  bool functional = false, allow_faults = false;
};

void tell(const std::string& line) { fmt::print(stderr, "sassim: {}\n", line); }

nlohmann::ordered_json serialised_json(const ExecArguments& parsed, const study::SerialisedKernels& streams) {
  if (parsed.functional || streams.kernels == 0) return nlohmann::ordered_json::object();
  return {{"serialised", {{"kernels", streams.kernels}, {"streams", streams.streams}, {"waited", streams.waited}}}};
}

/// The results are written; what remains is the exit status, and why it is not 0.
ExitStatus status_of(const ExecArguments& parsed, const study::ExecuteResult& result) {
  const std::string& program = parsed.execute.command.front();
  if (result.ended) throw Error(*result.ended, fmt::format("{}: the simulation ended the program", program));
  ExitStatus status = ExitStatus::done;
  if (result.program.signal != 0)
    tell(fmt::format("{} was killed by {}", program, study::signal_name(result.program.signal)));
  else if (result.program.status != 0)
    tell(fmt::format("{} ended with status {}", program, result.program.status));
  if (result.program.signal != 0 || result.program.status != 0) status = ExitStatus::check_failed;
  if (result.session.faults == 0 || parsed.allow_faults) return status;
  tell(fmt::format("kernels that faulted: {}; --allow-faults ends with the program's own status",
                   result.session.faults));
  return ExitStatus::check_failed;
}

ExitStatus run_exec(ExecArguments& parsed) {
  std::vector<NamedFile> outputs = parsed.results.files();
  outputs.push_back({"--wait-graph", parsed.execute.wait_graph});
  check_outputs({parsed.gpu.config, parsed.execute.command.front()}, outputs);
  parsed.execute.timing = !parsed.functional;
  parsed.execute.series = parsed.results.series();
  parsed.execute.progress_line = isatty(STDERR_FILENO) == 1;
  parsed.execute.snapshot = print_snapshot;
  const config::GpuConfig gpu = parsed.gpu.load();
  study::ExecuteResult result;
  int stopped = 0;
  {
    study::StopSignals signals;
    ResultOutput output(parsed.results, labelled(study::report_of(gpu, parsed.execute.caches)));
    result = study::execute(gpu, parsed.execute, signals, [&](const auto& kernel) { output.add(kernel); });
    output.finish(result.complete, result.host, serialised_json(parsed, result.session.serialised));
    for (const std::string& line : result.notices) tell(line);
    stopped = signals.number();
    if (stopped != 0)
      tell(fmt::format("stopped by {}; kernels that are done: {}", study::signal_name(stopped), output.kernels()));
  }
  if (stopped != 0) study::end_as_stopped(stopped);
  return status_of(parsed, result);
}

void add_exec(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ExecArguments>();
  CLI::App* command =
      program.add_subcommand("exec", "run a CUDA program (linked with -cudart shared) on a simulated GPU");
  parsed->gpu.add_to(*command);
  parsed->results.add_to(*command);
  command->add_option("--save-traces", parsed->execute.trace_dir, "keep a trace of every launch in this folder")
      ->type_name("DIR");
  command->add_flag("--functional", parsed->functional, "run without timing: results only, and traces if asked for");
  command->add_flag("--allow-faults", parsed->allow_faults,
                    "a kernel that faults is in the results, but does not make the exit status 1");
  command->add_option("--threads", parsed->execute.threads, "threads of the timing model; changes no result")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  command->add_option("--caches", parsed->execute.caches, "what a kernel finds in the caches")
      ->check(CLI::IsMember({"cold", "warm", "keep", "replay"}))
      ->capture_default_str();
  command
      ->add_option("--live", parsed->execute.live,
                   "which kernels are executed when they are timed: those whose path can depend on time, all, or none")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command
      ->add_option("--max-instructions", parsed->execute.max_instructions,
                   "end a kernel after so many warp instructions, and say where its warps are")
      ->type_name("N");
  command
      ->add_option("--watchdog", parsed->execute.watchdog,
                   "when nobody has changed memory, printed, read a clock or ended for so many instructions of each "
                   "resident warp, look whether the warps repeat themselves forever, and end the run with status 5 "
                   "(20000 when not given; 0: never)")
      ->type_name("N");
  command
      ->add_option("--wait-graph", parsed->execute.wait_graph,
                   "if a kernel makes no progress, write who waits for whom, for Graphviz; circular waits are red")
      ->type_name("FILE");
  command->add_flag(
      "--strict-memory", parsed->execute.strict_memory,
      "an access beside an allocation is a fault; else it goes on in a mapped page of 2 MiB, as on a GPU, "
      "and is told once for a kernel");
  command->add_option("program", parsed->execute.command, "the program and its arguments, after --")->required();
  command->callback([&action, parsed] { action = [parsed] { return run_exec(*parsed); }; });
}

const Command exec_command(20, add_exec);

}  // namespace

}  // namespace sassim::cli
