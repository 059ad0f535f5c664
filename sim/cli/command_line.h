// SPDX-License-Identifier: Apache-2.0
// How the `sassim` command is put together: one file per subcommand, each of which registers itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/base/error.h"

namespace CLI {
class App;
}

namespace sassim::cli {

/// What parsing chose to do. A subcommand's CLI11 callback sets it; it runs after parsing has succeeded, so that wrong
/// usage and a failing run cannot be mixed up.
using Action = std::function<ExitStatus()>;

/// Adds a subcommand to the program; its callback must set `action`.
using AddCommand = void (*)(CLI::App& program, Action& action);

/// `static const Command command(10, add_config);` at the end of cmd_config.cpp. `order` is the place in `sassim
/// --help`.
struct Command {
  Command(int order, AddCommand add);
};

/// The commit of the source, as main() gave it; empty: not known.
std::string_view built_from();

/// Parses and runs. Results go to standard output, errors, as one line, to standard error; the exit statuses are those
/// of ExitStatus. `commit` is kept as it is given: a literal.
int run(int argc, const char* const* argv, std::string_view commit = {});

}  // namespace sassim::cli
