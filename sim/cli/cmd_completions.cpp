// SPDX-License-Identifier: Apache-2.0
// sassim completions and sassim man: files for shells and man(1), made when packages are built.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "sim/base/durable_file.h"
#include "sim/base/version.h"
#include "sim/cli/command_line.h"
#include "sim/cli/described_command.h"
#include "sim/cli/standard_streams.h"

namespace sassim::cli {
namespace {

void write_pages(const DescribedCommand& command, const std::filesystem::path& folder) {
  write_durably((folder / (page_name(command) + ".1")).string(), man_page(command, kVersion));
  for (const DescribedCommand& below : command.commands) write_pages(below, folder);
}

void add_completions(CLI::App& program, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completions", "print a script with which a shell completes the command line");
  command->group("");
  command->add_option("shell", *shell)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&program, &action, shell] {
    action = [&program, shell] {
      show(completions(describe(program), *shell));
      return ExitStatus::done;
    };
  });
}

void add_man(CLI::App& program, Action& action) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("man", "write a manual page for each command into a folder");
  command->group("");
  command->add_option("folder", *folder)->required();
  command->callback([&program, &action, folder] {
    action = [&program, folder] {
      std::filesystem::create_directories(*folder);
      write_pages(describe(program), *folder);
      return ExitStatus::done;
    };
  });
}

const Command completions_command(92, add_completions);
const Command man_command(93, add_man);

}  // namespace
}  // namespace sassim::cli
