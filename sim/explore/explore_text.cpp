// SPDX-License-Identifier: Apache-2.0
// The table of an exploration for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/config/dump.h"
#include "sim/config/units.h"
#include "sim/explore/explore_output.h"
#include "sim/explore/payoff.h"

namespace sassim::explore {

namespace {

constexpr std::size_t kMostRows = 48;

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.1f} %", 100 * part) : "-"; }

/// Formats rows of cells, right-aligned. The last cell of a row that is shorter than the others is a remark of any
/// length.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  std::vector<std::size_t> widths(columns);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i + 1 < row.size() || row.size() == columns) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i + 1 == row.size() && row.size() < widths.size() ? "  " + row[i]
                                                                : fmt::format("  {:>{}}", row[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

/// All variants in order if they fit on a screen, else the fastest ones and the failed ones.
std::vector<std::size_t> shown(const Explored& explored) {
  std::vector<std::size_t> all(explored.variants.size());
  std::iota(all.begin(), all.end(), 0);
  if (all.size() <= kMostRows) return all;
  const auto cost = [&](std::size_t i) {
    const Variant& v = explored.variants[i];
    return v.state == campaign::PointState::done ? cycles_of(v.metrics) : -1;
  };
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  all.resize(kMostRows);
  return all;
}

std::string variants_text(const Explored& explored) {
  double best = INFINITY;
  for (const Variant& v : explored.variants)
    if (v.state == campaign::PointState::done) best = std::min(best, cycles_of(v.metrics));
  std::vector<std::vector<std::string>> rows(1);
  for (const Axis& axis : explored.axes) rows[0].push_back(axis.key);
  for (const char* name : {"cycles", "over best", "L1 hits", "L2 hits", "L2 traffic", "DRAM traffic"})
    rows[0].emplace_back(name);
  for (const std::size_t i : shown(explored)) {
    const Variant& v = explored.variants[i];
    std::vector<std::string> row;
    for (std::size_t a = 0; a < v.at.size(); ++a) row.push_back(explored.axes[a].values[v.at[a]]);
    if (v.state == campaign::PointState::done) {
      const double cycles = cycles_of(v.metrics);
      for (const std::string& cell : {fmt::format("{:.0f}", cycles), fmt::format("{:.1f} %", 100 * (cycles / best - 1)),
                                      percent(l1_hit_rate(v.metrics)), percent(l2_hit_rate(v.metrics)),
                                      amount(l2_traffic(v.metrics)), amount(dram_traffic(v.metrics))})
        row.push_back(cell);
    } else {
      row.push_back(v.state == campaign::PointState::failed ? "failed: " + v.error : "not run");
    }
    rows.push_back(std::move(row));
  }
  std::string text = table(rows);
  if (explored.variants.size() > kMostRows)
    text += fmt::format("  ({} of {} points, the fastest; points.csv has all)\n", kMostRows, explored.variants.size());
  return text;
}

std::string what_if_text(const Explored& explored) {
  const Variant& base = explored.idealised.front();
  if (base.state != campaign::PointState::done) return "";
  std::string text = fmt::format("What if ({:.0f} cycles as configured)\n", cycles_of(base.metrics));
  std::vector<std::vector<std::string>> rows{{"cycles", "recovered", "", ""}};
  for (const Recovered& row : ranked(explored))
    rows.push_back({fmt::format("{:.0f}", row.cycles), fmt::format("{:.0f}", row.recovered),
                    fmt::format("{:.1f} %", 100 * row.recovered / cycles_of(base.metrics)),
                    fmt::format("{}: {}", row.idealisation->name, row.idealisation->meaning)});
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row.back().size());
  for (auto& row : rows) row.back().resize(widest, ' ');
  return text + table(rows);
}

std::string curve_text(const MissCurve& curve, const std::string& name,
                       std::vector<std::pair<std::uint64_t, double>> simulated) {
  if (curve.sectors() == 0) return fmt::format("  {}: no accesses\n", name);
  std::sort(simulated.begin(), simulated.end());
  simulated.erase(std::unique(simulated.begin(), simulated.end()), simulated.end());
  std::vector<std::vector<std::string>> rows{{name + " capacity", "LRU hits", "simulated"}};
  std::vector<std::uint64_t> sizes;
  const std::uint64_t all = curve.steps().empty() ? curve.granule() : curve.steps().back().bytes;
  for (std::uint64_t size = 1024; size < 2 * all; size *= 2)
    if (size >= curve.granule()) sizes.push_back(size);
  for (const auto& point : simulated) sizes.push_back(point.first);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const std::uint64_t size : sizes) {
    std::vector<std::string> row{config::format_quantity(size, config::Unit::bytes), percent(curve.rate(size)), ""};
    const auto [first, last] = std::equal_range(simulated.begin(), simulated.end(), std::pair(size, 0.0),
                                                [](const auto& a, const auto& b) { return a.first < b.first; });
    if (first != last) {
      const std::string least = percent(first->second), most = percent(std::prev(last)->second);
      row[2] = least == most ? least : fmt::format("{} to {}", least, most);
    }
    rows.push_back(std::move(row));
  }
  return table(rows);
}

std::string curves_text(const Explored& explored) {
  std::vector<std::pair<std::uint64_t, double>> l1, l2;
  for (const Variant& v : explored.variants)
    if (v.state == campaign::PointState::done) {
      l1.emplace_back(v.l1_data, l1_hit_rate(v.metrics));
      l2.emplace_back(v.config->memory.l2.size, l2_hit_rate(v.metrics));
    }
  return fmt::format(
      "Miss curves: fully associative LRU of every size, for the accesses of {} as configured\n"
      "(exact for this order of accesses; data in flight counts as found, here in the simulated rates too;\n"
      " the capacity of an L1 is what shared memory and l1.detected_loss leave)\n{}{}",
      config::shown_name(*explored.config), curve_text(explored.curves->l1, "L1", std::move(l1)),
      curve_text(explored.curves->l2, "L2", std::move(l2)));
}

}  // namespace

std::string amount(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string explore_text(const Explored& explored) {
  std::string text = fmt::format("{} on {}: {} {} simulated, {} already done, {} failed\n",
                                 fmt::join(explored.traces, " "), config::shown_name(*explored.config), explored.ran,
                                 explored.ran == 1 ? "point" : "points", explored.reused, explored.failed);
  for (const std::string& note : explored.notes) text += "note: " + note + "\n";
  text += variants_text(explored);
  for (const std::string& line : payoff_text(explored)) text += line + "\n";
  if (!payoffs(explored).empty()) text += "(stops paying: the smallest value within 2 % of the cycles of the best)\n";
  if (!explored.idealised.empty()) text += what_if_text(explored);
  if (explored.curves) text += curves_text(explored);
  return text;
}

}  // namespace sassim::explore
