// SPDX-License-Identifier: Apache-2.0
// sassim exec: a CUDA program on a GPU that is not there
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/cli/write_results.h"
#include "sim/study/execute.h"

namespace sassim::cli {

namespace {

struct ExecArguments {
  ConfigOptions gpu;
  study::ExecuteOptions execute;
  ResultOptions results;
  bool functional = false;
};

ExitStatus run_exec(ExecArguments& parsed) {
  check_outputs({parsed.gpu.config, parsed.execute.command.front()}, parsed.results.files());
  parsed.execute.timing = !parsed.functional;
  const study::ExecuteResult result = study::execute(parsed.gpu.load(), parsed.execute);
  write_results(result.report, parsed.results);
  if (result.program_status == 0) return ExitStatus::done;
  fmt::print(stderr, "sassim: {} ended with status {}\n", parsed.execute.command.front(), result.program_status);
  return ExitStatus::check_failed;
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
  command->add_option("--threads", parsed->execute.threads, "threads of the timing model; changes no result")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  command->add_option("--caches", parsed->execute.caches, "what a kernel finds in the caches")
      ->check(CLI::IsMember({"cold", "warm", "keep", "replay"}))
      ->capture_default_str();
  command
      ->add_option("--max-instructions", parsed->execute.max_instructions,
                   "end a kernel after so many warp instructions, and say where its warps are")
      ->type_name("N");
  command->add_option("program", parsed->execute.command, "the program and its arguments, after --")->required();
  command->callback([&action, parsed] { action = [parsed] { return run_exec(*parsed); }; });
}

const Command exec_command(20, add_exec);

}  // namespace

}  // namespace sassim::cli
