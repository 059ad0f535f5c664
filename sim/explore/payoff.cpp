// SPDX-License-Identifier: Apache-2.0
// Finds at which value of a varied key `sassim explore` saw cycles stop falling, and says it.
#include "sim/explore/payoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sassim::explore {

namespace {

struct Tried {
  double as_number = 0, cycles = 0;
  std::string value;
};

Payoff judge(std::size_t axis, std::string others, std::vector<Tried> tried) {
  std::sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return a.as_number < b.as_number; });
  const auto faster = [](const Tried& a, const Tried& b) { return a.cycles < b.cycles; };
  const Tried& best = *std::min_element(tried.begin(), tried.end(), faster);
  const auto enough = std::find_if(tried.begin(), tried.end(),
                                   [&](const Tried& t) { return t.cycles <= best.cycles * (1 + kWorthwhile); });
  return {axis,           std::move(others),   enough->value,
          best.value,     tried.front().value, tried.back().value,
          enough->cycles, best.cycles,         std::max_element(tried.begin(), tried.end(), faster)->cycles};
}

std::string others_of(const Explored& explored, const Variant& variant, std::size_t axis) {
  std::string text;
  if (explored.combine == Combine::zip) return text;
  for (std::size_t i = 0; i < explored.axes.size(); ++i)
    if (i != axis)
      text +=
          fmt::format("{}{}={}", text.empty() ? "" : " ", explored.axes[i].key, explored.axes[i].values[variant.at[i]]);
  return text;
}

std::string sentence(const Explored& explored, const std::vector<Payoff>& all) {
  const Axis& axis = explored.axes[all.front().axis];
  const auto number_of = [&](const Payoff& p) {
    const auto at = std::find(axis.values.begin(), axis.values.end(), p.value);
    return axis.numbers[static_cast<std::size_t>(at - axis.values.begin())];
  };
  const Payoff& latest = *std::max_element(
      all.begin(), all.end(), [&](const Payoff& a, const Payoff& b) { return number_of(a) < number_of(b); });
  const std::string with = latest.others.empty() ? "" : fmt::format(" (with {})", latest.others);
  const std::string cycles = fmt::format("{:.0f} cycles there, {:.0f} at best, with {}{}", latest.cycles,
                                         latest.best_cycles, latest.best, with);
  if (std::all_of(all.begin(), all.end(),
                  [](const Payoff& p) { return p.cycles == p.worst_cycles && p.best_cycles == p.cycles; })) {
    const auto [low, high] = std::minmax_element(
        all.begin(), all.end(), [](const Payoff& a, const Payoff& b) { return a.best_cycles < b.best_cycles; });
    const std::string range =
        low->best_cycles == high->best_cycles
            ? fmt::format("{:.0f} cycles", low->best_cycles)
            : fmt::format("{:.0f} to {:.0f} cycles, by the other keys", low->best_cycles, high->best_cycles);
    return fmt::format("{} has no effect here ({} to {}: {})", axis.key, latest.smallest, latest.largest, range);
  }
  if (std::all_of(all.begin(), all.end(), [](const Payoff& p) { return p.value == p.smallest; }))
    return fmt::format("{} does not pay: the smallest tried, {}, is enough: {}", axis.key, latest.value, cycles);
  if (latest.to_the_end() && all.size() == 1)
    return fmt::format("{} pays up to the largest tried, {}: {}", axis.key, latest.value, cycles);
  if (all.size() == 1) return fmt::format("{} stops paying at {}: {}", axis.key, latest.value, cycles);
  const auto agree = std::count_if(all.begin(), all.end(), [&](const Payoff& p) { return p.value == latest.value; });
  if (latest.to_the_end())
    return fmt::format("{} pays up to the largest tried, {}, in {} of {} settings of the other keys: {}", axis.key,
                       latest.value, agree, all.size(), cycles);
  if (static_cast<std::size_t>(agree) == all.size())
    return fmt::format("{} stops paying at {} whatever the other keys are: {}", axis.key, latest.value, cycles);
  return fmt::format("{} stops paying at {} at the latest, earlier in {} of {} settings of the other keys: {}",
                     axis.key, latest.value, all.size() - static_cast<std::size_t>(agree), all.size(), cycles);
}

}  // namespace

std::vector<Payoff> payoffs(const Explored& explored) {
  std::vector<Payoff> all;
  for (std::size_t axis = 0; axis < explored.axes.size(); ++axis) {
    if (explored.axes[axis].numbers.empty()) continue;
    std::vector<std::string> order;
    std::map<std::string, std::vector<Tried>> settings;
    for (const Variant& variant : explored.variants) {
      if (variant.state != campaign::PointState::done) continue;
      const std::string others = others_of(explored, variant, axis);
      if (!settings.contains(others)) order.push_back(others);
      settings[others].push_back({explored.axes[axis].numbers[variant.at[axis]], cycles_of(variant.metrics),
                                  explored.axes[axis].values[variant.at[axis]]});
    }
    for (const std::string& others : order)
      if (settings[others].size() > 1) all.push_back(judge(axis, others, settings[others]));
    if (explored.combine == Combine::zip) break;
  }
  return all;
}

std::vector<std::string> payoff_text(const Explored& explored) {
  std::vector<std::string> lines;
  const std::vector<Payoff> all = payoffs(explored);
  for (std::size_t axis = 0; axis < explored.axes.size(); ++axis) {
    std::vector<Payoff> mine;
    std::copy_if(all.begin(), all.end(), std::back_inserter(mine), [&](const Payoff& p) { return p.axis == axis; });
    if (!mine.empty()) lines.push_back(sentence(explored, mine));
  }
  return lines;
}

}  // namespace sassim::explore
