// SPDX-License-Identifier: Apache-2.0
// Composes "Bound by ..." of a report, and its JSON, from estimates, places in the code and the grid.
#include "sim/report/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/report/bound_estimates.h"
#include "sim/report/bound_facts.h"
#include "sim/report/bound_where.h"

namespace sassim::report {

namespace {

constexpr std::size_t kMostCauses = 3;
constexpr double kLeastGain = 5;         ///< percent: what costs less is not said, except if it costs most
constexpr double kLeastEmpty = 0.3;      ///< share of the SMs without work
constexpr double kLeastIdlePlaces = 25;  ///< percent
constexpr const char* kIdlePlaces = "sassim__tail_idle.pct";

/// The name in sm.pipes.ops of the pipe that bounds the kernel; empty if no pipe does.
std::string_view pipe_behind(const Facts& f, Cause cause) {
  if (f.pipe == nullptr || f.pipe->cause != cause) return {};
  return f.pipe->name == "cbu" ? "branch" : f.pipe->name;
}

/// SMs without work; empty if nearly all have some.
std::string small_grid(const Facts& f) {
  const double sms = f.get("launch__sm_count"), idle = sms - f.blocks;
  if (idle <= kLeastEmpty * sms) return {};
  if (f.blocks != f.grid)
    return fmt::format(" Only {:.0f} of the {:.0f} blocks ran, which leaves {:.0f} of {:.0f} SMs without work.",
                       f.blocks, f.grid, idle, sms);
  return fmt::format(" {:.0f} {} for {:.0f} SMs {} {:.0f} {} without work.", f.blocks,
                     f.blocks == 1 ? "block" : "blocks", sms, f.blocks == 1 ? "leaves" : "leave", idle,
                     idle == 1 ? "SM" : "SMs");
}

/// Blocks of one wave that end at different times.
std::string uneven(const Facts& f) {
  if (f.waves <= 0 || f.waves > 1 || f.get(kIdlePlaces) < kLeastIdlePlaces) return {};
  return fmt::format(
      " All blocks start at once and the longest decide: places of blocks that have ended are empty for {:.0f} % of "
      "the "
      "time.",
      f.get(kIdlePlaces));
}

std::vector<Estimate> most_of(std::vector<Estimate> all) {
  std::size_t kept = 0;
  while (kept < std::min(all.size(), kMostCauses) && all[kept].gain >= (kept == 0 ? 0.5 : kLeastGain)) ++kept;
  all.resize(kept);
  return all;
}

std::string causes_text(const std::vector<Estimate>& all) {
  std::string text;
  for (const Estimate& found : all)
    text += fmt::format("{}{} (about {:.0f} % of the time): {}.", text.empty() ? "Bound by " : " Then by ",
                        found.phrase.empty() ? cause_row(found.cause).phrase : found.phrase, found.gain, found.text);
  return text;
}

}  // namespace

std::string_view bound_name(const KernelReport& kernel) {
  return kernel.fault ? "(faulted)" : kernel.beside ? "(side by side)" : cause_row(find_causes(kernel).cause).name;
}

namespace {

bool has_bound(const KernelReport& kernel) {
  return !kernel.fault && !kernel.beside && kernel.metrics.has("gpc__cycles_elapsed.max");
}

Bound with_causes(const std::vector<Estimate>& found) {
  Bound bound;
  if (!found.empty()) bound.cause = found.front().cause;
  for (const Estimate& one : found) bound.causes.push_back({one.cause, one.gain, one.text});
  return bound;
}

}  // namespace

Bound find_causes(const KernelReport& kernel) {
  return has_bound(kernel) ? with_causes(most_of(estimates(Facts(kernel)))) : Bound();
}

Bound find_bound(const KernelReport& kernel) {
  if (!has_bound(kernel)) return {};
  const Facts facts(kernel);
  const std::vector<Estimate> found = most_of(estimates(facts));
  Bound bound = with_causes(found);
  if (found.empty()) return bound;
  bound.evidence = found.front().derived;
  for (const std::string& name : found.front().evidence) bound.evidence.emplace_back(name, facts.get(name));
  for (const Estimate& one : found)
    if (bound.where.sentence.empty()) bound.where = find_where(kernel, one.cause, pipe_behind(facts, one.cause));
  bound.sentence = causes_text(found);
  if (!bound.where.sentence.empty()) bound.sentence += " " + bound.where.sentence + ".";
  bound.sentence += small_grid(facts) + uneven(facts);
  return bound;
}

nlohmann::ordered_json to_json(const Bound& bound) {
  using Json = nlohmann::ordered_json;
  Json evidence = Json::object(), causes = Json::array();
  for (const auto& [name, value] : bound.evidence) evidence[name] = value;
  for (const CauseFound& found : bound.causes) {
    Json what_if = Json::array();
    for (const std::string_view name : cause_row(found.cause).what_if)
      if (!name.empty()) what_if.push_back(name);
    causes.push_back({{"cause", cause_row(found.cause).name},
                      {"gain_pct", found.gain},
                      {"text", found.text},
                      {"what_if", std::move(what_if)}});
  }
  Json json = {{"cause", cause_row(bound.cause).name},
               {"sentence", bound.sentence},
               {"causes", std::move(causes)},
               {"evidence", std::move(evidence)},
               {"what_if", cause_row(bound.cause).what_if.front()}};
  if (bound.where.line)
    json["where"] = {{"pc", *bound.where.line},
                     {"reason", bound.where.reason},
                     {"waits_for", bound.where.waits_for},
                     {"warp_cycles_pct", bound.where.share}};
  return json;
}

nlohmann::ordered_json brief_json(const Bound& bound) {
  using Json = nlohmann::ordered_json;
  Json causes = Json::array();
  for (const CauseFound& found : bound.causes)
    causes.push_back({{"cause", cause_row(found.cause).name}, {"gain_pct", found.gain}});
  return {{"cause", cause_row(bound.cause).name}, {"causes", std::move(causes)}};
}

}  // namespace sassim::report
