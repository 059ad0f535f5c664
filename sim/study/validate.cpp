// SPDX-License-Identifier: Apache-2.0
#include "sim/study/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

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

namespace {

bool answerable(const Target& target) { return !target.benchmark.empty() && target.expected; }

std::map<std::string, ProgramOutput> run_all(const std::vector<Target>& targets,
                                             const std::function<ProgramOutput(const std::string&)>& run,
                                             unsigned jobs) {
  std::map<std::string, ProgramOutput> outputs;
  std::vector<std::pair<const std::string, ProgramOutput>*> todo;
  for (const Target& target : targets) {
    if (!answerable(target)) continue;
    auto [at, fresh] = outputs.try_emplace(target.benchmark);
    if (fresh) todo.push_back(&*at);
  }
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = 0; (i = next++) < todo.size();) todo[i]->second = run(todo[i]->first);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs, todo.size()); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  return outputs;
}

}  // namespace

Validation validate(std::vector<Target> targets, const std::function<ProgramOutput(const std::string&)>& run,
                    unsigned jobs) {
  const std::map<std::string, ProgramOutput> outputs = run_all(targets, run, jobs);
  Validation result;
  for (Target& target : targets) {
    Outcome outcome{std::move(target), std::nullopt, "", ""};
    const Target& of = outcome.target;
    if (of.benchmark.empty()) {
      outcome.why_not = of.reason;
    } else if (!of.expected) {
      outcome.why_not = "the published value is a word";
    } else {
      const ProgramOutput& output = outputs.at(of.benchmark);
      if (auto value = output.values.find(of.answer); value != output.values.end()) {
        outcome.simulated = value->second;
      } else {
        outcome.why_not = output.failure.empty() ? "not in the range that was run" : output.failure;
      }
    }
    result.outcomes.push_back(std::move(outcome));
  }
  return result;
}

std::size_t Validation::known_gaps() const {
  return static_cast<std::size_t>(std::count_if(
      outcomes.begin(), outcomes.end(), [](auto& o) { return o.measured() && !o.within() && !o.known_gap.empty(); }));
}

void explain(Validation& validation, const std::vector<KnownGap>& gaps, std::string_view gpu) {
  for (const KnownGap& gap : gaps) {
    if (gap.gpu != gpu) continue;
    std::size_t measured = 0, within = 0;
    for (Outcome& outcome : validation.outcomes) {
      if (!outcome.measured() || !gap.matches(outcome.target.id)) continue;
      ++measured;
      within += outcome.within();
      if (!outcome.within() && outcome.known_gap.empty()) outcome.known_gap = gap.reason;
    }
    if (measured > 0 && within == measured) validation.stale_gaps.push_back(gap.pattern);
  }
}

nlohmann::ordered_json summary(const Validation& validation) {
  struct Count {
    std::size_t measured = 0, within = 0, known = 0;
  };
  std::map<std::string, Count> groups;
  Count all;
  nlohmann::ordered_json outside = nlohmann::ordered_json::array();
  for (const Outcome& outcome : validation.outcomes) {
    if (!outcome.measured()) continue;
    if (!outcome.within()) outside.push_back(outcome.target.id);
    const std::string& id = outcome.target.id;
    const std::size_t start = id.find('.') + 1;
    for (Count* count : {&all, &groups[outcome.target.published ? "published" : "hardware"],
                         &groups["id " + id.substr(start, id.find('.', start) - start)]}) {
      ++count->measured;
      count->within += outcome.within();
      count->known += !outcome.within() && !outcome.known_gap.empty();
    }
  }
  auto row = [](const Count& count) -> nlohmann::ordered_json {
    return {{"measured", count.measured}, {"within", count.within}, {"known_gaps", count.known}};
  };
  nlohmann::ordered_json json = {{"all", row(all)}};
  for (const auto& [name, count] : groups) json[name] = row(count);
  json["out_of_tolerance"] = outside;
  return json;
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
    if (!outcome.within() && !outcome.known_gap.empty()) targets.back()["known_gap"] = outcome.known_gap;
  }
  return {{"targets", targets},
          {"unmeasured", unmeasured},
          {"summary",
           {{"targets", validation.measured()},
            {"within", validation.within()},
            {"known_gaps", validation.known_gaps()},
            {"mape", validation.mape()}}}};
}

std::string to_text(const Validation& validation, bool all) {
  std::string text;
  auto out = std::back_inserter(text);
  std::map<std::string, std::size_t> reasons;
  std::map<std::string, std::size_t> known;
  fmt::format_to(out, "{:<44}{:>12}{:>12}{:>10}  {:<16}{}\n", "target", "expected", "simulated", "error", "tolerance",
                 "source");
  for (const Outcome& outcome : validation.outcomes) {
    const Target& target = outcome.target;
    if (!outcome.measured()) {
      ++reasons[outcome.why_not];
      continue;
    }
    if (!outcome.within() && !outcome.known_gap.empty()) {
      ++known[outcome.known_gap];
      if (!all) continue;
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
  for (const auto& [reason, count] : known) fmt::format_to(out, "{} known gap: {}\n", count, reason);
  for (const std::string& pattern : validation.stale_gaps)
    fmt::format_to(out, "stale known gap: every measured target of '{}' is within tolerance: take it out\n", pattern);
  for (const auto& [reason, count] : reasons) fmt::format_to(out, "{} not measured: {}\n", count, reason);
  return text;
}

}  // namespace sassim::study
