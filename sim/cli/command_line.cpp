// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "sim/base/durable_file.h"
#include "sim/base/suggest.h"
#include "sim/base/version.h"

namespace sassim::cli {

namespace {

using Entry = std::pair<int, AddCommand>;

std::vector<Entry>& commands() {
  static std::vector<Entry> all;
  return all;
}

#ifdef NDEBUG
constexpr const char* kBuild = "release";
#else
constexpr const char* kBuild = "debug";
#endif

std::string version() {
  return fmt::format("sassim {}\n{} build, {} {}.{}, C++{}\n", kVersion, kBuild,
#ifdef __clang__
                     "clang", __clang_major__, __clang_minor__,
#else
                     "gcc", __GNUC__, __GNUC_MINOR__,
#endif
                     __cplusplus / 100 % 100);
}

int status(ExitStatus value) { return static_cast<int>(value); }

int fail(ExitStatus value, const std::string& what) {
  fmt::print(stderr, "sassim: {}\n", what);
  return status(value);
}

/// The program's footer is not repeated under each command.
void clear_footers(CLI::App& command) {
  command.footer("");
  for (CLI::App* below : command.get_subcommands([](CLI::App*) { return true; })) clear_footers(*below);
}

void build(CLI::App& program, Action& action) {
  program.description(
      "Cycle-level simulator of NVIDIA GPUs: replays SASS on a model of the chip and says where the cycles go.");
  program.footer(
      "'sassim COMMAND --help' explains a command.\n\n"
      "Exit status: 0 done; 1 done, but a check failed; 2 wrong usage; 3 bad input; 4 not supported;\n"
      "5 the simulated GPU stopped making progress; 6 internal error.");
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", version(), "print the version and how it was built");
  program.get_formatter()->column_width(36);
  auto sorted = commands();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  for (const auto& [order, add] : sorted) add(program, action);
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) clear_footers(*command);
}

/// The subcommand that was being parsed.
CLI::App& deepest(CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest(*parsed.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? fmt::format("{} {}", full_name(*app.get_parent()), app.get_name()) : app.get_name();
}

std::vector<std::string> subcommand_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string usage_error(CLI::App& program, const CLI::ParseError& error) {
  CLI::App& command = deepest(program);
  const auto names = subcommand_names(command);
  const auto rest = command.remaining();
  if (!names.empty() && !rest.empty() && !rest.front().starts_with('-'))
    return fmt::format("unknown command '{} {}'{}; known: {}", full_name(command), rest.front(),
                       did_you_mean(rest.front(), names), fmt::join(names, ", "));
  return fmt::format("{} (see '{} --help')", error.what(), full_name(command));
}

/// CLI11's own status numbers are not ours; help and version are no errors.
int report(CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
    return fail(ExitStatus::usage, usage_error(program, error));
  program.exit(error);
  return status(ExitStatus::done);
}

}  // namespace

Command::Command(int order, AddCommand add) { commands().emplace_back(order, add); }

int run(int argc, const char* const* argv) {
  remove_temporaries_at_signals();
  CLI::App program;
  program.name("sassim");
  Action action;
  try {
    build(program, action);
    program.parse(argc, argv);
    if (!action) {
      fmt::print(stderr, "{}", program.help());
      return status(ExitStatus::usage);
    }
    const ExitStatus result = action();
    if (std::fflush(stdout) != 0) return fail(ExitStatus::internal, "standard output cannot be written");
    return status(result);
  } catch (const CLI::ParseError& error) {
    return report(program, error);
  } catch (const Error& error) {
    return fail(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitStatus::internal, "internal error: out of memory");
  } catch (const std::exception& error) {
    return fail(ExitStatus::internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace sassim::cli
