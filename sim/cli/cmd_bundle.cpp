// SPDX-License-Identifier: Apache-2.0
// sassim bundle: a result and everything that it depends on, in one file
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "sim/base/output_target.h"
#include "sim/cli/bundle_options.h"
#include "sim/cli/command_line.h"
#include "sim/cli/common_options.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/config/dump.h"
#include "sim/replay/known_names.h"
#include "sim/session/session_folder.h"

namespace sassim::cli {

namespace {

struct BundleArguments {
  ConfigOptions gpu;
  std::string out;
  std::vector<std::string> traces;
  unsigned threads = 1;
  bundle::Recipe recipe;
};

ExitStatus make_bundle(BundleArguments& parsed, StopSignals& signals) {
  std::vector<std::filesystem::path> inputs = {parsed.gpu.config};
  for (const std::string& name : parsed.traces) {
    parsed.recipe.traces.push_back(bundle::find_trace(name));
    for (const auto& file : parsed.recipe.traces.back().files) inputs.push_back(file);
  }
  check_outputs(inputs, {{"OUT", parsed.out}});
  parsed.recipe.config = config::dump_yaml(parsed.gpu.load());
  // The simulation uses the packed text of the configuration, not the files that it was read from.
  const config::GpuConfig gpu = bundle::gpu_of(parsed.recipe, "config.yaml", replay::known_names());
  const bundle::BundleWriter writer(parsed.recipe);
  const session::SessionFolder folder;
  const auto result = folder.path() / "result.json";
  const bundle::Totals totals = run_watched(signals, gpu, parsed.recipe, parsed.threads, result);
  writer.write(parsed.out, result);
  show("{}: {} on {}, {} cycles; 'sassim reproduce {}' runs it again\n", parsed.out, counted(totals.kernels, "kernel"),
       config::shown_name(gpu), totals.cycles, parsed.out);
  return ExitStatus::done;
}

void add_bundle(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<BundleArguments>();
  parsed->recipe.no_progress_cycles = arch::RunOptions().no_progress_cycles;
  CLI::App* command = program.add_subcommand(
      "bundle", "replay traces and pack the configuration, the traces, the options and the result into one file");
  command->add_option("out", parsed->out, "the bundle, such as gemm.sasb")->required()->type_name("OUT");
  command->add_option("traces", parsed->traces, ".sast files, or folders of Accel-Sim traces")
      ->required()
      ->type_name("TRACE");
  parsed->gpu.add_to(*command);
  add_threads(*command, parsed->threads);
  command->add_option("--caches", parsed->recipe.caches, kCachesHelp)
      ->check(CLI::IsMember({"cold", "warm", "keep"}))
      ->capture_default_str();
  command->add_flag("--allow-arch-mismatch", parsed->recipe.allow_arch_mismatch,
                    "allow traces that were made for another architecture");
  command
      ->add_option("--no-progress-cycles", parsed->recipe.no_progress_cycles,
                   "stop with an error after this many cycles in which no instruction issues")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--max-cycles", parsed->recipe.max_cycles,
                   "stop with status 5 if a kernel has not ended after this many cycles; 0: no limit")
      ->type_name("N");
  command->callback([&action, parsed] {
    action = [parsed] { return unless_stopped([&](StopSignals& signals) { return make_bundle(*parsed, signals); }); };
  });
}

const Command bundle_command(12, add_bundle);

}  // namespace

}  // namespace sassim::cli
