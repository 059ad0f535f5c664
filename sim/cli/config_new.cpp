// SPDX-License-Identifier: Apache-2.0
// Writes the YAML of a new GPU from tools' output, measurements, and the user's answers.
#include "sim/cli/config_new.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "sim/base/data_folder.h"
#include "sim/base/durable_file.h"
#include "sim/base/input_file.h"
#include "sim/base/printable.h"
#include "sim/cli/standard_streams.h"
#include "sim/config/loader.h"
#include "sim/config/status.h"
#include "sim/replay/known_names.h"
#include "sim/validate/determined.h"

namespace sassim::cli {

namespace {

namespace fs = std::filesystem;

/// What the options, tools' output and, last, the person at the terminal say.
config::ChipFacts all_facts(const NewOptions& options) {
  config::ChipFacts facts = options.stated;
  for (const std::string& file : options.outputs)
    for (const auto& [key, fact] : config::facts_in_output(read_input_file(file, kToolOutput), file))
      facts.try_emplace(key, fact);
  std::vector<config::NeededFact> missing = config::missing_facts(facts);
  if (missing.empty()) return facts;
  if (isatty(STDIN_FILENO) == 1) {
    for (const config::NeededFact& needed : missing) {
      say(fmt::format("{} ({}): ", needed.meaning, needed.source).c_str());
      std::string answer;
      if (std::getline(std::cin, answer) && !answer.empty()) facts[needed.key] = {answer, "documented: data sheet"};
    }
    missing = config::missing_facts(facts);
  }
  if (missing.empty()) return facts;
  std::string text;
  for (const config::NeededFact& needed : missing)
    text += fmt::format("{}{}: {} ({})", text.empty() ? "" : "; ", needed.option, needed.meaning, needed.source);
  throw InputError("{} cannot be written yet; missing are {}", options.out, text);
}

std::vector<validate::Determined> measured_keys(const NewOptions& options) {
  if (options.hardware.empty()) return {};
  const fs::path table = fs::path(find_data_folder("validation", "SASSIM_VALIDATION")) / "determines.yaml";
  return validate::determined_keys(table.string(), validate::load_hardware(options.hardware, options.name));
}

/// How many values of the finished chip are of each status.
void print_summary(const config::LoadedConfig& loaded, const config::NewChip& chip) {
  std::map<std::string_view, int> counts;
  for (const auto& [key, set] : loaded.provenance)
    if (key != "name" && key != "description") ++counts[config::status_word(config::reason_of(set.comment).status)];
  std::string text;
  for (const std::string& word : config::status_words())
    if (counts[word] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[word], word);
  show("of all its values: {} (generation {}, memory {}; nearest chip: {})\n", text, chip.generation, chip.dram,
       chip.like);
}

}  // namespace

ExitStatus config_new(const NewOptions& options) {
  const config::ChipFacts facts = all_facts(options);
  const std::vector<validate::Determined> measured = measured_keys(options);
  config::ChipFacts keys;
  for (const validate::Determined& row : measured) keys[row.key] = row.fact;
  const config::NewChip chip = config::new_chip(options.name, facts, keys);
  const config::LoadedConfig loaded = config::read_config_text(chip.text, options.out, {{}, replay::known_names()});
  config::require_valid(loaded);
  if (fs::exists(options.out)) throw InputError("{}: exists already; --out names another file", options.out);
  write_durably(options.out, chip.text);
  show("{}: written\n", options.out);
  for (const auto& [key, set] : loaded.provenance)
    if (set.place.starts_with(options.out) && key != "name" && key != "description")
      show("  {:<32} {}\n", key, set.comment);
  if (!measured.empty()) show("measured values, rounded to what the configuration takes:\n");
  for (const validate::Determined& row : measured)
    show("  {:<32} {}: measured {:.6g}, residual {:+.1f} %\n", row.key, row.fact.value, row.measured,
         100 * row.residual());
  print_summary(loaded, chip);
  show("next: sassim config check {0}; sassim validate --config {0}{1}\n", options.out,
       options.hardware.empty() ? " --hardware FILE of tools/measure" : " --hardware " + options.hardware);
  return ExitStatus::done;
}

}  // namespace sassim::cli
