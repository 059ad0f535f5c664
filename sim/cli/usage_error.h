// SPDX-License-Identifier: Apache-2.0
// Messages about a command line that cannot be parsed.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sassim::cli {

/// One line: the unknown command or option with the most similar known one, or CLI11's message. Hidden commands are not
/// suggested.
std::string usage_error(CLI::App& program, const CLI::ParseError& error);

/// An error message if a flag, which has no value, was given one (--serial=5); else empty.
std::string flag_with_value(const CLI::App& program, int argc, const char* const* argv);

/// Makes every option with a value N accept only whole decimal numbers: CLI11 itself reads -3 as a very large number
/// and 010 as 8. An option with a value FILE accepts neither an empty name nor "-".
void check_values(CLI::App& command);

}  // namespace sassim::cli
