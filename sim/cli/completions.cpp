// SPDX-License-Identifier: Apache-2.0
// Scripts with which shells complete the command line. Names of GPUs are asked for when they are needed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/cli/described_command.h"

namespace sassim::cli {
namespace {

constexpr const char* kGpus = "sassim config list 2>/dev/null | sed -n 's/^\\([a-z0-9][^ ]*\\) .*/\\1/p'";

bool takes_gpu(const DescribedOption& option) { return option.value.find("NAME|FILE") != std::string::npos; }

std::string quoted(const std::string& text) {  // between single quotes of sh
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return out;
}

template <class Visit>
void each(const DescribedCommand& command, const Visit& visit) {
  visit(command);
  for (const DescribedCommand& below : command.commands) each(below, visit);
}

std::vector<std::string> words_of(const DescribedCommand& command) {
  std::vector<std::string> words;
  for (const DescribedCommand& below : command.commands) words.push_back(below.path.back());
  for (const DescribedOption& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return words;
}

std::string bash(const DescribedCommand& program) {
  std::string words, values, names;
  each(program, [&](const DescribedCommand& command) {
    const std::string path = fmt::format("{}", fmt::join(command.path, " "));
    words += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words_of(command), " "));
    if (command.path.size() > 1) names += fmt::format("      '{}') path=\"$path $word\" ;;\n", path);
    for (const DescribedOption& option : command.options)
      for (const std::string& name : option.names) {
        if (takes_gpu(option))
          values += fmt::format("    '{} {}') COMPREPLY=($(compgen -f -W \"$({})\" -- \"$now\")); return ;;\n", path,
                                name, kGpus);
        else if (!option.choices.empty())
          values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$now\")); return ;;\n", path, name,
                                fmt::join(option.choices, " "));
        else if (!option.value.empty())
          values += fmt::format("    '{} {}') COMPREPLY=($(compgen -f -- \"$now\")); return ;;\n", path, name);
      }
  });
  return fmt::format(R"(# Made by 'sassim completions bash'.
_sassim() {{
  local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path=sassim word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{}    esac
  done
  case "$path $before" in
{}  esac
  case "$path" in
{}  esac
  if [[ $now == -* || $path == sassim ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$now"))
  else
    COMPREPLY=($(compgen -f -W "$words" -- "$now"))
  fi
}}
complete -o filenames -F _sassim sassim
)",
                     names, values, words);
}

std::string zsh_text(const std::string& text) {  // within [...] of _arguments
  std::string out;
  for (const char c : quoted(text)) out += (c == '[' || c == ']' || c == ':' ? "\\" : "") + std::string(1, c);
  return out;
}

std::string zsh_value(const DescribedOption& option) {
  if (option.value.empty()) return "";
  if (takes_gpu(option)) return ":gpu:_sassim_gpus";
  if (!option.choices.empty()) return fmt::format(":value:({})", fmt::join(option.choices, " "));
  return ":value:_files";
}

std::string zsh_function(const DescribedCommand& command) {
  const std::string name = fmt::format("_{}", fmt::join(command.path, "_"));
  std::string text = name + "() {\n  local line state\n  _arguments -C";
  for (const DescribedOption& option : command.options)
    for (const std::string& word : option.names)
      text += fmt::format(" \\\n    '{}{}[{}]{}'", option.repeated ? "*" : "", word, zsh_text(option.description),
                          zsh_value(option));
  if (command.commands.empty()) return text + " \\\n    '*:file:_files'\n}\n\n";
  text +=
      " \\\n    '1:command:->command' '*::argument:->arguments'\n  case $state in\n    command)\n      local -a "
      "commands=(";
  for (const DescribedCommand& below : command.commands)
    text += fmt::format("\n        '{}:{}'", below.path.back(), quoted(below.description));
  text += ")\n      _describe command commands ;;\n    arguments)\n      case $line[1] in\n";
  for (const DescribedCommand& below : command.commands)
    text += fmt::format("        {}) _{} ;;\n", below.path.back(), fmt::join(below.path, "_"));
  return text + "      esac ;;\n  esac\n}\n\n";
}

std::string zsh(const DescribedCommand& program) {
  std::string text = "#compdef sassim\n# Made by 'sassim completions zsh'.\n";
  text += fmt::format("_sassim_gpus() {{\n  compadd -- $({})\n  _files\n}}\n\n", kGpus);
  each(program, [&](const DescribedCommand& command) { text += zsh_function(command); });
  return text + "if [ \"$funcstack[1]\" = _sassim ]; then _sassim \"$@\"; else compdef _sassim sassim; fi\n";
}

/// The words that must have been typed before a command's options are offered.
std::string fish_condition(const DescribedCommand& command) {
  if (command.path.size() == 1) return "__fish_use_subcommand";
  std::string text;
  for (std::size_t i = 1; i < command.path.size(); ++i)
    text += (i > 1 ? "; and " : "") + ("__fish_seen_subcommand_from " + command.path[i]);
  return text;
}

std::string fish(const DescribedCommand& program) {
  std::string text = "# Made by 'sassim completions fish'.\n";
  each(program, [&](const DescribedCommand& command) {
    const std::string condition = fish_condition(command);
    for (const DescribedCommand& below : command.commands)
      text += fmt::format("complete -c sassim -n '{}' -a {} -d '{}'\n", condition, below.path.back(),
                          quoted(below.description));
    for (const DescribedOption& option : command.options) {
      if (option.names.empty()) continue;
      text += fmt::format("complete -c sassim -n '{}'", condition);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (takes_gpu(option))
        text += fmt::format(" -r -a \"({})\"", kGpus);
      else if (!option.choices.empty())
        text += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      else if (!option.value.empty())
        text += " -r";
      text += fmt::format(" -d '{}'\n", quoted(option.description));
    }
  });
  return text;
}

}  // namespace

std::string completions(const DescribedCommand& program, const std::string& shell) {
  return shell == "bash" ? bash(program) : shell == "zsh" ? zsh(program) : fish(program);
}

}  // namespace sassim::cli
