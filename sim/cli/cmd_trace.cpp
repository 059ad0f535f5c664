// SPDX-License-Identifier: Apache-2.0
// sassim trace info|dump|slice|lint|import: their options. Their work is in trace_info.cpp, trace_dump.cpp,
// trace_files.cpp and trace_lint.cpp.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/cli/command_line.h"
#include "sim/cli/trace_actions.h"

namespace sassim::cli {

namespace {

constexpr const char* kTrace = "a .sast file, or an Accel-Sim directory or .traceg file";

void add_kernels(CLI::App& command, KernelChoice& kernels) {
  command
      .add_option("-k,--kernel", kernels, "only this kernel: its number, from 0, or part of its name; can be repeated")
      ->type_name("KERNEL")
      ->allow_extra_args(false);
}

void add_blocks(CLI::App& command, std::string& blocks) {
  command.add_option("-b,--block,--blocks", blocks, "only these blocks: linear indices such as 0,4..7,0..63:8")
      ->type_name("LIST");
}

void add_info(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<TraceInfoOptions>();
  CLI::App* command = group.add_subcommand("info", "describe a trace: kernels, launches, instruction mix, size");
  command->add_option("trace", parsed->trace, kTrace)->required()->type_name("TRACE");
  command->add_option("--json", parsed->json, "also write JSON to this file; '-': write only JSON, to standard output")
      ->type_name("FILE|-");
  command->callback([&action, parsed] { action = [parsed] { return trace_info(*parsed); }; });
}

void add_dump(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<TraceDumpOptions>();
  CLI::App* command = group.add_subcommand(
      "dump", "print what each warp executed: active threads, PC, control bits, instruction, addresses");
  command->add_option("trace", parsed->trace, kTrace)->required()->type_name("TRACE");
  add_kernels(*command, parsed->kernels);
  add_blocks(*command, parsed->blocks);
  command->add_option("-w,--warp", parsed->warp, "only this warp of each block")->type_name("N");
  command->add_option("-n,--limit", parsed->limit, "stop after this many steps")->capture_default_str()->type_name("N");
  command->add_flag("--code", parsed->code, "print the static code instead of what warps executed");
  command->callback([&action, parsed] { action = [parsed] { return trace_dump(*parsed); }; });
}

void add_slice(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<TraceSliceOptions>();
  CLI::App* command = group.add_subcommand("slice", "write some kernels or blocks of a trace to a new file");
  command->add_option("trace", parsed->trace, kTrace)->required()->type_name("TRACE");
  command->add_option("out", parsed->out, "the .sast file to write")->required()->type_name("OUT");
  add_kernels(*command, parsed->kernels);
  add_blocks(*command, parsed->blocks);
  command->add_flag("--uncompressed", parsed->uncompressed,
                    "leave the parts of the file uncompressed, for an archive that is compressed as a whole");
  command->callback([&action, parsed] { action = [parsed] { return trace_slice(*parsed); }; });
}

void add_lint(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<TraceLintOptions>();
  CLI::App* command = group.add_subcommand(
      "lint",
      "find impossible steps and, with --config, dependences closer than latencies; exits with 1 if there are any");
  command->add_option("traces", parsed->traces, kTrace)->required()->type_name("TRACE");
  command->add_option("--config", parsed->config, "the GPU whose architecture and latencies the trace must agree with")
      ->type_name("NAME|FILE");
  command->add_option("-o,--override", parsed->overrides, "change one value of --config")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--blocks", parsed->blocks, "check only this many blocks of each kernel, from the first on")
      ->type_name("N");
  command
      ->add_option("--max-steps", parsed->max_steps,
                   "check only this many executed warp instructions of each kernel, from the first on")
      ->type_name("N")
      ->capture_default_str();
  command->callback([&action, parsed] { action = [parsed] { return trace_lint(*parsed); }; });
}

void add_import(CLI::App& group, Action& action) {
  const auto parsed = std::make_shared<TraceImportOptions>();
  CLI::App* command =
      group.add_subcommand("import", "turn an Accel-Sim trace (tracer versions 3 to 5) into a .sast file");
  command
      ->add_option("traceg", parsed->traceg,
                   "a directory with kernelslist.g, a kernels list, or a .traceg[.gz|.xz] file")
      ->required()
      ->type_name("TRACEG");
  command->add_option("out", parsed->out, "the .sast file to write")->required()->type_name("OUT");
  command->add_option("--cubin", parsed->cubin, "cubin that ran, or its listing: adds instructions and control bits")
      ->type_name("FILE");
  command->callback([&action, parsed] { action = [parsed] { return trace_import(*parsed); }; });
}

void add_trace(CLI::App& program, Action& action) {
  CLI::App* group = program.add_subcommand("trace", "show, check, cut and import kernel traces");
  group->require_subcommand(1);
  add_info(*group, action);
  add_dump(*group, action);
  add_slice(*group, action);
  add_lint(*group, action);
  add_import(*group, action);
}

const Command trace_command(50, add_trace);

}  // namespace

}  // namespace sassim::cli
