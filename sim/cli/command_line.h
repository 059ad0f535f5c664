// SPDX-License-Identifier: Apache-2.0
// The `sassim` command: each subcommand is one file that registers itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/base/error.h"

namespace CLI {
class App;
}

namespace sassim::cli {

/// The work of the chosen subcommand. Its CLI11 callback sets it, and it runs after parsing has succeeded, so that
/// wrong usage cannot be confused with a failed run.
using Action = std::function<ExitStatus()>;

/// Adds a subcommand to the program; its callback must set `action`.
using AddCommand = void (*)(CLI::App& program, Action& action);

/// `static const Command command(10, add_config);` at the end of cmd_config.cpp. `order` is the position in `sassim
/// --help`.
struct Command {
  Command(int order, AddCommand add);
};

/// The commit of the source, from main(); empty: unknown.
std::string_view built_from();

/// Parses and runs. Results go to standard output; errors go to standard error as one line. The result is an
/// ExitStatus. `commit` is not copied: it must be a literal.
int run(int argc, const char* const* argv, std::string_view commit = {});

}  // namespace sassim::cli
