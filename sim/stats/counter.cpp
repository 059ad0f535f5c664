// SPDX-License-Identifier: Apache-2.0
// Holds the rows of all counters, which are declared before main(). Refuses malformed names, and names that another
// counter has.
#include "sim/stats/counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace sassim::stats {

namespace {

/// Counters are declared before main() starts; after that the list is only read.
struct List {
  std::deque<CounterRow> rows;
  std::map<std::string_view, std::uint16_t> by_name;
  std::vector<Counter> sorted;  ///< of by_name, for counters(): each launch asks several times
};

List& list() {
  static List all;
  return all;
}

struct ByText {
  bool operator()(const CounterRow& a, const CounterRow& b) const {
    return std::tie(a.name, a.unit, a.integral, a.parts) < std::tie(b.name, b.unit, b.integral, b.parts);
  }
};

/// The rollup that a name must end with; nothing: any.
std::optional<Rollup> rollup_of(CounterKind kind) {
  if (kind == CounterKind::count) return Rollup::sum;
  if (kind == CounterKind::largest) return Rollup::max;
  if (kind == CounterKind::smallest) return Rollup::min;
  return std::nullopt;
}

std::uint16_t declare(CounterRow row) {
  const std::optional<Rollup> named = rollup_in(row.name), combined = rollup_of(row.kind);
  if (!named) throw std::logic_error(fmt::format("the name of counter '{}' does not end with a rollup", row.name));
  if (combined && combined != named)
    throw std::logic_error(fmt::format("counter '{}' is reported as a {}", row.name, rollup_row(*combined).name));
  if (has_counter(row.name)) throw std::logic_error(fmt::format("counter '{}' is declared twice", row.name));
  row.rollup = *named;
  row.integral = row.kind != CounterKind::derived;
  const auto index = static_cast<std::uint16_t>(list().rows.size());
  const CounterRow& kept = list().rows.emplace_back(std::move(row));
  list().by_name.emplace(kept.name, index);
  std::vector<Counter>& sorted = list().sorted;
  const auto later = std::lower_bound(sorted.begin(), sorted.end(), kept.name,
                                      [](Counter a, const std::string& name) { return a.row().name < name; });
  sorted.insert(later, find_counter(kept.name));
  return index;
}

std::vector<std::string> names_of(const std::vector<Counter>& parts) {
  if (parts.empty()) throw std::logic_error("a throughput is the largest of nothing");
  std::vector<std::string> names;
  for (const Counter part : parts) names.push_back(part.row().name);
  return names;
}

CounterRow row(CounterKind kind, std::string name, std::string unit, std::string meaning,
               std::vector<std::string> parts = {}) {
  return {std::move(name), std::move(unit), std::move(meaning), kind, Rollup::value, std::move(parts)};
}

}  // namespace

std::string_view kind_name(CounterKind kind) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(CounterKind::count_)> kNames = {
      "count", "largest", "smallest", "derived"};
  return kNames[static_cast<std::size_t>(kind)];
}

Counter::Counter(CounterRow row) : index_(declare(std::move(row))) {}

const CounterRow& Counter::row() const { return list().rows[index_]; }

Count::Count(std::string name, std::string unit, std::string meaning)
    : Counter(stats::row(CounterKind::count, std::move(name), std::move(unit), std::move(meaning))) {}
Count::Count(Counter declared) : Counter(declared) {
  if (row().kind != CounterKind::count) throw std::logic_error(fmt::format("counter '{}' is no count", row().name));
}
Largest::Largest(std::string name, std::string unit, std::string meaning)
    : Counter(stats::row(CounterKind::largest, std::move(name), std::move(unit), std::move(meaning))) {}
Smallest::Smallest(std::string name, std::string unit, std::string meaning)
    : Counter(stats::row(CounterKind::smallest, std::move(name), std::move(unit), std::move(meaning))) {}
Derived::Derived(std::string name, std::string unit, std::string meaning)
    : Counter(stats::row(CounterKind::derived, std::move(name), std::move(unit), std::move(meaning))) {}
Throughput::Throughput(std::string name, std::string unit, std::string meaning, const std::vector<Counter>& parts)
    : Counter(stats::row(CounterKind::derived, std::move(name), std::move(unit), std::move(meaning), names_of(parts))) {
}

Counter find_counter(std::string_view name) {
  const auto found = list().by_name.find(name);
  if (found == list().by_name.end()) throw std::logic_error(fmt::format("nobody declares the counter '{}'", name));
  return Counter(found->second);
}

bool has_counter(std::string_view name) { return list().by_name.contains(name); }

std::vector<Counter> counters() { return list().sorted; }

std::size_t counter_count() { return list().rows.size(); }

const CounterRow& described(std::string_view name, std::string_view unit, bool integral,
                            const std::vector<std::string>& parts) {
  if (const auto found = list().by_name.find(name); found != list().by_name.end())
    if (const CounterRow& row = list().rows[found->second];
        row.unit == unit && row.integral == integral && row.parts == parts)
      return row;
  static std::set<CounterRow, ByText> others;
  static std::mutex guard;
  CounterRow row = stats::row(CounterKind::derived, std::string(name), std::string(unit), "", parts);
  row.rollup = rollup_in(name).value_or(Rollup::value);
  row.integral = integral;
  const std::scoped_lock lock(guard);
  return *others.insert(std::move(row)).first;
}

}  // namespace sassim::stats
