// SPDX-License-Identifier: Apache-2.0
// Groups stalls by the instructions waited for, and finds a kernel's longest wait.
#include "sim/report/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "sim/base/printable.h"

namespace sassim::report {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// Whether waiting for an instruction of this class has this reason. Files of older versions have no class.
bool fits(const LineStalls& producer, std::string_view reason) {
  const std::string_view op = producer.op;
  if (op.empty()) return true;
  if (reason == "barrier") return op == "barrier";
  if (reason == "membar") return op == "membar";
  if (op == "barrier" || op == "membar") return false;
  const bool is_long = is_one_of(op, {"load", "store", "atomic", "reduction", "async_copy", "async_wait", "texture"});
  return is_long == (reason == "long_scoreboard");
}

}  // namespace

bool waits_for_another(std::string_view reason) {
  return reason.ends_with("scoreboard") || reason == "barrier" || reason == "membar" || reason == "drain";
}

Waits::Waits(const KernelReport& kernel) : kernel_(kernel) {
  for (const LineStalls& line : kernel.lines) {
    by_pc_.emplace(line.pc, &line);
    if (is_one_of(line.op, {"store", "reduction"}) && line.memory.requests != 0) stores_.push_back(&line);
  }
  std::stable_sort(stores_.begin(), stores_.end(),
                   [](const LineStalls* a, const LineStalls* b) { return a->memory.sectors > b->memory.sectors; });
}

std::vector<const LineStalls*> Waits::producers(const LineStalls& line, std::string_view reason) const {
  if (reason == "drain") return stores_;
  std::vector<const LineStalls*> all, fitting;
  if (!waits_for_another(reason)) return all;
  for (const std::uint32_t pc : line.waits_for) {
    const auto at = by_pc_.find(pc);
    if (at == by_pc_.end()) continue;
    all.push_back(at->second);
    if (fits(*at->second, reason)) fitting.push_back(at->second);
  }
  return fitting.empty() && reason.ends_with("scoreboard") ? all : fitting;
}

std::string Waits::text(const LineStalls& line, std::string_view reason) const {
  return places_text(producers(line, reason));
}

Wait Waits::longest(const Takes& takes) const {
  // By producers, or else by reason and line.
  using Key = std::pair<std::string_view, std::vector<const LineStalls*>>;
  std::map<Key, Wait> waits;
  std::vector<Key> order;  // so that of equal ones the first in the code is taken
  for (const LineStalls& line : kernel_.lines)
    for (const auto& [name, cycles] : line.stalls) {
      const std::string& reason = name;  // a lambda cannot capture `name` itself
      if (reason == "selected" || reason == "not_selected") continue;
      std::vector<const LineStalls*> behind = producers(line, reason);
      const bool counts = behind.empty() ? takes(line, reason, line)
                                         : std::any_of(behind.begin(), behind.end(), [&](const LineStalls* producer) {
                                             return takes(line, reason, *producer);
                                           });
      if (!counts) continue;
      const Key key = behind.empty() ? Key(reason, {&line}) : Key("", behind);
      const auto [at, added] = waits.try_emplace(key);
      if (added) order.push_back(key);
      Wait& wait = at->second;
      wait.cycles += cycles;
      if (cycles <= wait.at_line) continue;
      wait.producers = std::move(behind);
      wait.line = &line;
      wait.reason = reason;
      wait.at_line = cycles;
    }
  Wait longest;
  std::uint64_t all = 0;
  for (const auto& key : order) {
    all += waits.at(key).cycles;
    if (waits.at(key).cycles > longest.cycles) longest = waits.at(key);
  }
  longest.all = all;
  return longest;
}

std::string place_text(const LineStalls& line) { return fmt::format("{} at {:04x}", printable(line.text), line.pc); }

std::string places_text(const std::vector<const LineStalls*>& lines) {
  if (lines.empty()) return {};
  if (lines.size() == 1) return place_text(*lines[0]);
  if (lines.size() == 2) return place_text(*lines[0]) + " and " + place_text(*lines[1]);
  return fmt::format("{} and {} others", place_text(*lines[0]), lines.size() - 1);
}

}  // namespace sassim::report
