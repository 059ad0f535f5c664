// SPDX-License-Identifier: Apache-2.0
// What a page shows of a terminal: blocks ```console, in which a line "$ COMMAND" is followed by the output it gives.
#pragma once

#include <string>
#include <vector>

namespace sassim {

using Lines = std::vector<std::string>;

/// Spaces at the ends of lines are dropped.
Lines split_lines(const std::string& text);

struct ShownCommand {
  std::string info;      ///< what follows ``` of its block: "console", "console cuda"
  std::string command;   ///< without "$ "
  Lines output;          ///< as the page shows it
  std::size_t line = 0;  ///< of the page, at which the output begins
};

std::vector<ShownCommand> shown_commands(const Lines& page);

/// Whether the output is what the page shows. In the page a line "..." stands for any number of lines, and "..." within
/// a line for any text.
bool shows(const Lines& shown, const Lines& output);

/// The page's lines with new numbers: each is replaced by the next line of the output that has the same words; "..."
/// stays. Nothing shown becomes the whole output. A line that has no counterpart stays, so that shows() goes on
/// refusing it.
Lines updated(const Lines& shown, const Lines& output);

}  // namespace sassim
