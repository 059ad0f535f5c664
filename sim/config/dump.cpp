// SPDX-License-Identifier: Apache-2.0
// Prints the values of a GPU as YAML or JSON, hashes them, and finds the keys in which two GPUs differ.
#include "sim/config/dump.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/printable.h"
#include "sim/config/describe.h"

namespace sassim::config {
namespace {

/// A field list needs a writable object; dumping only reads it.
struct Copy {
  explicit Copy(const GpuConfig& original) : config(original), list(config) {}
  GpuConfig config;
  FieldList list;
};

/// A copy with the name that results show.
Copy named(const GpuConfig& config) {
  GpuConfig renamed = config;
  renamed.name = shown_name(config);
  return Copy(renamed);
}

constexpr std::size_t kMostOnOneLine = 4;

class YamlWriter {
 public:
  YamlWriter(const FieldList& list, const std::function<std::string(const std::string&)>& comment)
      : list_(list), comment_(comment) {}

  std::string write() {
    level("", 0);
    return std::move(out_);
  }

 private:
  std::string remark(const std::string& path) const {
    const std::string text = comment_ ? comment_(path) : std::string();
    return text.empty() ? "" : "  # " + text;
  }

  void level(const std::string& prefix, std::size_t depth) {
    const std::string indent(depth * 2, ' ');
    for (const std::string& key : list_.children(prefix)) {
      const std::string path = prefix.empty() ? key : fmt::format("{}.{}", prefix, key);
      if (const Group* group = list_.find_group(path); group && list_.is_absent(*group)) continue;
      if (const Field* field = list_.find(path)) {
        if (!list_.is_absent(*field)) out_ += fmt::format("{}{}: {}{}\n", indent, key, field->format(), remark(path));
      } else if (!has_keys(path)) {
        continue;
      } else if (short_group(path)) {
        out_ += fmt::format("{}{}: {}{}\n", indent, key, one_line(path), remark(path));
      } else {
        out_ += fmt::format("{}{}:\n", indent, key);
        level(path, depth + 1);
      }
    }
  }

  bool has_keys(const std::string& path) const {
    return std::ranges::any_of(list_.fields(), [&](const Field& field) {
      return field.path.starts_with(path + ".") && !list_.is_absent(field);
    });
  }

  bool short_group(const std::string& path) const {
    const auto keys = list_.children(path);
    return keys.size() <= kMostOnOneLine && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
             return list_.find(fmt::format("{}.{}", path, key)) != nullptr;
           });
  }

  std::string one_line(const std::string& path) const {
    std::string line;
    for (const std::string& key : list_.children(path)) {
      const Field& field = *list_.find(fmt::format("{}.{}", path, key));
      if (!list_.is_absent(field)) line += fmt::format("{}{}: {}", line.empty() ? "" : ", ", key, field.format());
    }
    return "{" + line + "}";
  }

  const FieldList& list_;
  const std::function<std::string(const std::string&)>& comment_;
  std::string out_;
};

/// The object in `node`, with room for its keys: an object that grows copies its keys and values, which cannot be
/// undone once memory runs out.
nlohmann::ordered_json& roomy_object(nlohmann::ordered_json& node) {
  constexpr std::size_t most_keys = 256;
  if (node.is_null()) node = nlohmann::ordered_json::object();
  node.get_ref<nlohmann::ordered_json::object_t&>().reserve(most_keys);
  return node;
}

nlohmann::ordered_json& at_path(nlohmann::ordered_json& root, const std::string& path) {
  nlohmann::ordered_json* node = &root;
  std::size_t start = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; start = dot + 1, dot = path.find('.', start))
    node = &roomy_object(*node)[path.substr(start, dot - start)];
  return roomy_object(*node)[path.substr(start)];
}

}  // namespace

std::string shown_name(const GpuConfig& config) {
  return printable(config.modified.empty() ? config.name : fmt::format("{}+{}", config.name, config.modified));
}

std::string dump_yaml(const GpuConfig& config, const std::function<std::string(const std::string&)>& comment) {
  const Copy copy = named(config);
  return YamlWriter(copy.list, comment).write();
}

namespace {

/// Calls `use` with an empty value, which stays if memory runs out: its destructor would allocate and end the process.
template <class Use>
auto with_json(Use use) {
  auto value = std::make_unique<nlohmann::ordered_json>(nlohmann::ordered_json::object());
  try {
    return use(*value);
  } catch (const std::bad_alloc&) {
    static_cast<void>(value.release());
    throw;
  }
}

template <class Value>
void assign(nlohmann::ordered_json& place, const Value& value) {
  place = value;
}
/// A list grows in its place: beside it, a part of it would have to be destroyed if memory ran out.
void assign(nlohmann::ordered_json& place, const std::vector<std::uint64_t>& list) {
  place = nlohmann::ordered_json::array();
  for (const std::uint64_t value : list) place.push_back(value);
}

void fill_json(nlohmann::ordered_json& root, const GpuConfig& config) {
  const Copy copy = named(config);
  for (const Field& field : copy.list.fields())
    if (!copy.list.is_absent(field))
      std::visit([&](const auto* value) { assign(at_path(root, field.path), *value); }, field.member);
}

}  // namespace

nlohmann::ordered_json to_json(const GpuConfig& config) {
  return with_json([&](nlohmann::ordered_json& root) {
    fill_json(root, config);
    return std::move(root);
  });
}

std::string to_json_text(const GpuConfig& config) {
  return with_json([&](nlohmann::ordered_json& root) {
    fill_json(root, config);
    return root.dump();
  });
}

std::string config_hash(const GpuConfig& config) {
  const Copy copy(config);
  std::string text;
  // Leaves out the bandwidth, which follows from the other keys.
  for (const Field& field : copy.list.fields())
    if (field.path != "name" && field.path != "description" && field.path != "memory.bandwidth" &&
        !copy.list.is_absent(field))
      text += fmt::format("{}={}\n", field.path, field.format());
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

static std::string value_text(const FieldList& list, std::size_t i) {
  const Field& field = list.fields()[i];
  return list.is_absent(field) ? "none" : field.format();
}

std::vector<Difference> differences(const GpuConfig& left, const GpuConfig& right) {
  const Copy a(left), b(right);
  std::vector<Difference> found;
  for (std::size_t i = 0; i < a.list.fields().size(); ++i) {
    Difference difference{a.list.fields()[i].path, value_text(a.list, i), value_text(b.list, i)};
    if (difference.left != difference.right) found.push_back(std::move(difference));
  }
  return found;
}

}  // namespace sassim::config
