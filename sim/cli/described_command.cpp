// SPDX-License-Identifier: Apache-2.0
// Reads names, options and help texts from the CLI11 parser, for completions and manual pages.
#include "sim/cli/described_command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <sstream>

namespace sassim::cli {
namespace {

/// "TEXT:{cold,warm}": CLI11 shows a set of words so.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> words;
  if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

DescribedOption describe_option(const CLI::Option& option) {
  DescribedOption described;
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (described.names.empty()) described.positional = option.get_name();
  described.description = option.get_description();
  described.required = option.get_required();
  if (option.get_items_expected_max() == 0) return described;
  described.value = option.get_type_name();
  described.choices = choices_of(described.value);
  described.repeated = option.get_items_expected_max() > 1;
  return described;
}

DescribedCommand describe_below(const CLI::App& app, std::vector<std::string> path) {
  path.push_back(app.get_name());
  DescribedCommand command{path, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) command.options.push_back(describe_option(*option));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); }))
    command.commands.push_back(describe_below(*below, path));
  return command;
}

}  // namespace

DescribedCommand describe(const CLI::App& program) { return describe_below(program, {}); }

std::string page_name(const DescribedCommand& command) {
  std::string name;
  for (const std::string& word : command.path) name += (name.empty() ? "" : "-") + word;
  return name;
}

}  // namespace sassim::cli
