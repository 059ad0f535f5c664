// SPDX-License-Identifier: Apache-2.0
// What is said of a command line that cannot be understood.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sassim::cli {

/// One line: the unknown command or option with the nearest known one, or what CLI11 found. Commands that are not in
/// the help are not named.
std::string usage_error(CLI::App& program, const CLI::ParseError& error);

/// Every option whose value is called N takes a whole number of decimal digits: CLI11 by itself reads -3 as a very
/// large one, and 010 as 8.
void check_counts(CLI::App& command);

}  // namespace sassim::cli
