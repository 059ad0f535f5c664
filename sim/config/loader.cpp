// SPDX-License-Identifier: Apache-2.0
// Fills a GpuConfig from YAML files and `-o` overrides, notes where each value came from, and lists all problems.
#include "sim/config/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sim/base/error.h"
#include "sim/base/log.h"
#include "sim/base/suggest.h"
#include "sim/config/check.h"
#include "sim/config/complete.h"
#include "sim/config/describe.h"
#include "sim/config/find.h"
#include "sim/config/key_path.h"
#include "sim/config/layers.h"
#include "sim/config/renamed.h"
#include "sim/config/settle.h"

namespace sassim::config {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxProblems = 50;
constexpr std::string_view kNone = "none";
/// The level of a clock profile that the command line chooses: single overrides still change its clocks.
constexpr int kClocksLevel = kOverrideLevel - 1;

/// The name of the last override "clocks=NAME"; empty: there is none.
std::string chosen_clocks(const std::vector<std::string>& overrides) {
  std::string name;
  for (const std::string& text : overrides)
    if (is_clock_choice(text)) name = text.substr(kClockProfiles.size() + 1);
  return name;
}

class Loader {
 public:
  Loader(LoadedConfig& out, const LoadOptions& options) : out_(out), options_(options), list_(out.config) {}

  void apply(const SourceFile& source);
  void choose_clocks(const std::optional<ClockProfiles>& profiles);
  void override_with(const std::string& text);
  void settle();

 private:
  void problem(std::string text) {
    // A quoted value may have many lines, but a problem has one.
    if (const auto end = text.find('\n'); end != std::string::npos) text = text.substr(0, end) + "...";
    if (out_.problems.size() < kMaxProblems) out_.problems.push_back(std::move(text));
  }
  void problem(const SourceFile& source, Mark mark, const std::string& what) {
    problem(fmt::format("{}: {}{}", source.place(mark), what, source.via));
  }

  void check_clocks(const YamlNode::Entry& profile, const SourceFile& source);
  void mapping(const YamlNode& node, const std::string& prefix, const SourceFile& source, const std::string& inherited);
  void unknown_key(const YamlNode::Entry& entry, const std::string& prefix, const SourceFile& source);
  void moved(const std::string& place, std::string_view before, std::string_view now);
  void group(const Group& group, const YamlNode::Entry& entry, const SourceFile& source, const std::string& note);
  void value(const Field& field, const YamlNode& node, const SourceFile& source, const std::string& inherited);
  void remove(const Group& group, const Provenance& who);
  std::string assign(const Field& field, const std::vector<std::string_view>& words, std::string& written);
  std::string assign_later(const Field& field, std::string_view word, std::string& written);
  std::string check_known(const Field& field) const;
  const Group* option_named(std::string_view key) const;

  LoadedConfig& out_;
  const LoadOptions& options_;
  FieldList list_;
  Unsettled unsettled_;
  std::vector<std::string> changes_;          ///< overrides that changed a value
  std::set<std::string, std::less<>> moved_;  ///< new names that a note has told
  int level_ = 0;
};

void Loader::apply(const SourceFile& source) {
  ++level_;
  mapping(source.root, "", source, "");
  settle_bandwidth(out_, level_);
}

/// Applies the clock profile that the options name. The profiles of all other names are checked.
void Loader::choose_clocks(const std::optional<ClockProfiles>& profiles) {
  const std::string wanted = chosen_clocks(options_.overrides);
  std::vector<std::string> names;
  if (profiles)
    for (const YamlNode::Entry& profile : profiles->by_name.entries) {
      names.push_back(profile.key);
      check_clocks(profile, profiles->source);
      if (profile.key != wanted || !out_.problems.empty()) continue;
      const Clocks before = out_.config.clock;
      const bool as_sm = unsettled_.l2_as_sm;
      level_ = kClocksLevel;
      mapping(profile.value, "clock", profiles->source, profiles->source.comment(profile.mark));
      settle_bandwidth(out_, level_);
      const Clocks& now = out_.config.clock;
      if (now.sm != before.sm || now.l2 != before.l2 || now.dram != before.dram || unsettled_.l2_as_sm != as_sm)
        changes_.push_back(fmt::format("{}={}", kClockProfiles, wanted));
    }
  if (wanted.empty() || std::ranges::find(names, wanted) != names.end()) return;
  if (names.empty())
    return problem(
        fmt::format("--clocks {}: {} has no clock profiles; -o clock.sm=... sets a clock", wanted, out_.config.name));
  problem(fmt::format("--clocks {}: {} has no clocks of this name{}; it has {}", wanted, out_.config.name,
                      did_you_mean(wanted, names), fmt::join(names, ", ")));
}

void Loader::check_clocks(const YamlNode::Entry& profile, const SourceFile& source) {
  if (profile.value.kind != YamlNode::Kind::mapping)
    return problem(
        source, profile.value.mark,
        fmt::format("{}.{}: expected {}", kClockProfiles, profile.key, fmt::join(list_.children("clock"), ", ")));
  for (const YamlNode::Entry& entry : profile.value.entries) {
    const Field* field = list_.find("clock." + entry.key);
    if (!field) {
      unknown_key(entry, "clock", source);
      continue;
    }
    // Checked with a copy of the field: the profile may not be the chosen one.
    std::uint64_t value = 0;
    Field scratch = *field;
    scratch.member = &value;
    if (field->spec.as_sm && entry.value.scalar == "sm") continue;
    if (const std::string wrong = scratch.parse(entry.value.scalar); !wrong.empty())
      problem(source, entry.value.mark, fmt::format("{}.{}.{}: {}", kClockProfiles, profile.key, entry.key, wrong));
  }
}

/// Sets the values that follow from other values, when all files and overrides have been read.
void Loader::settle() {
  constexpr std::size_t kLongest = 60;
  settle_bandwidth(out_, kOverrideLevel);
  settle_clocks(out_, list_, unsettled_);
  out_.config.modified = fmt::format("{}", fmt::join(changes_, "+"));
  if (out_.config.modified.size() > kLongest) out_.config.modified = fmt::format("{} changes", changes_.size());
}

/// A key for messages: damaged YAML can contain a key of several lines.
static std::string shown_key(std::string key) {
  constexpr std::size_t kMost = 60;
  std::replace_if(
      key.begin(), key.end(), [](unsigned char c) { return c < ' '; }, ' ');
  if (key.size() > kMost) key.replace(kMost, std::string::npos, "...");
  return key;
}

void Loader::unknown_key(const YamlNode::Entry& entry, const std::string& prefix, const SourceFile& source) {
  const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
  const bool nested = path.find('.') != std::string::npos;
  if (const std::string_view now = new_name_of(path); nested && !now.empty())
    return problem(source, entry.mark, fmt::format("key '{}' is now '{}'", path, now));
  if (const std::string_view why = why_removed(path); nested && !why.empty())
    return problem(source, entry.mark, fmt::format("key '{}' was removed: {}", path, why));
  auto known = list_.children(prefix);
  if (prefix.empty()) {
    known.emplace_back("base");
    known.emplace_back(kClockProfiles);
    for (const LayerKind& kind : kLayerKinds) known.emplace_back(kind.key);
  }
  problem(source, entry.mark,
          fmt::format("unknown key '{}' {}{}", shown_key(entry.key),
                      prefix.empty() ? "at the top level" : "in " + prefix, did_you_mean(entry.key, known)));
}

/// A renamed key is read, and one note says its new name.
void Loader::moved(const std::string& place, std::string_view before, std::string_view now) {
  if (moved_.emplace(now).second) out_.notes.push_back(fmt::format("{}: key '{}' is now '{}'", place, before, now));
}

void Loader::mapping(const YamlNode& node, const std::string& prefix, const SourceFile& source,
                     const std::string& inherited) {
  for (const auto& entry : node.entries) {
    const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
    if (is_layer_key(path)) continue;
    std::string note = source.comment(entry.mark);
    if (note.empty()) note = inherited;
    if (const Field* field = list_.find(path))
      value(*field, entry.value, source, note);
    else if (const Group* found = list_.find_group(path))
      group(*found, entry, source, note);
    else if (const Field* now = list_.find(new_path_of(path))) {
      moved(source.place(entry.mark), path, now->path);
      value(*now, entry.value, source, note);
    } else
      unknown_key(entry, prefix, source);
  }
}

void Loader::group(const Group& group, const YamlNode::Entry& entry, const SourceFile& source,
                   const std::string& note) {
  if (group.optional && entry.value.kind == YamlNode::Kind::scalar && entry.value.scalar == kNone)
    return remove(group, {level_, source.place(entry.value.mark), note, std::string(kNone)});
  if (entry.value.kind != YamlNode::Kind::mapping)
    return problem(source, entry.value.mark,
                   fmt::format("{}: expected keys below it: {}{}", group.path,
                               fmt::join(list_.children(group.path), ", "), group.optional ? "; or none" : ""));
  mapping(entry.value, group.path, source, note);
}

void Loader::remove(const Group& group, const Provenance& who) {
  list_.remove(group);
  for (const Field& field : list_.fields())
    if (list_.option_of(field) == &group) out_.provenance[field.path] = who;
}

void Loader::value(const Field& field, const YamlNode& node, const SourceFile& source, const std::string& inherited) {
  std::vector<std::string_view> words;
  if (field.is_list()) {
    if (node.kind != YamlNode::Kind::sequence)
      return problem(source, node.mark, fmt::format("{}: expected a list such as [1KiB, 2KiB]", field.path));
    for (const YamlNode& item : node.items) words.emplace_back(item.scalar);
  } else if (node.kind != YamlNode::Kind::scalar) {
    return problem(source, node.mark, fmt::format("{}: expected one value ({})", field.path, field.range()));
  } else {
    words.emplace_back(node.scalar);
  }
  std::string written;
  const std::string wrong = assign(field, words, written);
  if (!wrong.empty()) return problem(source, node.mark, fmt::format("{}: {}", field.path, wrong));
  std::string note = source.comment(node.mark);
  out_.provenance[field.path] = {level_, source.place(node.mark), note.empty() ? inherited : note, written};
}

/// `written` is set if the value depends on other values: a time, or the word sm.
std::string Loader::assign(const Field& field, const std::vector<std::string_view>& words, std::string& written) {
  if (!field.is_list()) {
    std::string wrong = assign_later(field, words.front(), written);
    if (!wrong.empty() || !written.empty()) return wrong;
  } else {
    field.clear_list();
  }
  for (std::string_view word : words) {
    std::string wrong = field.parse(word);
    if (!wrong.empty()) return wrong;
  }
  return check_known(field);
}

std::string Loader::assign_later(const Field& field, std::string_view word, std::string& written) {
  std::string wrong;
  if (field.spec.as_sm) unsettled_.l2_as_sm = word == "sm";
  if (field.spec.as_sm && word == "sm") written = word;
  if (field.spec.domain == Domain::none) return wrong;
  unsettled_.times.erase(field.path);
  if (const auto time = parse_time(word, wrong)) {
    unsettled_.times[field.path] = *time;
    written = word;
  }
  return wrong;
}

std::string Loader::check_known(const Field& field) const {
  const auto known = options_.known.find(field.path);
  if (!field.spec.plugin || known == options_.known.end()) return {};
  const std::string name = field.format();
  if (std::find(known->second.begin(), known->second.end(), name) != known->second.end()) return {};
  return fmt::format("unknown name '{}'{}; known: {}", name, did_you_mean(name, known->second),
                     fmt::join(known->second, ", "));
}

const Group* Loader::option_named(std::string_view key) const {
  const auto found = std::find_if(list_.groups().begin(), list_.groups().end(), [&](const Group& group) {
    return group.optional && (group.path == key || group.path.ends_with(fmt::format(".{}", key)));
  });
  return found == list_.groups().end() ? nullptr : &*found;
}

/// The elements of "a,b" or "[a, b]".
static std::vector<std::string_view> list_words(std::string_view rest) {
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  std::vector<std::string_view> words;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, end);
    while (word.starts_with(' ')) word.remove_prefix(1);
    words.push_back(word);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

void Loader::override_with(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("-o {}: expected KEY=VALUE, such as -o l1.size=64KiB", text);
  const std::string_view key = std::string_view(text).substr(0, equals);
  const std::string_view rest = std::string_view(text).substr(equals + 1);
  const std::string place = fmt::format("-o {}", text);
  try {
    if (const Group* group = rest == kNone ? option_named(key) : nullptr) {
      if (!list_.is_absent(*group)) changes_.push_back(text);
      return remove(*group, {kOverrideLevel, place, "", std::string(kNone)});
    }
    const Field* field = list_.find(resolve_key(list_, key));
    const bool ending = field->path == key || field->path.ends_with(fmt::format(".{}", key));
    if (!ending) moved(place, key, field->path);
    const std::string before = field->format();
    std::string written;
    const std::string wrong =
        assign(*field, field->is_list() ? list_words(rest) : std::vector<std::string_view>{rest}, written);
    if (!wrong.empty()) return problem(fmt::format("{}: {}: {}", place, field->path, wrong));
    out_.provenance[field->path] = {kOverrideLevel, place, "", written};
    if (field->spec.unit != Unit::text && (field->format() != before || !written.empty())) changes_.push_back(text);
  } catch (const InputError& error) {
    problem(fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace

LoadedConfig read_config_text(const std::string& text, const std::string& file, const LoadOptions& options) {
  LoadedConfig out;
  out.file = file;
  Loader loader(out, options);
  Layers layers;
  try {
    layers = collect_layers(file, text);
    out.problems = layers.problems;
    out.chain = layers.chain;
    for (const SourceFile& source : layers.files) loader.apply(source);
  } catch (const InputError& error) {
    out.problems.emplace_back(error.what());
    out.chain.push_back(display_path(file));
  }
  // A GPU that is based on another one does not inherit its name.
  const auto set_by_file = [&](const char* key) {
    const auto found = out.provenance.find(key);
    return found != out.provenance.end() && found->second.place.starts_with(out.chain.front() + ":");
  };
  if (!set_by_file("name")) out.config.name = file == "-" ? "stdin" : fs::path(file).stem().string();
  if (!set_by_file("description")) out.config.description.clear();
  loader.choose_clocks(layers.clocks);
  for (const std::string& text_of_override : options.overrides)
    if (!is_clock_choice(text_of_override)) loader.override_with(text_of_override);
  loader.settle();
  check_sample(out, layers);
  if (out.problems.empty() && !options.partial) check_complete(out, layers);
  if (out.problems.empty()) check(out);
  return out;
}

LoadedConfig read_config(std::string_view name_or_file, const LoadOptions& options) {
  const std::string path = find_config(name_or_file);
  return read_config_text(read_text(path), path, options);
}

void require_valid(const LoadedConfig& loaded) {
  if (loaded.problems.empty()) return;
  if (loaded.problems.size() == 1) throw InputError("{}", loaded.problems.front());
  throw InputError("{} ({} more: 'sassim config check' lists them)", loaded.problems.front(),
                   loaded.problems.size() - 1);
}

void log_notes(const LoadedConfig& loaded) {
  for (const std::string& note : loaded.notes) logger("config")->info("{}", note);
}

GpuConfig load_config(std::string_view name_or_file, const LoadOptions& options) {
  LoadedConfig loaded = read_config(name_or_file, options);
  require_valid(loaded);
  log_notes(loaded);
  return loaded.config;
}

GpuConfig load_config(std::string_view name_or_file, const std::vector<std::string>& overrides) {
  return load_config(name_or_file, LoadOptions{overrides, {}});
}

}  // namespace sassim::config
