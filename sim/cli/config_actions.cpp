// SPDX-License-Identifier: Apache-2.0
// sassim config list, show, check, diff, explain: a GPU's values, and where each comes from.
#include "sim/cli/config_actions.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/printable.h"
#include "sim/cli/config_options.h"
#include "sim/cli/standard_streams.h"
#include "sim/config/dump.h"
#include "sim/config/field.h"
#include "sim/config/find.h"
#include "sim/config/key_path.h"
#include "sim/config/status.h"
#include "sim/config/units.h"
#include "sim/replay/known_names.h"
#include "sim/validate/expected_error.h"

namespace sassim::cli {

namespace {

using config::Field;
using config::FieldList;
using config::GpuConfig;
using config::LoadedConfig;

void print_notes(const LoadedConfig& loaded) {
  for (const std::string& note : loaded.notes) say(fmt::format("sassim: note: {}\n", printable(note)).c_str());
}

LoadedConfig load(const std::string& name, const config::LoadOptions& options) {
  LoadedConfig loaded = config::read_config(name, options);
  config::require_valid(loaded);
  print_notes(loaded);
  return loaded;
}

/// Where a value was set; for a group, where one of its keys was set last. nullptr: nowhere.
const config::Provenance* setter(const LoadedConfig& loaded, const std::string& path) {
  const config::Provenance* last = nullptr;
  for (const auto& [key, provenance] : loaded.provenance)
    if ((key == path || key.starts_with(fmt::format("{}.", path))) && (!last || provenance.level > last->level))
      last = &provenance;
  return last;
}

/// The place and the source of a value, for a comment.
std::string where(const LoadedConfig& loaded, const std::string& path) {
  const config::Provenance* from = setter(loaded, path);
  if (!from) return "default";
  std::string text = from->place;
  if (!from->written.empty()) text += fmt::format(" ({})", from->written);
  return from->comment.empty() ? text : fmt::format("{}: {}", text, from->comment);
}

/// Status, reason and place of a value: "measured: V100 report table 3.1 (configs/chips/v100.yaml:15:15)".
std::string why(const LoadedConfig& loaded, const std::string& path) {
  const config::Provenance* from = setter(loaded, path);
  if (!from) return "no layer names it";
  std::string place = from->place;
  if (from->written.starts_with("from "))
    place += fmt::format(", {}", from->written);
  else if (!from->written.empty() && from->written != "none")
    place += fmt::format(", written {}", from->written);
  const config::Reason reason = config::reason_of(from->comment);
  if (reason.text.empty()) return place;
  const std::string_view word = config::status_word(reason.status);
  return word.empty() ? fmt::format("{}  ({})", reason.text, place)
                      : fmt::format("{}: {}  ({})", word, reason.text, place);
}

/// The values of one field in several configurations, with the place of each.
struct Shown {
  std::string name;
  LoadedConfig loaded;
};

std::vector<Shown> configurations(const ConfigOptions& which) {
  std::vector<Shown> shown;
  if (!which.config.empty()) {
    LoadedConfig loaded = load(which.config, which.load_options());
    shown.push_back({loaded.config.name, std::move(loaded)});
    return shown;
  }
  for (const config::ConfigFile& file : config::list_configs()) {
    LoadedConfig loaded = config::read_config(file.path, which.load_options());
    if (loaded.problems.empty()) shown.push_back({file.name, std::move(loaded)});
  }
  return shown;
}

/// The values that a key can have; those of policies and units are the names that have been registered.
std::string values_of(const Field& field) {
  static const config::KnownNames known = replay::known_names();
  const auto found = known.find(field.path);
  return field.spec.plugin && found != known.end() ? fmt::format("one of {}", fmt::join(found->second, ", "))
                                                   : field.range();
}

void explain_one(const Field& field, std::vector<Shown>& shown) {
  show("{}\n  {}\n  values:  {}\n", field.path, field.meaning, values_of(field));
  for (Shown& gpu : shown) {
    const FieldList list(gpu.loaded.config);
    const Field& own = *list.find(field.path);
    show("  {}: {}  {}\n", gpu.name, list.is_absent(own) ? "none" : own.format(), why(gpu.loaded, field.path));
  }
}

/// Prints which GPUs have an optional mechanism, and why the others lack it.
void explain_option(const config::Group& group, std::vector<Shown>& shown) {
  for (Shown& gpu : shown) {
    const FieldList list(gpu.loaded.config);
    const bool absent = list.is_absent(*list.find_group(group.path));
    show("  {}: {}  {}\n", gpu.name, absent ? "none" : "yes", why(gpu.loaded, group.path));
  }
}

void explain_briefly(const Field& field) { show("  {:<40} {:<24} {}\n", field.path, values_of(field), field.meaning); }

/// Prints the keys of a group; "" means all keys.
void explain_group(const FieldList& list, const std::string& path) {
  const auto below = [&](const std::string& other) { return path.empty() || other.starts_with(path + "."); };
  if (const config::Group* group = list.find_group(path)) show("{}: {}\n", path, group->meaning);
  for (const Field& field : list.fields())
    if (below(field.path)) explain_briefly(field);
}

/// The full path of the only group that `key` names or ends; "" if there is none.
std::string find_group(const FieldList& list, const std::string& key) {
  if (list.find_group(key)) return key;
  std::string found;
  for (const config::Group& group : list.groups())
    if (group.path.ends_with("." + key) && (found.empty() || group.path.size() < found.size())) found = group.path;
  return found;
}

/// One line such as "Tesla T4 16 GB, Turing; 40 SMs at 1590MHz, DRAM 320 GB/s; measured: PAGE".
std::string summary(const GpuConfig& c) {
  const validate::Trust trust = validate::trust_in(c.name);
  return fmt::format("{}; {} SMs at {}, DRAM {:.0f} GB/s; {}: {}", c.description, c.sm.count,
                     config::format_quantity(c.clock.sm, config::Unit::hertz),
                     static_cast<double>(c.memory.bandwidth) / 1e9, trust.word, trust.page);
}

}  // namespace

ExitStatus config_list() {
  const auto files = config::some_configs();
  std::size_t width = 0;
  for (const auto& file : files) width = std::max(width, file.name.size());
  for (const auto& file : files) {
    const LoadedConfig loaded = config::read_config(file.path, {});
    const std::string about =
        loaded.problems.empty() ? summary(loaded.config) : fmt::format("not valid: {}", loaded.problems.front());
    show("{:<{}}  {}  ({})\n", file.name, width, about, config::display_path(file.path));
  }
  return ExitStatus::done;
}

ExitStatus config_show(const ConfigOptions& which, const ShowOptions& how) {
  const LoadedConfig loaded = load(which.config, which.load_options());
  if (how.json) {
    const nlohmann::ordered_json json = {{"name", loaded.config.name},
                                         {"hash", config::config_hash(loaded.config)},
                                         {"resolved", config::to_json(loaded.config)}};
    fmt::print("{}\n", json.dump(2));
  } else if (how.sources) {
    show("{}", config::dump_yaml(loaded.config, [&](const std::string& path) { return where(loaded, path); }));
  } else {
    show("{}", config::dump_yaml(loaded.config));
  }
  return ExitStatus::done;
}

ExitStatus config_check(const std::vector<std::string>& files, const ConfigOptions& changes) {
  std::vector<std::string> todo = files;
  if (todo.empty())
    for (const auto& file : config::list_configs()) todo.push_back(file.path);
  ExitStatus status = ExitStatus::done;
  for (const std::string& file : todo) {
    std::vector<std::string> problems;
    LoadedConfig loaded;
    try {
      loaded = config::read_config(file, changes.load_options());
      problems = loaded.problems;
    } catch (const InputError& error) {
      problems.emplace_back(error.what());
    }
    print_notes(loaded);
    for (const std::string& problem : problems) say(fmt::format("{}\n", printable(problem)).c_str());
    if (problems.empty())
      show("{}: ok, {} (hash {})\n", loaded.chain.front(), config::shown_name(loaded.config),
           config::config_hash(loaded.config));
    else
      status = ExitStatus::bad_input;
  }
  return status;
}

ExitStatus config_diff(const std::string& left, const std::string& right, const ConfigOptions& changes) {
  const auto a = load(left, {{}, replay::known_names()});
  const auto b = load(right, changes.load_options());
  const auto found = config::differences(a.config, b.config);
  std::size_t path_width = 0, value_width = 0;
  for (const auto& difference : found) {
    path_width = std::max(path_width, difference.path.size());
    value_width = std::max(value_width, difference.left.size());
  }
  for (const auto& difference : found)
    show("{:<{}}  {:<{}}  {}\n", difference.path, path_width, difference.left, value_width, difference.right);
  return ExitStatus::done;
}

ExitStatus config_explain(const std::vector<std::string>& keys, const ConfigOptions& which) {
  GpuConfig defaults;
  const FieldList list(defaults);
  if (keys.empty()) {
    explain_group(list, "");
    return ExitStatus::done;
  }
  std::vector<Shown> shown = configurations(which);
  for (const std::string& key : keys) {
    const std::string group = find_group(list, key);
    if (!group.empty() && !list.find(key)) {
      explain_group(list, group);
      if (list.find_group(group)->optional) explain_option(*list.find_group(group), shown);
    } else {
      explain_one(*list.find(config::resolve_key(list, key)), shown);
    }
  }
  return ExitStatus::done;
}

}  // namespace sassim::cli
