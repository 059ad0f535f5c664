// SPDX-License-Identifier: Apache-2.0
// The command line as data: what `sassim completions` and `sassim man` write down.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sassim::cli {

struct DescribedOption {
  std::vector<std::string> names;  ///< with dashes, short ones first; empty: a positional argument
  std::string positional;          ///< the name of a positional argument
  std::string value;               ///< what it takes, as --help shows it; empty: a flag
  std::string description;
  std::vector<std::string> choices;  ///< the only words that it takes; empty: any
  bool required = false;
  bool repeated = false;  ///< can be given several times
};

struct DescribedCommand {
  std::vector<std::string> path;  ///< "sassim", "config", "list"
  std::string description, footer;
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;
};

/// Without what is hidden from --help.
DescribedCommand describe(const CLI::App& program);

/// "bash", "zsh" or "fish".
std::string completions(const DescribedCommand& program, const std::string& shell);

/// A manual page in the language of man(7).
std::string man_page(const DescribedCommand& command, const std::string& version);

/// "sassim-config-list"
std::string page_name(const DescribedCommand& command);

}  // namespace sassim::cli
