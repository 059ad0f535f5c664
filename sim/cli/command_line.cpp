// SPDX-License-Identifier: Apache-2.0
// Runs the subcommand that the user chose, and turns exceptions into a message and an exit status.
#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "arch/common/simulation_context.h"
#include "sim/base/durable_file.h"
#include "sim/base/printable.h"
#include "sim/base/stop_signals.h"
#include "sim/base/version.h"
#include "sim/cli/standard_streams.h"
#include "sim/cli/usage_error.h"

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
  return fmt::format("sassim {}{}\n{} build, {} {}.{}, C++{}\n", kVersion,
                     built_from().empty() ? "" : fmt::format(" ({})", built_from()), kBuild,
#ifdef __clang__
                     "clang", __clang_major__, __clang_minor__,
#else
                     "gcc", __GNUC__, __GNUC_MINOR__,
#endif
                     __cplusplus / 100 % 100);
}

std::string_view& commit_of_this() {
  static std::string_view commit;
  return commit;
}

int status(ExitStatus value) { return static_cast<int>(value); }

/// The program's footer must not appear in the help of each command.
void clear_footers(CLI::App& command) {
  command.footer("");
  for (CLI::App* below : command.get_subcommands([](CLI::App*) { return true; })) clear_footers(*below);
}

void build(CLI::App& program, Action& action) {
  program.description(
      "Cycle-level simulator of NVIDIA GPUs: replays SASS on a model of the chip and says where the cycles go.");
  program.footer(
      "'sassim COMMAND --help' explains a command.\n\n"
      "Exit status: 0 done; 1 done, but a check failed; 2 wrong usage; 3 bad input, or the system lacks a file, "
      "memory\n"
      "or threads; 4 not supported; 5 the simulated GPU stopped making progress; 6 internal error.");
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", version(), "print the version and how it was built");
  program.get_formatter()->column_width(36);
  auto sorted = commands();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  for (const auto& [order, add] : sorted) add(program, action);
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) clear_footers(*command);
  check_values(program);
}

/// Translates CLI11's status: its numbers differ from ours, and help and version are not errors.
int report(CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success))
    return fail(ExitStatus::usage, usage_error(program, error));
  program.exit(error);
  return status(ExitStatus::done);
}

/// Parses and runs. `lost`: the reason if standard output could not be written.
int parse_and_run(int argc, const char* const* argv, std::error_code& lost) {
  CLI::App program;
  program.name("sassim");
  Action action;
  try {
    build(program, action);
    if (const std::string wrong = flag_with_value(program, argc, argv); !wrong.empty())
      return fail(ExitStatus::usage, printable(wrong));
    program.parse(argc, argv);
    if (action) return status(action());
    return fail(ExitStatus::usage, "no command was given\n" + program.help());
  } catch (const CLI::ParseError& error) {
    return report(program, error);
  } catch (const Error& error) {
    // Only reports of no progress have several lines; in other messages, line ends come from quoted input.
    return fail(error.status(), error.status() == ExitStatus::no_progress ? error.what() : printable(error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    if (error.code() == std::errc::not_enough_memory) throw std::bad_alloc();
    return fail(ExitStatus::bad_input, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {
    if (!output_failed()) return fail(ExitStatus::internal, fmt::format("internal error: {}", error.what()));
    lost = error.code();
    return status(ExitStatus::bad_input);
  } catch (const std::exception& error) {
    return fail(ExitStatus::internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace

Command::Command(int order, AddCommand add) { commands().emplace_back(order, add); }

std::string_view built_from() { return commit_of_this(); }

int run(int argc, const char* const* argv, std::string_view commit) {
  commit_of_this() = commit;
  arch::give_back_systemc_heap();
  reserve_standard_streams();
  remove_temporaries_at_signals();
  outlive_snapshot_requests();
  std::error_code lost;
  try {
    const int result = parse_and_run(argc, argv, lost);
    return finish_output(result, lost);
  } catch (const std::bad_alloc&) {  // also one that was thrown while another error was reported
    return fail_without_memory();
  }
}

}  // namespace sassim::cli
