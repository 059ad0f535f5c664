// SPDX-License-Identifier: Apache-2.0
// sassim exec: runs a CUDA program on a simulated GPU
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

#include "sim/base/printable.h"
#include "sim/cli/command_line.h"
#include "sim/cli/common_options.h"
#include "sim/cli/config_options.h"
#include "sim/cli/exec_timeline.h"
#include "sim/cli/progress.h"
#include "sim/cli/write_results.h"
#include "sim/replay/run.h"
#include "sim/session/execute.h"

namespace sassim::cli {

namespace {

struct ExecArguments {
  ConfigOptions gpu;
  session::ExecuteOptions execute;
  ResultOptions results;
  TimelineOptions timeline;
  std::string time = "all";                    ///< which kernels: all, chosen
  std::vector<std::string> further_gpus = {};  ///< NAMEs or FILEs of devices 1, 2, ...
  bool functional = false, allow_faults = false, allow_none = false;
};

void tell(const std::string& line) { fmt::print(stderr, "sassim: {}\n", printable_lines(line, std::string::npos)); }

/// The program as the user typed it, so that the same command gives the same bytes on another machine.
nlohmann::ordered_json program_json(const std::vector<std::string>& command) {
  return {{"program", printable(command.front())},
          {"arguments", std::vector<std::string>(command.begin() + 1, command.end())}};
}

void add_streams(const ExecArguments& parsed, const session::StreamKernels& streams, nlohmann::ordered_json& json) {
  if (parsed.functional || streams.kernels == 0) return;
  if (streams.beside != 0)
    json["side_by_side"] = {{"kernels", streams.beside}, {"of", streams.kernels}, {"streams", streams.streams}};
  if (streams.serial || streams.waited != 0)
    json["serialised"] = {
        {"kernels", streams.kernels - streams.beside}, {"streams", streams.streams}, {"waited", streams.waited}};
}

void load_further_gpus(ExecArguments& parsed) {
  if (parsed.further_gpus.size() >= parsed.execute.devices)
    throw UsageError("--device-config names {} GPUs for the devices from 1 on, but --devices makes {}",
                     parsed.further_gpus.size(), parsed.execute.devices - 1);
  for (const std::string& name : parsed.further_gpus)
    parsed.execute.further_configs.push_back(ConfigOptions{.config = name, .overrides = parsed.gpu.overrides}.load());
}

/// The GPUs of a program that has several.
void add_devices(const ExecArguments& parsed, const config::GpuConfig& first, nlohmann::ordered_json& json) {
  const std::vector<config::GpuConfig>& further = parsed.execute.further_configs;
  if (parsed.execute.devices == 1) return;
  for (unsigned device = 0; device < parsed.execute.devices; ++device)
    json["devices"].push_back(device != 0 && device <= further.size() ? further[device - 1].name : first.name);
}

/// Writes the end of the results.
void finish(const ExecArguments& parsed, const config::GpuConfig& gpu, const session::ExecuteResult& result,
            ResultOutput& output) {
  nlohmann::ordered_json more = program_json(parsed.execute.command);
  add_devices(parsed, gpu, more);
  add_streams(parsed, result.session.streams, more);
  std::optional<report::RunningKernel> running;
  for (const session::Unfinished& left : result.session.unfinished) {
    if (running)
      more["also_running"].push_back(to_json(left.kernel));
    else
      running = left.kernel;
  }
  if (!result.disassemblers.empty()) output.add_to_host("disassemblers", result.disassemblers);
  output.finish(result.complete, result.host, std::move(more), running);
}

/// The exit status after the results are written, with a message if it is not 0.
ExitStatus status_of(const ExecArguments& parsed, const session::ExecuteResult& result) {
  const std::string& program = parsed.execute.command.front();
  if (result.ended) throw Error(*result.ended, fmt::format("{}: the simulation ended the program", program));
  ExitStatus status = ExitStatus::done;
  if (result.program.signal != 0)
    tell(fmt::format("{} was killed by {}", program, signal_name(result.program.signal)));
  else if (result.program.status != 0)
    tell(fmt::format("{} ended with status {}", program, result.program.status));
  const bool lost = !result.session.unfinished.empty() || result.session.missing != 0;
  if (result.program.signal != 0 || result.program.status != 0 || lost) status = ExitStatus::check_failed;
  if (!result.session.called && !parsed.allow_none && status == ExitStatus::done) return ExitStatus::not_supported;
  if (result.session.faults == 0 || parsed.allow_faults) return status;
  tell(fmt::format("kernels that faulted: {}; with --allow-faults the exit status is the program's own",
                   result.session.faults));
  return ExitStatus::check_failed;
}

ExitStatus run_exec(ExecArguments& parsed) {
  std::vector<NamedFile> outputs = parsed.results.files();
  outputs.push_back({"--wait-graph", parsed.execute.wait_graph});
  for (NamedFile& file : parsed.timeline.files()) outputs.push_back(std::move(file));
  check_outputs({parsed.gpu.config, parsed.execute.command.front()}, outputs);
  if (parsed.execute.memcheck) parsed.functional = parsed.execute.strict_memory = true;
  parsed.execute.timing = !parsed.functional;
  parsed.execute.serial = parsed.execute.serial || parsed.execute.mean > 0;
  if (parsed.time == "chosen") {
    if (parsed.functional) throw UsageError("--time chosen chooses kernels that are timed; --functional times none");
    parsed.execute.timed = parsed.results.launches;
    parsed.results.chosen_before = true;
    const Pattern checked("--kernel", parsed.results.launches.kernel);
  }
  parsed.execute.series = parsed.results.series();
  parsed.execute.mangled_names = parsed.results.mangled;
  parsed.execute.snapshot = print_snapshot;
  load_further_gpus(parsed);
  const config::LoadedConfig loaded = parsed.gpu.load_with_origins();
  const config::GpuConfig& gpu = loaded.config;
  session::ExecuteResult result;
  ExecTimeline timeline(parsed.timeline, gpu, parsed.results.launches, parsed.execute);
  int stopped = 0;
  {
    StopSignals signals;
    timeline.follow(parsed.execute, signals);
    ResultOutput output(parsed.results, labelled(replay::report_of(gpu, parsed.execute.caches)), loaded);
    result = session::execute(gpu, parsed.execute, signals, [&](const auto& kernel) { output.add(kernel); });
    finish(parsed, gpu, result, output);
    for (const std::string& line : result.notices) tell(line);
    if (const std::string line = timeline.told(); !line.empty()) tell(line);
    stopped = signals.received();
    if (stopped != 0) tell(fmt::format("stopped by {}; finished kernels: {}", signal_name(stopped), output.kernels()));
  }
  if (stopped != 0) end_as_stopped(stopped);
  return status_of(parsed, result);
}

/// Which kernels are timed, and what happened when.
void add_timing(CLI::App& command, ExecArguments& parsed) {
  parsed.timeline.add_to(command);
  add_sample(command, parsed.execute.sample, {"--timeline", "--konata", "--vcd"});
  command.add_flag("--functional", parsed.functional,
                   "run without timing: the program gets its results, but kernels have no metrics");
  command
      .add_option("--time", parsed.time,
                  "which kernels are timed. all: every one; chosen: those that --kernel, --launch-skip and "
                  "--launch-count choose. The others are executed without timing, which is faster; the chosen ones "
                  "then do not find in the caches what those leave")
      ->check(CLI::IsMember({"all", "chosen"}))
      ->capture_default_str();
  add_sample_launches(command, parsed.execute.mean,
                      {"--sample", "--functional", "--time", "--timeline", "--konata", "--vcd"});
}

void add_gpus(CLI::App& command, ExecArguments& parsed) {
  command
      .add_option("--devices", parsed.execute.devices,
                  "number of GPUs that the program finds, each with a memory and a time of its own")
      ->type_name("N")
      ->check(CLI::Range(1u, session::kMostDevices))
      ->capture_default_str();
  command
      .add_option("--device-config", parsed.further_gpus,
                  "GPU of device 1, of device 2 and so on, separated by commas, with the keys of -o; devices without "
                  "one are as device 0")
      ->type_name("NAME or FILE")
      ->delimiter(',');
}

void add_memory_checks(CLI::App& command, ExecArguments& parsed) {
  command.add_flag("--strict-memory", parsed.execute.strict_memory,
                   "an access outside all allocations is a fault; by default, as on a GPU, it is allowed in a mapped "
                   "page of 2 MiB and reported once per kernel");
  command.add_flag("--memcheck", parsed.execute.memcheck,
                   "without timing, report reads of memory that nobody has written, uses after a free, races in "
                   "shared memory, and accesses outside allocations (docs/memcheck.md)");
}

void add_exec(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<ExecArguments>();
  CLI::App* command =
      program.add_subcommand("exec", "run a CUDA program (linked with -cudart shared) on a simulated GPU");
  parsed->gpu.add_to(*command);
  parsed->results.add_to(*command);
  command->add_option("--save-traces", parsed->execute.trace_dir, "write a trace of every launch to this folder")
      ->type_name("DIR");
  add_timing(*command, *parsed);
  add_gpus(*command, *parsed);
  command->add_flag("--allow-faults", parsed->allow_faults,
                    "show a kernel that faults in the results, but do not exit with status 1 because of it");
  command->add_flag("--allow-none", parsed->allow_none, "do not exit with status 4 when the program made no CUDA call");
  add_threads(*command, parsed->execute.threads);
  command
      ->add_option(
          "--caches", parsed->execute.caches,
          "what a kernel finds in the caches. cold: nothing; warm: all that the previous kernel left; keep: the same "
          "without what each launch invalidates; replay: as keep, after another run of the same kernel, as under "
          "a profiler that replays kernels. 'sassim run' starts cold by default, because a trace tells nothing of what "
          "ran before it")
      ->check(CLI::IsMember({"cold", "warm", "keep", "replay"}))
      ->capture_default_str();
  command
      ->add_option("--live", parsed->execute.live,
                   "which kernels are executed while they are timed. auto: those whose path can depend on time; "
                   "always: all; never: none")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command
      ->add_option("--max-instructions", parsed->execute.max_instructions,
                   "stop a kernel after this many warp instructions, and report where its warps are")
      ->type_name("N");
  command
      ->add_option(
          "--watchdog", parsed->execute.watchdog,
          "after this many instructions of each resident warp in which no warp changed memory, printed, read a "
          "clock or ended, check whether the warps repeat themselves forever; if so, end the run with status "
          "5 (default: 20000; 0: never)")
      ->type_name("N");
  command
      ->add_option("--wait-graph", parsed->execute.wait_graph,
                   "if a kernel stops making progress, write a graph of all waits for Graphviz; circular waits are red")
      ->type_name("FILE");
  add_no_skip(*command, parsed->execute.reuse);
  command->add_flag(
      "--serial", parsed->execute.serial,
      "run one kernel at a time, also those of several streams: each has all metrics, as from a profiler");
  add_memory_checks(*command, *parsed);
  command->add_option("program", parsed->execute.command, "the program and its arguments, after --")->required();
  command->callback([&action, parsed] { action = [parsed] { return run_exec(*parsed); }; });
}

const Command exec_command(20, add_exec);

}  // namespace

}  // namespace sassim::cli
