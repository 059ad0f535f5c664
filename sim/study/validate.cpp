// SPDX-License-Identifier: Apache-2.0
#include "sim/study/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace sassim::study {

std::map<std::string, double, std::less<>> read_values(std::string_view printed) {
  std::map<std::string, double, std::less<>> values;
  while (!printed.empty()) {
    std::size_t end = std::min(printed.find('\n'), printed.size());
    std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    if (!line.starts_with('{')) continue;
    nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("value") || !json["value"].is_number() || !json["id"].is_string()) continue;
    values[json["id"].get<std::string>()] = json["value"].get<double>();
  }
  return values;
}

double Outcome::error() const {
  double scale = *target.expected == 0 ? 1 : std::fabs(*target.expected);
  return (*simulated - *target.expected) / scale;
}

std::size_t Validation::measured() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](auto& o) { return o.measured(); }));
}

std::size_t Validation::within() const {
  return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [](auto& o) { return o.within(); }));
}

double Validation::mape() const {
  double sum = 0;
  for (const Outcome& outcome : outcomes) sum += outcome.measured() ? std::fabs(outcome.error()) : 0;
  return measured() == 0 ? 0 : sum / static_cast<double>(measured());
}

Validation validate(std::vector<Target> targets, const std::function<ProgramOutput(const std::string&)>& run) {
  std::map<std::string, ProgramOutput> outputs;
  Validation result;
  for (Target& target : targets) {
    Outcome outcome{std::move(target), std::nullopt, ""};
    const Target& of = outcome.target;
    if (of.benchmark.empty()) {
      outcome.why_not = of.reason;
    } else if (!of.expected) {
      outcome.why_not = "the published value is a word";
    } else {
      auto at = outputs.find(of.benchmark);
      if (at == outputs.end()) at = outputs.emplace(of.benchmark, run(of.benchmark)).first;
      auto value = at->second.values.find(of.answer);
      if (value != at->second.values.end()) {
        outcome.simulated = value->second;
      } else {
        outcome.why_not = at->second.failure.empty() ? "not in the range that was run" : at->second.failure;
      }
    }
    result.outcomes.push_back(std::move(outcome));
  }
  return result;
}

nlohmann::ordered_json to_json(const Validation& validation) {
  nlohmann::ordered_json targets = nlohmann::ordered_json::array();
  nlohmann::ordered_json unmeasured = nlohmann::ordered_json::array();
  for (const Outcome& outcome : validation.outcomes) {
    const Target& target = outcome.target;
    if (!outcome.measured()) {
      unmeasured.push_back({{"id", target.id}, {"reason", outcome.why_not}, {"source", target.source}});
      continue;
    }
    targets.push_back({{"id", target.id},
                       {"quantity", target.quantity},
                       {"unit", target.unit},
                       {"expected", *target.expected},
                       {"simulated", *outcome.simulated},
                       {"error", outcome.error()},
                       {"tolerance", {{"abs", target.tolerance.abs}, {"rel", target.tolerance.rel}}},
                       {"within", outcome.within()},
                       {"source", target.source}});
  }
  return {
      {"targets", targets},
      {"unmeasured", unmeasured},
      {"summary", {{"targets", validation.measured()}, {"within", validation.within()}, {"mape", validation.mape()}}}};
}

std::string to_text(const Validation& validation, bool all) {
  std::string text;
  auto out = std::back_inserter(text);
  std::map<std::string, std::size_t> reasons;
  fmt::format_to(out, "{:<44}{:>12}{:>12}{:>10}  {:<16}{}\n", "target", "expected", "simulated", "error", "tolerance",
                 "source");
  for (const Outcome& outcome : validation.outcomes) {
    const Target& target = outcome.target;
    if (!outcome.measured()) {
      ++reasons[outcome.why_not];
      continue;
    }
    if (outcome.within() && !all) continue;
    fmt::format_to(
        out, "{:<44}{:>12.6g}{:>12.6g}{:>+9.1f}%{} {:<16}{}\n", target.id, *target.expected, *outcome.simulated,
        100 * outcome.error(), outcome.within() ? ' ' : '*',
        fmt::format("{:g} {} / {:g} %", target.tolerance.abs, target.unit.substr(0, 6), 100 * target.tolerance.rel),
        target.source);
  }
  fmt::format_to(out, "\n{} of {} measured targets within tolerance, mean absolute error {:.1f} %\n",
                 validation.within(), validation.measured(), 100 * validation.mape());
  for (const auto& [reason, count] : reasons) fmt::format_to(out, "{} not measured: {}\n", count, reason);
  return text;
}

}  // namespace sassim::study
