// SPDX-License-Identifier: Apache-2.0
#include "sim/config/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ranges>

#include "sim/base/error.h"
#include "sim/base/log.h"
#include "sim/base/suggest.h"
#include "sim/config/check.h"
#include "sim/config/describe.h"
#include "sim/config/find.h"
#include "sim/config/key_path.h"
#include "sim/config/yaml_tree.h"

namespace sassim::config {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;
constexpr std::size_t kMaxProblems = 50;
constexpr std::size_t kMaxChain = 16;
constexpr int kOverrideLevel = 1000;

std::string read_stream(std::istream& stream, const std::string& file) {
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxFileBytes) throw InputError("{}: larger than 1 MiB; that is no configuration", file);
  return text;
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_stream(std::cin, "<stdin>");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError("{}: cannot be read", display_path(path));
  return read_stream(stream, display_path(path));
}

class Loader {
 public:
  Loader(LoadedConfig& out, const LoadOptions& options) : out_(out), options_(options), list_(out.config) {}

  /// `via` names the place of the `base:` that led here.
  void file(const std::string& path, const std::string& text, const std::string& via = {});
  void override_with(const std::string& text);

 private:
  struct Source {
    std::string file;  ///< as messages name it
    std::string via;
    std::vector<std::string> comments;
    int level = 0;
  };

  void problem(std::string text) {
    // A value in quotes may run over many lines; a problem is one.
    if (const auto end = text.find('\n'); end != std::string::npos) text = text.substr(0, end) + "...";
    if (out_.problems.size() < kMaxProblems) out_.problems.push_back(std::move(text));
  }
  void problem(const Source& source, Mark mark, const std::string& what) {
    problem(fmt::format("{}: {}{}", place(source, mark), what, source.via));
  }
  static std::string place(const Source& source, Mark mark) {
    return fmt::format("{}:{}:{}", source.file, mark.line, mark.column);
  }
  static std::string comment(const Source& source, Mark mark) {
    const auto index = static_cast<std::size_t>(mark.line - 1);
    return index < source.comments.size() ? source.comments[index] : std::string();
  }

  void base(const std::string& path, const YamlNode& node, const Source& source);
  void mapping(const YamlNode& node, const std::string& prefix, const Source& source, const std::string& inherited);
  void unknown_key(const YamlNode::Entry& entry, const std::string& prefix, const Source& source);
  void value(const Field& field, const YamlNode& node, const Source& source, const std::string& inherited);
  std::string assign(const Field& field, const std::vector<std::string_view>& words);
  std::string check_known(const Field& field) const;

  LoadedConfig& out_;
  const LoadOptions& options_;
  FieldList list_;
  int level_ = 0;
};

void Loader::file(const std::string& path, const std::string& text, const std::string& via) {
  const std::string shown = path == "-" ? "<stdin>" : display_path(path);
  out_.chain.push_back(shown);
  Source source{shown, via, line_comments(text), 0};
  const YamlNode root = parse_yaml(text, shown);
  if (root.kind != YamlNode::Kind::mapping)
    return problem(source, {1, 1}, "a configuration is a mapping of keys such as 'sm:' and 'memory:'");
  for (const auto& entry : root.entries)
    if (entry.key == "base") base(path, entry.value, source);
  source.level = ++level_;
  mapping(root, "", source, "");
}

void Loader::base(const std::string& path, const YamlNode& node, const Source& source) {
  if (node.kind != YamlNode::Kind::scalar || node.scalar.empty())
    return problem(source, node.mark,
                   "base: expected the path of another configuration, relative to this file, or a name such as t4");
  fs::path target = (path == "-" ? fs::path() : fs::path(path).parent_path()) / node.scalar;
  std::error_code error;
  if (!fs::is_regular_file(target, error)) {
    const std::vector<ConfigFile> known = list_configs();
    const auto named = std::ranges::find(known, node.scalar, &ConfigFile::name);
    if (named == known.end())
      return problem(source, node.mark,
                     fmt::format("base: there is no file '{}', and no configuration of that name; known: {}",
                                 display_path(target.string()),
                                 fmt::join(known | std::views::transform(&ConfigFile::name), ", ")));
    target = named->path;
  }
  const std::string shown = display_path(target.lexically_normal().string());
  if (std::find(out_.chain.begin(), out_.chain.end(), shown) != out_.chain.end())
    return problem(source, node.mark,
                   fmt::format("base: '{}' is its own base: {} -> {}", shown, fmt::join(out_.chain, " -> "), shown));
  if (out_.chain.size() >= kMaxChain) return problem(source, node.mark, "base: more than 16 files in a chain");
  const std::string normal = target.lexically_normal().string();
  file(normal, read_text(normal), fmt::format(" (base of {})", place(source, node.mark)));
}

/// A key as a message shows it: damaged YAML can make a key of several lines.
static std::string shown_key(std::string key) {
  constexpr std::size_t kMost = 60;
  std::replace_if(
      key.begin(), key.end(), [](unsigned char c) { return c < ' '; }, ' ');
  if (key.size() > kMost) key.replace(kMost, std::string::npos, "...");
  return key;
}

void Loader::unknown_key(const YamlNode::Entry& entry, const std::string& prefix, const Source& source) {
  auto known = list_.children(prefix);
  if (prefix.empty()) known.emplace_back("base");
  problem(source, entry.mark,
          fmt::format("unknown key '{}' {}{}", shown_key(entry.key),
                      prefix.empty() ? "at the top level" : "in " + prefix, did_you_mean(entry.key, known)));
}

void Loader::mapping(const YamlNode& node, const std::string& prefix, const Source& source,
                     const std::string& inherited) {
  for (const auto& entry : node.entries) {
    const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
    if (path == "base") continue;
    std::string note = comment(source, entry.mark);
    if (note.empty()) note = inherited;
    if (const Field* field = list_.find(path)) {
      value(*field, entry.value, source, note);
    } else if (!list_.find_group(path)) {
      unknown_key(entry, prefix, source);
    } else if (entry.value.kind != YamlNode::Kind::mapping) {
      problem(source, entry.value.mark,
              fmt::format("{}: expected keys below it: {}", path, fmt::join(list_.children(path), ", ")));
    } else {
      mapping(entry.value, path, source, note);
    }
  }
}

void Loader::value(const Field& field, const YamlNode& node, const Source& source, const std::string& inherited) {
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
  const std::string wrong = assign(field, words);
  if (!wrong.empty()) return problem(source, node.mark, fmt::format("{}: {}", field.path, wrong));
  std::string note = comment(source, node.mark);
  out_.provenance[field.path] = {source.level, place(source, node.mark), note.empty() ? inherited : note};
}

std::string Loader::assign(const Field& field, const std::vector<std::string_view>& words) {
  if (field.is_list()) field.clear_list();
  for (std::string_view word : words) {
    std::string wrong = field.parse(word);
    if (!wrong.empty()) return wrong;
  }
  return check_known(field);
}

std::string Loader::check_known(const Field& field) const {
  const auto known = options_.known.find(field.path);
  if (!field.spec.plugin || known == options_.known.end()) return {};
  const std::string name = field.format();
  if (std::find(known->second.begin(), known->second.end(), name) != known->second.end()) return {};
  return fmt::format("unknown name '{}'{}; known: {}", name, did_you_mean(name, known->second),
                     fmt::join(known->second, ", "));
}

void Loader::override_with(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("-o {}: expected KEY=VALUE, such as -o l1.size=64KiB", text);
  try {
    const Field* field = list_.find(resolve_key(list_, std::string_view(text).substr(0, equals)));
    std::string_view rest = std::string_view(text).substr(equals + 1);
    std::vector<std::string_view> words{rest};
    if (field->is_list()) {
      if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
      words.clear();
      while (!rest.empty()) {
        const auto end = std::min(rest.find(','), rest.size());
        std::string_view word = rest.substr(0, end);
        while (word.starts_with(' ')) word.remove_prefix(1);
        words.push_back(word);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    const std::string wrong = assign(*field, words);
    if (!wrong.empty()) return problem(fmt::format("-o {}: {}: {}", text, field->path, wrong));
    out_.provenance[field->path] = {kOverrideLevel, fmt::format("-o {}", text), ""};
  } catch (const InputError& error) {
    problem(fmt::format("-o {}: {}", text, error.what()));
  }
}

}  // namespace

LoadedConfig read_config_text(const std::string& text, const std::string& file, const LoadOptions& options) {
  LoadedConfig out;
  out.file = file;
  Loader loader(out, options);
  try {
    loader.file(file, text);
  } catch (const InputError& error) {
    out.problems.emplace_back(error.what());
  }
  // A derived GPU is not called what its base is called.
  const auto set_by_file = [&](const char* key) {
    const auto found = out.provenance.find(key);
    return found != out.provenance.end() && found->second.place.starts_with(out.chain.front() + ":");
  };
  if (!set_by_file("name")) out.config.name = file == "-" ? "stdin" : fs::path(file).stem().string();
  if (!set_by_file("description")) out.config.description.clear();
  for (const std::string& text_of_override : options.overrides) loader.override_with(text_of_override);
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

GpuConfig load_config(std::string_view name_or_file, const LoadOptions& options) {
  LoadedConfig loaded = read_config(name_or_file, options);
  require_valid(loaded);
  for (const std::string& note : loaded.notes) logger("config")->info("{}", note);
  return loaded.config;
}

GpuConfig load_config(std::string_view name_or_file, const std::vector<std::string>& overrides) {
  return load_config(name_or_file, LoadOptions{overrides, {}});
}

}  // namespace sassim::config
