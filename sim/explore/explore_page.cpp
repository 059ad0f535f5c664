// SPDX-License-Identifier: Apache-2.0
// The page of an exploration: what web/74_explore.js reads, and sentences that say what follows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/base/demangle.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/config/dump.h"
#include "sim/explore/explore_output.h"
#include "sim/explore/payoff.h"
#include "sim/page/page.h"

namespace sassim::explore {

namespace {

using Json = nlohmann::ordered_json;

/// What a page shows of a point, in the order of web/74_explore.js.
Json page_values(const MetricTable& metrics) {
  return {cycles_of(metrics), l1_hit_rate(metrics), l2_hit_rate(metrics), l2_traffic(metrics), dram_traffic(metrics)};
}

Json page_axes(const Explored& explored) {
  Json axes = Json::array();
  for (const Axis& axis : explored.axes)
    axes.push_back({{"key", axis.key}, {"path", axis.path}, {"values", axis.values}, {"numbers", axis.numbers}});
  return axes;
}

Json page_point(const Variant& variant) {
  Json point = {{"at", variant.at}, {"state", state_name(variant.state)}};
  if (!variant.error.empty()) point["error"] = printable(variant.error);
  if (variant.state != campaign::PointState::done) return point;
  point["values"] = page_values(variant.metrics);
  if (variant.kernels.size() > 1)
    for (const KernelMetrics& kernel : variant.kernels) point["kernels"].push_back(page_values(kernel.metrics));
  return point;
}

/// The names of the kernels, if there are several.
Json page_kernels(const Explored& explored) {
  Json names = Json::array();
  for (const Variant& variant : explored.variants) {
    if (variant.kernels.size() < 2) continue;
    for (const KernelMetrics& kernel : variant.kernels) names.push_back(printable(demangled(kernel.name)));
    break;
  }
  return names;
}

Json page_what_if(const Explored& explored) {
  Json rows = Json::array();
  for (const Recovered& row : ranked(explored))
    rows.push_back({{"name", row.idealisation->name},
                    {"meaning", row.idealisation->meaning},
                    {"overrides", fmt::format("{}", fmt::join(row.idealisation->overrides, " "))},
                    {"cycles", row.cycles},
                    {"recovered", row.recovered}});
  return rows;
}

struct Cache {
  const char* name;
  const MissCurve& curve;
  std::uint64_t (*size)(const Variant&);
  double (*hit_rate)(const MetricTable&);
};

std::array<Cache, 2> caches_of(const MissCurves& curves) {
  return {Cache{"L1", curves.l1, [](const Variant& v) { return v.l1_data; }, l1_hit_rate},
          Cache{"L2", curves.l2, [](const Variant& v) { return v.config->memory.l2.size; }, l2_hit_rate}};
}

Json page_curves(const Explored& explored) {
  Json all = Json::array();
  for (const Cache& cache : caches_of(*explored.curves)) {
    Json steps = Json::array(), points = Json::array();
    for (const MissCurve::Step& step : cache.curve.steps()) steps.push_back({step.bytes, step.rate});
    for (const Variant& variant : explored.variants)
      if (variant.state == campaign::PointState::done)
        points.push_back({cache.size(variant), cache.hit_rate(variant.metrics), variant.label});
    all.push_back({{"name", cache.name},
                   {"granule", cache.curve.granule()},
                   {"sectors", cache.curve.sectors()},
                   {"steps", std::move(steps)},
                   {"points", std::move(points)}});
  }
  return all;
}

std::string cycles_text(double cycles) { return fmt::format("{:.0f} cycles", cycles); }

void add_extremes(const Explored& explored, std::vector<std::string>& sentences) {
  const Variant *fastest = nullptr, *slowest = nullptr;
  for (const Variant& variant : explored.variants) {
    if (variant.state != campaign::PointState::done) continue;
    if (fastest == nullptr || cycles_of(variant.metrics) < cycles_of(fastest->metrics)) fastest = &variant;
    if (slowest == nullptr || cycles_of(variant.metrics) > cycles_of(slowest->metrics)) slowest = &variant;
  }
  if (fastest == nullptr || fastest->label.empty() || fastest == slowest) return;
  const double least = cycles_of(fastest->metrics), most = cycles_of(slowest->metrics);
  sentences.push_back(fmt::format("{} is the fastest point with {}; {} is the slowest and takes {:.1f} % more",
                                  fastest->label, cycles_text(least), slowest->label, 100 * (most / least - 1)));
}

void add_what_if(const Explored& explored, std::vector<std::string>& sentences) {
  std::vector<Recovered> parts = ranked(explored);
  std::erase_if(parts, [](const Recovered& row) { return !row.idealisation->part; });
  if (parts.empty()) return;
  const double base = cycles_of(explored.idealised.front().metrics);
  const auto share = [&](const Recovered& row) { return 100 * row.recovered / base; };
  std::string text = fmt::format("Of the parts of the GPU, {} recovers most: {:.1f} % of the time",
                                 parts[0].idealisation->name, share(parts[0]));
  if (parts.size() > 1) text += fmt::format("; {} is next with {:.1f} %", parts[1].idealisation->name, share(parts[1]));
  sentences.push_back(text + ". What single parts recover does not add up");
}

void add_curves(const Explored& explored, std::vector<std::string>& sentences) {
  constexpr double kAlmost = 0.01;
  for (const Cache& cache : caches_of(*explored.curves)) {
    if (cache.curve.steps().empty()) continue;
    const double most = cache.curve.steps().back().rate;
    const auto enough = std::find_if(cache.curve.steps().begin(), cache.curve.steps().end(),
                                     [&](const MissCurve::Step& step) { return step.rate >= most - kAlmost; });
    sentences.push_back(
        fmt::format("{}: no size finds more than {:.1f} % of the sectors; with full associativity and LRU, {} comes "
                    "within one point of it",
                    cache.name, 100 * most, amount(static_cast<double>(enough->bytes))));
  }
}

}  // namespace

std::vector<std::string> findings(const Explored& explored) {
  std::vector<std::string> sentences = payoff_text(explored);
  add_extremes(explored, sentences);
  if (!explored.idealised.empty()) add_what_if(explored, sentences);
  if (explored.curves) add_curves(explored, sentences);
  return sentences;
}

std::string explore_html(const Explored& explored) {
  const std::string gpu = config::shown_name(*explored.config);
  const std::vector<std::string> traces = page::file_names(explored.traces);
  Json points = Json::array();
  for (const Variant& variant : explored.variants) points.push_back(page_point(variant));
  Json data = {{"kind", "explore"},
               {"version", kVersion},
               {"config", {{"name", gpu}, {"hash", config::config_hash(*explored.config)}}},
               {"traces", traces},
               {"caches", explored.caches},
               {"notes", explored.notes},
               {"complete", explored.complete},
               {"findings", findings(explored)},
               {"worthwhile", kWorthwhile},
               {"zipped", explored.combine == Combine::zip},
               {"axes", page_axes(explored)},
               {"kernels", page_kernels(explored)},
               {"points", std::move(points)}};
  if (const auto rows = ranked(explored); !rows.empty())
    data["what_if"] = {{"cycles", cycles_of(explored.idealised.front().metrics)}, {"rows", page_what_if(explored)}};
  if (explored.curves) data["curves"] = page_curves(explored);
  return page::page(fmt::format("sassim explore: {} on {}", fmt::join(traces, " "), gpu), data);
}

}  // namespace sassim::explore
