// SPDX-License-Identifier: Apache-2.0
// Finds keys that no file of a chip has set, and floor plans that were made for another number of SMs.
#include "sim/config/complete.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/config/field.h"
#include "sim/config/find.h"

namespace sassim::config {

namespace {

std::string some_of(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 4;
  const auto end = paths.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, paths.size()));
  return fmt::format("{}{}", fmt::join(paths.begin(), end, ", "),
                     paths.size() > kShown ? fmt::format(" and {} more", paths.size() - kShown) : "");
}

bool is_said(const LoadedConfig& loaded, const Field& field) {
  const auto found = loaded.provenance.find(field.path);
  return found != loaded.provenance.end() && found->second.written != "none";
}

/// If one key of an optional group is set, all must be set.
void check_options(LoadedConfig& loaded, const FieldList& list) {
  for (const Group& group : list.groups()) {
    if (!group.optional || group.partly || list.is_absent(group)) continue;
    std::vector<std::string> all, missing;
    std::string place;
    for (const Field& field : list.fields()) {
      if (list.option_of(field) != &group) continue;
      all.push_back(field.path.substr(group.path.size() + 1));
      if (is_said(loaded, field))
        place = loaded.provenance.find(field.path)->second.place;
      else if (!field.optional)
        missing.push_back(all.back());
    }
    if (!missing.empty())
      loaded.problems.push_back(fmt::format(
          "{}: {}: '{}' is missing; a GPU that has this mechanism sets {}, a GPU that lacks it has '{}: none'", place,
          group.path, fmt::join(missing, "', '"), fmt::join(all, ", "), group.path.substr(group.path.rfind('.') + 1)));
  }
}

}  // namespace

void check_complete(LoadedConfig& loaded, const Layers& layers) {
  const FieldList list(loaded.config);
  std::vector<std::string> missing;
  for (const Field& field : list.fields())
    if (!list.option_of(field) && !field.optional && !is_said(loaded, field) && field.spec.unit != Unit::text &&
        field.path != "memory.bandwidth")
      missing.push_back(field.path);
  if (missing.empty()) return check_options(loaded, list);
  std::vector<std::string> known;
  for (const ConfigFile& file : list_layers("generations")) known.push_back(file.name);
  if (!layers.generation.empty() && std::ranges::find(missing, "arch") != missing.end())
    loaded.problems.push_back(fmt::format(
        "{}:1:1: 'generation: {}' is what several architectures share, and sets no arch; name the file of one of them, "
        "or another generation (known: {})",
        loaded.chain.front(), layers.generation, fmt::join(known, ", ")));
  else if (!layers.generation.empty())
    loaded.problems.push_back(
        fmt::format("{}:1:1: neither this file nor its layers set {}", loaded.chain.front(), some_of(missing)));
  else
    loaded.problems.push_back(fmt::format(
        "{}:1:1: this chip has no generation, and does not set {} itself; write 'generation: NAME' (known: {}), or "
        "'base: NAME' to start from another chip",
        loaded.chain.front(), some_of(missing), fmt::join(known, ", ")));
}

void check_sample(LoadedConfig& loaded, const Layers& layers) {
  if (!layers.sample || layers.sample->sms == loaded.config.sm.count) return;
  const auto count = loaded.provenance.find("sm.count");
  if (count == loaded.provenance.end() || count->second.level >= kOverrideLevel) return;
  // It comes first: a floor plan of another GPU may also set mechanisms that this GPU lacks.
  loaded.problems.insert(loaded.problems.begin(),
                         fmt::format("{}: sm.count: {}, but the floor plan 'sample: {}' is for {} SMs ({}); write "
                                     "sm.count: {}, another sample, or "
                                     "'sample: none'",
                                     count->second.place, loaded.config.sm.count, layers.sample->named,
                                     layers.sample->sms, layers.sample->place, layers.sample->sms));
}

}  // namespace sassim::config
