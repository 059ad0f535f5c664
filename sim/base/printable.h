// SPDX-License-Identifier: Apache-2.0
// Text from outside (names in traces and cubins, arguments) that a terminal, a JSON file or a log is to show.
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// The text with everything that a terminal would obey, and every byte that is not UTF-8, written as \xNN. What is
/// printable stays as it is; the result is always valid UTF-8 in one line.
std::string printable(std::string_view text);

/// The same for text of several lines: line ends stay, and a line longer than `longest` bytes loses its middle, for
/// "...".
std::string printable_lines(std::string_view text, std::size_t longest);

}  // namespace sassim
