// SPDX-License-Identifier: Apache-2.0
// Finds the full name of a key that `-o` or another option shortens (l2.size), or suggests similar keys.
#include "sim/config/key_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/config/renamed.h"

namespace sassim::config {

namespace {

std::ptrdiff_t words(std::string_view path) { return std::count(path.begin(), path.end(), '.') + 1; }

std::string list_some(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 8;
  const std::vector<std::string> shown(paths.begin(), paths.begin() + std::min(paths.size(), kShown));
  return fmt::format("{}{}", fmt::join(shown, ", "), paths.size() > kShown ? ", ..." : "");
}

/// The last `n` words of each path: suggestions for a misspelt key of `n` words.
std::vector<std::string> endings(const FieldList& list, std::ptrdiff_t n) {
  std::set<std::string> all;
  for (const Field& field : list.fields()) {
    std::size_t start = field.path.size();
    for (std::ptrdiff_t i = 0; i < n && start != std::string::npos && start != 0; ++i)
      start = field.path.rfind('.', start - 1);
    all.insert(start == std::string::npos || start == 0 ? field.path : field.path.substr(start + 1));
  }
  return {all.begin(), all.end()};
}

[[noreturn]] void unknown(const FieldList& list, std::string_view key) {
  if (const std::string_view why = why_removed(key); !why.empty())
    throw InputError("key '{}' was removed: {}", key, why);
  for (const Group& group : list.groups())
    if (group.path == key || group.path.ends_with(fmt::format(".{}", key)))
      throw InputError("'{}' is a group of keys ({}); name one of: {}", key, group.path,
                       fmt::join(list.children(group.path), ", "));
  throw InputError("unknown key '{}'{}; 'sassim config explain --all' lists the keys", key,
                   did_you_mean(key, endings(list, words(key))));
}

}  // namespace

std::string resolve_key(const FieldList& list, std::string_view key) {
  if (list.find(key)) return std::string(key);
  std::vector<std::string> matches;
  const std::string ending = fmt::format(".{}", key);
  for (const Field& field : list.fields())
    if (field.path.ends_with(ending)) matches.push_back(field.path);
  if (matches.empty() && list.find(new_name_of(key))) return std::string(new_name_of(key));
  if (matches.empty()) unknown(list, key);
  if (matches.size() == 1) return matches.front();
  std::stable_sort(matches.begin(), matches.end(), [](const auto& a, const auto& b) { return words(a) < words(b); });
  if (words(key) > 1 && words(matches[0]) < words(matches[1])) return matches.front();
  throw InputError("'{}' matches {} keys: {}; write more of the path", key, matches.size(), list_some(matches));
}

}  // namespace sassim::config
