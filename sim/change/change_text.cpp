// SPDX-License-Identifier: Apache-2.0
// The comparison of two runs as text for a terminal.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/change/change.h"

namespace sassim::change {

namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr double kLeastCause = 2, kLeastWait = 2;  ///< percent of the cycles before
constexpr double kLeastCounter = 1;                ///< percent of the value before, or points
constexpr std::size_t kMostRows = 3, kMostLines = 5;

void print_cause(Out out, const KernelChange& kernel) {
  std::size_t shown = 0;
  for (const CauseChange& one : kernel.causes) {
    const double points = 100 * (one.after - one.before) / kernel.cycles.before;
    if (std::abs(points) < kLeastCause || shown++ == kMostRows) break;
    fmt::format_to(out, "  {} {}: about {:.0f} cycles -> {:.0f}\n", points < 0 ? "less of" : "more of",
                   report::cause_row(one.cause).phrase, one.before, one.after);
  }
  if (!kernel.first_after.empty() && kernel.first_after != kernel.first_before)
    fmt::format_to(out, "  bound by {} -> by {}\n", kernel.first_before.empty() ? "nothing known" : kernel.first_before,
                   kernel.first_after);
}

void print_waits(Out out, const KernelChange& kernel) {
  std::size_t shown = 0;
  for (const Change& wait : kernel.waits) {
    if (std::abs(wait.difference()) < kLeastWait || shown++ == kMostRows) break;
    fmt::format_to(out, "  waits ({}): {:.0f} % -> {:.0f} %, both of the time before\n", wait.name, wait.before,
                   wait.after);
  }
}

bool counts(const Change& counter) {
  return counter.name.find(".pct") != std::string::npos ? std::abs(counter.difference()) >= kLeastCounter
                                                        : std::abs(counter.percent()) >= kLeastCounter;
}

void print_counters(Out out, const std::vector<Change>& counters, bool every) {
  for (const Change& counter : counters)
    if (every || counts(counter))
      fmt::format_to(out, "    {:<56}{:>14.6g}{:>14.6g}  {:>9}\n", counter.name, counter.before, counter.after,
                     percent_text(counter));
}

void print_lines(Out out, const std::vector<LineChange>& lines) {
  std::size_t shown = 0;
  for (const LineChange& line : lines) {
    if (shown++ == kMostLines) break;
    const std::string& place = line.before_place.empty() ? line.after_place : line.before_place;
    std::string note;
    if (line.before_place.empty())
      note = "  (new)";
    else if (line.after_place.empty())
      note = "  (gone)";
    else if (line.after_place != line.before_place)
      note = fmt::format("  (now {})", line.after_place);
    fmt::format_to(out, "    {:<56}{:>14.0f}{:>14.0f}{}\n",
                   line.text.empty() ? place : fmt::format("{} {}", place, line.text).substr(0, 55), line.before,
                   line.after, note);
  }
}

void print_kernel(Out out, const KernelChange& kernel, bool every_metric) {
  std::string name = kernel.name + (kernel.launch > 0 ? fmt::format(" #{}", kernel.launch) : "");
  if (!kernel.name_after.empty()) name += " -> " + kernel.name_after;
  fmt::format_to(out, "{:<58}{:>14.0f}{:>14.0f}  {:>9}\n", name, kernel.cycles.before, kernel.cycles.after,
                 percent_text(kernel.cycles));
  if (kernel.metrics.empty()) return;
  print_cause(out, kernel);
  print_waits(out, kernel);
  print_counters(out, every_metric ? kernel.metrics : kernel.counters, every_metric);
  if (kernel.sass.empty()) return;
  fmt::format_to(out, "    warp cycles lost at lines\n");
  print_lines(out, kernel.cuda);
  print_lines(out, kernel.sass);
}

void print_names(Out out, std::string_view what, const std::vector<std::string>& names) {
  for (const std::string& name : names) fmt::format_to(out, "{}: {}\n", what, name);
}

nlohmann::ordered_json changes_json(const std::vector<Change>& changes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const Change& one : changes) all[one.name] = {one.before, one.after};
  return all;
}

nlohmann::ordered_json lines_json(const std::vector<LineChange>& lines) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const LineChange& line : lines)
    all.push_back({{"before", line.before_place},
                   {"after", line.after_place},
                   {"text", line.text},
                   {"warp_cycles", {line.before, line.after}}});
  return all;
}

}  // namespace

std::string percent_text(const Change& change) {
  if (change.before == change.after) return "no change";
  return change.before == 0 ? "from 0" : fmt::format("{:+.1f} %", change.percent());
}

std::string to_text(const Comparison& comparison, bool every_metric) {
  std::string text;
  Out out(text);
  fmt::format_to(out, "{:<58}{:>14}{:>14}  {:>9}\n", "kernel: cycles", "before", "after", "change");
  for (const KernelChange& kernel : comparison.kernels) print_kernel(out, kernel, every_metric);
  if (comparison.kernels.size() > 1) {
    const Change all = comparison.cycles();
    fmt::format_to(out, "{:<58}{:>14.0f}{:>14.0f}  {:>9}\n", fmt::format("all {} launches", comparison.kernels.size()),
                   all.before, all.after, percent_text(all));
  }
  for (const auto& [before, after] : comparison.renamed)
    fmt::format_to(out, "{} and {} are taken for one kernel, as the only names without a partner (--rename OLD=NEW)\n",
                   before, after);
  print_names(out, "only before", comparison.only_before);
  print_names(out, "only after", comparison.only_after);
  return text;
}

nlohmann::ordered_json to_json(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json kernels = Json::array();
  for (const KernelChange& kernel : comparison.kernels) {
    Json causes = Json::array();
    for (const CauseChange& one : kernel.causes)
      causes.push_back({{"cause", report::cause_row(one.cause).name}, {"cycles", {one.before, one.after}}});
    kernels.push_back({{"name", kernel.name},
                       {"name_after", kernel.name_after.empty() ? kernel.name : kernel.name_after},
                       {"launch", kernel.launch},
                       {"cycles", {kernel.cycles.before, kernel.cycles.after}},
                       {"duration_ns", {kernel.duration.before, kernel.duration.after}},
                       {"bound_by", {kernel.first_before, kernel.first_after}},
                       {"causes", std::move(causes)},
                       {"waits_pct", changes_json(kernel.waits)},
                       {"metrics", changes_json(kernel.metrics)},
                       {"cuda_lines", lines_json(kernel.cuda)},
                       {"sass_lines", lines_json(kernel.sass)}});
  }
  return {{"schema", "sassim-change/1"},
          {"kernels", std::move(kernels)},
          {"only_before", comparison.only_before},
          {"only_after", comparison.only_after}};
}

}  // namespace sassim::change
