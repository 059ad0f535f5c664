// SPDX-License-Identifier: Apache-2.0
// sassim sass: times a loop of hand-written SASS on the model
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/cli/command_line.h"
#include "sim/cli/config_options.h"
#include "sim/validate/sass_benchmark.h"

namespace sassim::cli {
namespace {

struct SassArguments {
  ConfigOptions gpu;
  std::string file;
  std::vector<std::string> arguments;
};

ExitStatus run_sass(const SassArguments& parsed) {
  if (std::filesystem::is_directory(parsed.file)) throw InputError("{}: is a folder, not a file of SASS", parsed.file);
  const std::string text = read_input_file(parsed.file, kSassFile);
  for (const auto& [id, value] : validate::run_sass_benchmark(text, parsed.file, parsed.gpu.load(), parsed.arguments))
    fmt::print("{{\"id\": \"{}\", \"value\": {:.6g}}}\n", id, value);
  return ExitStatus::done;
}

void add_sass(CLI::App& program, Action& action) {
  const auto parsed = std::make_shared<SassArguments>();
  CLI::App* command = program.add_subcommand("sass", "time a loop of hand-written SASS (validation/programs/sass)");
  parsed->gpu.add_to(*command);
  command->add_option("file", parsed->file, "file of SASS with control bits; its //! lines say what to print")
      ->required()
      ->type_name("FILE");
  command->add_option("arguments", parsed->arguments, "values for what the file has in braces, such as {op}")
      ->type_name("NAME=VALUE");
  command->callback([&action, parsed] { action = [parsed] { return run_sass(*parsed); }; });
}

const Command sass_command(51, add_sass);

}  // namespace
}  // namespace sassim::cli
