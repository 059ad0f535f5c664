// SPDX-License-Identifier: Apache-2.0
// Compares two JSON results for `sassim reproduce`, and names the kernels and metrics that differ.
#include "sim/bundle/difference.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/printable.h"

namespace sassim::bundle {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

namespace {

/// A number or a name; for a longer value only its kind.
std::string shown(const Json& json, const Pointer& at) {
  if (!json.contains(at)) return "nothing";
  const Json& value = json.at(at);
  return value.is_structured() ? value.type_name() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The words of a path such as "/kernels/3/metrics/name"; empty words if it has fewer.
std::vector<std::string> words_of(Pointer at) {
  std::vector<std::string> words;
  for (; !at.empty(); at.pop_back()) words.push_back(at.back());
  std::ranges::reverse(words);
  words.resize(std::max<std::size_t>(words.size(), 4));
  return words;
}

bool of_metric(const std::vector<std::string>& words) {
  return words[0] == "kernels" && words[2] == "metrics" && !words[3].empty();
}

std::string kernel_of(const Json& json, const std::string& kernel_index) {
  const Pointer name("/kernels/" + kernel_index + "/name");
  return fmt::format("kernel {} ({})", kernel_index,
                     json.contains(name) && json.at(name).is_string() ? printable(json.at(name).get<std::string>())
                                                                      : "without a name");
}

std::string what(const Json& json, const std::vector<std::string>& words) {
  if (of_metric(words)) return fmt::format("{}, {}", kernel_of(json, words[1]), printable(words[3]));
  if (words[0] == "kernels" && !words[1].empty())
    return words[2].empty() ? kernel_of(json, words[1])
                            : fmt::format("{} of {}", printable(words[2]), kernel_of(json, words[1]));
  return words[0].empty() ? "everything" : printable(words[0]);
}

template <class List>
void add_once(List& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

Difference difference(const std::string& then, const std::string& now, const std::string& place) {
  const Json old = Json::parse(then, nullptr, false), made = Json::parse(now);
  if (old.is_discarded()) throw InputError("{}: is not JSON, although its hash is right; make the bundle again", place);
  Difference found;
  std::map<std::string, std::size_t> kernels;
  bool first_is_metric = false;
  for (const Json& step : Json::diff(old, made)) {
    const Pointer at(step.at("path").get<std::string>());
    const auto words = words_of(at);
    const bool metric = of_metric(words);
    if (metric)
      ++kernels[words[3]];
    else
      add_once(found.others, what(old, words));
    if (!found.first.empty() && (first_is_metric || !metric)) continue;
    first_is_metric = metric;
    found.first = fmt::format("{}: {} in the bundle, {} here", what(old, words), shown(old, at), shown(made, at));
  }
  for (const auto& [name, count] : kernels)
    found.metrics.push_back(fmt::format("{} ({} {})", printable(name), count, count == 1 ? "kernel" : "kernels"));
  return found;
}

std::string with_version(std::string result, const std::string& version) {
  constexpr std::string_view kHead = "{\n\"schema\": \"sassim-result/1\",\n\"version\": ";
  if (!result.starts_with(kHead)) return result;
  const std::size_t end = result.find(",\n", kHead.size());
  if (end == std::string::npos) return result;
  return result.replace(kHead.size(), end - kHead.size(), Json(version).dump());
}

}  // namespace sassim::bundle
