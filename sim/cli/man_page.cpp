// SPDX-License-Identifier: Apache-2.0
// Formats a command and its options as a manual page, for `sassim man`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/cli/described_command.h"

namespace sassim::cli {
namespace {

/// Text that man(7) must not take for a request or an escape.
std::string plain(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string option_text(const DescribedOption& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", plain(name));
  if (option.names.empty()) names = fmt::format("\\fI{}\\fR", plain(option.positional));
  std::string text = ".TP\n" + names;
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", plain(option.value));
  text += "\n" + plain(option.description);
  if (option.required) text += " (required)";
  if (option.repeated) text += " (several)";
  return text + "\n";
}

std::string synopsis(const DescribedCommand& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR", plain(fmt::format("{}", fmt::join(command.path, " "))));
  if (!command.commands.empty()) return text + " \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += " [\\fIOPTIONS\\fR]";
  for (const DescribedOption& option : command.options) {
    if (!option.names.empty()) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", plain(option.positional), option.repeated ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

}  // namespace

std::string man_page(const DescribedCommand& command, const std::string& version) {
  std::string text = fmt::format(".\\\" Made by 'sassim man'.\n.TH {} 1 \"\" \"sassim {}\" \"User Commands\"\n",
                                 page_name(command), version);
  const std::string first = command.description.substr(0, command.description.find_first_of(".:\n"));
  text += fmt::format(".SH NAME\n{} \\- {}\n", plain(page_name(command)), plain(first));
  text += synopsis(command);
  text += ".SH DESCRIPTION\n" + plain(command.description) + "\n";
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const DescribedCommand& below : command.commands)
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", plain(page_name(below)), plain(below.description));
  if (!command.options.empty()) text += ".SH OPTIONS\n";
  for (const DescribedOption& option : command.options) text += option_text(option);
  if (!command.footer.empty()) text += ".SH NOTES\n" + plain(command.footer) + "\n";
  if (command.path.size() > 1) text += ".SH SEE ALSO\n\\fBsassim\\fR(1)\n";
  return text;
}

}  // namespace sassim::cli
