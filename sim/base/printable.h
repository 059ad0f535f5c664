// SPDX-License-Identifier: Apache-2.0
// Makes text from outside (names in traces and cubins, arguments) safe for terminals, JSON files and logs.
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// Writes every character that controls a terminal, every invisible one (marks of direction among them) and every byte
/// that is not UTF-8 as \xNN; keeps other characters. The result is one line of valid UTF-8.
std::string printable(std::string_view text);

/// The same for several lines: line ends stay, and a line longer than `longest` bytes has its middle replaced by "...".
std::string printable_lines(std::string_view text, std::size_t longest);

/// The same for a JSON document of one line: its strings hold what printable() makes of them.
std::string printable_json(std::string_view document);

}  // namespace sassim
