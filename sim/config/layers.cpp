// SPDX-License-Identifier: Apache-2.0
// Reads a chip's YAML file, its bases, and the generation, DRAM, host and sample files that they name.
#include "sim/config/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/find.h"
#include "sim/config/units.h"

namespace sassim::config {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxChain = 16;
constexpr std::string_view kNoLayer = "none";

const YamlNode::Entry* find_entry(const YamlNode& root, std::string_view key) {
  const auto found = std::ranges::find(root.entries, key, &YamlNode::Entry::key);
  return found == root.entries.end() ? nullptr : &*found;
}

class Collector {
 public:
  explicit Collector(Layers& out) : out_(out) {}

  void collect(const std::string& path, const std::string& text) {
    std::vector<SourceFile> chip;
    read_chain(path, text, "", chip, out_.chain);
    find_clocks(chip);
    for (const SourceFile& file : chip) refuse_keys(file, {"made_for_sms"}, "belongs into a sample");
    for (const LayerKind& kind : kLayerKinds) add_layer(kind, chip);
    for (SourceFile& file : chip) file.chip = true;
    append_reversed(std::move(chip));
  }

 private:
  void append_reversed(std::vector<SourceFile> files) {
    out_.files.insert(out_.files.end(), std::move_iterator(files.rbegin()), std::move_iterator(files.rend()));
  }

  void problem(const SourceFile& source, Mark mark, const std::string& what) {
    out_.problems.push_back(fmt::format("{}: {}{}", source.place(mark), what, source.via));
  }

  /// The strongest file of the chip that has clock profiles decides: those of its base are another board's.
  void find_clocks(const std::vector<SourceFile>& chip) {
    for (const SourceFile& source : chip)
      if (const YamlNode::Entry* entry = find_entry(source.root, kClockProfiles)) {
        if (entry->value.kind != YamlNode::Kind::mapping)
          return problem(source, entry->value.mark,
                         fmt::format("{}: expected clocks by name, such as base: {{sm: 585MHz}}", kClockProfiles));
        out_.clocks = ClockProfiles{source, entry->value};
        return;
      }
  }

  void refuse_keys(const SourceFile& source, std::initializer_list<std::string_view> keys, const char* why) {
    for (const std::string_view key : keys)
      if (const YamlNode::Entry* entry = find_entry(source.root, key))
        problem(source, entry->mark, fmt::format("{}: {}", key, why));
  }

  /// Reads the file and its bases, the strongest first.
  void read_chain(const std::string& path, const std::string& text, const std::string& via,
                  std::vector<SourceFile>& files, std::vector<std::string>& chain) {
    const std::string shown = path == "-" ? "<stdin>" : display_path(path);
    chain.push_back(shown);
    files.push_back({shown, via, line_comments(text), parse_yaml(text, shown), false});
    if (files.back().root.kind != YamlNode::Kind::mapping)
      return problem(files.back(), {1, 1}, "a configuration is a mapping of keys such as 'sm:' and 'memory:'");
    const YamlNode::Entry* base = find_entry(files.back().root, "base");
    if (!base) return;
    const SourceFile& source = files.back();
    const std::string target = base_file(path, base->value, source, chain);
    if (target.empty()) return;
    const std::string next = fmt::format(" (base of {})", source.place(base->value.mark));
    read_chain(target, read_text(target), next, files, chain);
  }

  /// The file that `base:` names; "" after a problem.
  std::string base_file(const std::string& path, const YamlNode& node, const SourceFile& source,
                        const std::vector<std::string>& chain) {
    const auto refuse = [&](const std::string& what) {
      problem(source, node.mark, "base: " + what);
      return std::string();
    };
    if (node.kind != YamlNode::Kind::scalar || node.scalar.empty())
      return refuse(
          "expected the path of another configuration, relative to this file, or a name that 'sassim config list' "
          "shows");
    fs::path target = (path == "-" ? fs::path() : fs::path(path).parent_path()) / node.scalar;
    std::error_code error;
    if (!fs::is_regular_file(target, error)) {
      const std::vector<ConfigFile> known = folder_.empty() ? list_configs() : list_layers(folder_);
      const auto named = std::ranges::find(known, node.scalar, &ConfigFile::name);
      if (named == known.end()) {
        std::vector<std::string> names;
        for (const ConfigFile& file : known) names.push_back(file.name);
        return refuse(fmt::format("there is no file '{}', and no configuration of that name; known: {}",
                                  display_path(target.string()), fmt::join(names, ", ")));
      }
      target = named->path;
    }
    const std::string normal = target.lexically_normal().string(), shown = display_path(normal);
    if (std::ranges::find(chain, shown) != chain.end())
      return refuse(fmt::format("'{}' is its own base: {} -> {}", shown, fmt::join(chain, " -> "), shown));
    if (chain.size() >= kMaxChain) return refuse("more than 16 files, each the base of the one before");
    return normal;
  }

  /// Reads the layer of this kind; the strongest file of the chip that names one decides.
  void add_layer(const LayerKind& kind, const std::vector<SourceFile>& chip) {
    for (const SourceFile& source : chip) {
      const YamlNode::Entry* entry = find_entry(source.root, kind.key);
      if (!entry) continue;
      if (entry->value.kind != YamlNode::Kind::scalar || entry->value.scalar.empty())
        return problem(source, entry->value.mark, fmt::format("{}: expected the name of {}", kind.key, kind.what));
      if (entry->value.scalar != kNoLayer) read_layer(kind, source, entry->value);
      return;
    }
  }

  void read_layer(const LayerKind& kind, const SourceFile& source, const YamlNode& node) {
    const std::vector<ConfigFile> known = list_layers(kind.folder);
    const auto found = std::ranges::find(known, node.scalar, &ConfigFile::name);
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const ConfigFile& file : known) names.push_back(file.name);
      return problem(source, node.mark,
                     fmt::format("{}: unknown name '{}'{}; known: {}; its file would be {}/{}.yaml in a folder of "
                                 "configurations",
                                 kind.key, node.scalar, did_you_mean(node.scalar, names), fmt::join(names, ", "),
                                 kind.folder, node.scalar));
    }
    std::vector<SourceFile> files;
    std::vector<std::string> chain;
    folder_ = kind.folder;
    read_chain(found->path, read_text(found->path), fmt::format(" ({} of {})", kind.key, source.place(node.mark)),
               files, chain);
    for (const SourceFile& file : files) {
      refuse_keys(file, {"generation", "dram", "host", "sample"},
                  "only a chip can name layers; a layer can have a base");
      refuse_keys(file, {kClockProfiles}, "only a chip has clock profiles");
      if (kind.key != "sample") refuse_keys(file, {"made_for_sms"}, "belongs into a sample");
    }
    if (kind.key == "generation") out_.generation = node.scalar;
    if (kind.key == "sample") read_shape(files.front(), node.scalar);
    append_reversed(std::move(files));
  }

  void read_shape(const SourceFile& sample, const std::string& name) {
    const YamlNode::Entry* sms = find_entry(sample.root, "made_for_sms");
    SampleShape shape{0, "", name};
    if (!sms || sms->value.kind != YamlNode::Kind::scalar ||
        !parse_quantity(sms->value.scalar, Unit::count, shape.sms).empty())
      return problem(sample, sms ? sms->value.mark : Mark{1, 1},
                     "a sample must say for how many SMs it was made, such as 'made_for_sms: 132'");
    shape.place = sample.place(sms->value.mark);
    out_.sample = shape;
  }

  Layers& out_;
  std::string_view folder_;  ///< folder of the layer that is being read; empty: the chip
};

}  // namespace

Layers collect_layers(const std::string& path, const std::string& text) {
  Layers out;
  Collector(out).collect(path, text);
  return out;
}

bool is_layer_key(std::string_view key) {
  return key == "base" || key == "made_for_sms" || key == kClockProfiles ||
         std::ranges::any_of(kLayerKinds, [&](const LayerKind& kind) { return key == kind.key; });
}

}  // namespace sassim::config
