// SPDX-License-Identifier: Apache-2.0
// Messages about wrong command lines, with the nearest option; checks of numbers and names.
#include "sim/cli/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/suggest.h"

namespace sassim::cli {

namespace {

/// The program, the subcommand that was being parsed, and all commands between them.
std::vector<CLI::App*> parsed_chain(CLI::App& program) {
  std::vector<CLI::App*> chain{&program};
  for (auto below = program.get_subcommands(); !below.empty(); below = chain.back()->get_subcommands())
    chain.push_back(below.front());
  return chain;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? fmt::format("{} {}", full_name(*app.get_parent()), app.get_name()) : app.get_name();
}

/// Commands in the help: those with a group.
std::vector<CLI::App*> visible_commands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : visible_commands(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool looks_like_option(const std::string& word) { return word.size() > 1 && word.starts_with('-') && word != "--"; }

/// If the option belongs to a command and stands before it: a hint with the right order.
std::string place_of(CLI::App& app, const std::string& option) {
  for (CLI::App* command : visible_commands(app))
    if (std::ranges::count(option_names(*command), option) != 0)
      return fmt::format("; it belongs behind a command: {} {} {}", full_name(app), command->get_name(), option);
  return {};
}

std::string unknown_option(CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::string hint = did_you_mean(name, option_names(app));
  if (hint.empty()) hint = place_of(app, name);
  return fmt::format("unknown option '{}'{} (see '{} --help')", name, hint, full_name(app));
}

std::string unknown_command(CLI::App& app, const std::string& word) {
  const auto names = command_names(app);
  return fmt::format("unknown command '{} {}'{}; known: {}", full_name(app), word, did_you_mean(word, names),
                     fmt::join(names, ", "));
}

/// Converts a number to the form that CLI11 reads correctly; returns an error message or "".
std::string whole_number(std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return fmt::format("'{}' is not a whole number from 0 to {}", text, ~std::uint64_t{0});
  text = std::to_string(value);
  return {};
}

/// An error message, or "". A script with an unset variable gives an empty name.
std::string file_name(const std::string& text) {
  if (text.empty()) return "an empty file name; name a file, or leave the option out";
  if (text == "-") return "'-' is no file name; write /dev/stdout for standard output, or ./- for a file of this name";
  return {};
}

/// The type of an option's value; CLI11 appends the checks of an option behind a colon.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

}  // namespace

std::string usage_error(CLI::App& program, const CLI::ParseError& error) {
  const auto chain = parsed_chain(program);
  for (CLI::App* app : chain)
    for (const std::string& word : app->remaining())
      if (looks_like_option(word)) return unknown_option(*app, word);
  CLI::App& command = *chain.back();
  const auto rest = command.remaining();
  if (!rest.empty() && !visible_commands(command).empty()) return unknown_command(command, rest.front());
  return fmt::format("{} (see '{} --help')", error.what(), full_name(command));
}

std::string flag_with_value(const CLI::App& program, int argc, const char* const* argv) {
  const CLI::App* command = &program;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") break;
    const auto below = command->get_subcommands([&](const CLI::App* app) { return app->get_name() == word; });
    if (!below.empty()) {
      command = below.front();
      continue;
    }
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos) continue;
    const CLI::Option* option = command->get_option_no_throw(word.substr(0, equals));
    if (option != nullptr && option->get_items_expected_max() == 0)
      return fmt::format("{}: this option has no value; write {} alone, or leave it out (see '{} --help')", word,
                         word.substr(0, equals), full_name(*command));
  }
  return {};
}

void check_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string type = type_of(*option);
    if (type == "N") option->transform(CLI::Validator(whole_number, "", "whole number"));
    if (type == "FILE" || type == "FILE.vcd") option->check(CLI::Validator(file_name, "", "file name"));
  }
  for (CLI::App* below : command.get_subcommands([](CLI::App*) { return true; })) check_values(*below);
}

}  // namespace sassim::cli
