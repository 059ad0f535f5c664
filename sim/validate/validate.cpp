// SPDX-License-Identifier: Apache-2.0
// Runs programs for `sassim validate`, checks each value, and counts what is within tolerance.
#include "sim/validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "sim/base/error.h"
#include "sim/validate/key_expression.h"

namespace sassim::validate {

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

namespace {

bool accepts(const Target& target, double expected, double simulated) {
  const double less = expected - simulated;
  switch (target.relation) {
    case Relation::below:
      return less > 0;
    case Relation::at_most:
      if (less >= 0) return true;
      break;
    case Relation::at_least:
      if (less <= 0) return true;
      break;
    case Relation::equal:
      break;
  }
  return target.tolerance.accepts(expected, simulated);
}

std::size_t count_of(const std::vector<Outcome>& outcomes, bool (*which)(const Outcome&)) {
  return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), which));
}

}  // namespace

bool Outcome::within() const {
  if (!answered() || !accepts(target, *target.expected, *simulated)) return false;
  return !target.expected_to || (simulated_to && accepts(target, *target.expected_to, *simulated_to));
}

double Outcome::error() const {
  if (target.relation != Relation::equal && within()) return 0;
  const auto relative = [](double expected, double value) {
    return (value - expected) / (expected == 0 ? 1 : std::fabs(expected));
  };
  const double error = relative(*target.expected, *simulated);
  if (!target.expected_to || !simulated_to) return error;
  const double upper = relative(*target.expected_to, *simulated_to);
  return std::fabs(upper) > std::fabs(error) ? upper : error;
}

std::size_t Validation::measured() const {
  return count_of(outcomes, [](const Outcome& o) { return o.measured(); });
}

std::size_t Validation::within() const {
  return count_of(outcomes, [](const Outcome& o) { return o.measured() && o.within(); });
}

std::size_t Validation::stated() const {
  return count_of(outcomes, [](const Outcome& o) { return o.stated(); });
}

std::size_t Validation::stated_within() const {
  return count_of(outcomes, [](const Outcome& o) { return o.stated() && o.within(); });
}

bool Validation::all_within() const {
  const auto answered = count_of(outcomes, [](const Outcome& o) { return o.answered(); });
  return answered > 0 &&
         count_of(outcomes, [](const Outcome& o) { return o.answered() && !o.within() && !o.contradiction; }) == 0;
}

std::size_t Validation::contradictions() const {
  return count_of(outcomes, [](const Outcome& o) { return o.answered() && o.contradiction; });
}

Score Validation::score(Origin origin) const {
  Score score;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.answered() || outcome.contradiction || outcome.origin != origin) continue;
    ++score.rows;
    score.within += outcome.within();
    score.mean_error += std::fabs(outcome.error());
  }
  if (score.rows != 0) score.mean_error /= static_cast<double>(score.rows);
  return score;
}

double Validation::mape() const {
  double sum = 0;
  std::size_t count = 0;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.measured() || outcome.contradiction) continue;
    sum += std::fabs(outcome.error());
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
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
  std::mutex mutex;
  std::exception_ptr error;
  auto work = [&] {
    try {
      for (std::size_t i = 0; (i = next++) < todo.size();) todo[i]->second = run(todo[i]->first);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!error) error = std::current_exception();
      next = todo.size();
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (std::size_t i = 1; i < std::min<std::size_t>(jobs, todo.size()); ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads could be started: they do the work
  }
  work();
  helpers.clear();
  if (error) std::rethrow_exception(error);
  return outputs;
}

void answer_by_program(Outcome& outcome, const ProgramOutput& output, const config::GpuConfig& gpu) {
  const Target& target = outcome.target;
  const auto value = output.values.find(target.answer);
  if (value == output.values.end())
    outcome.why_not = output.failure.empty() ? "not in the range that was run" : output.failure;
  else
    outcome.simulated =
        target.convert.empty() ? value->second : evaluate(target.convert, gpu, {{"answer", value->second}});
}

void answer_by_configuration(Outcome& outcome, const config::GpuConfig& gpu) {
  const Target& target = outcome.target;
  const std::size_t dots = target.key.find("..");
  if ((dots != std::string::npos) != target.expected_to.has_value())
    throw InputError("{}: key '{}': expected FIRST .. LAST if the value is a range, and one expression otherwise",
                     target.id, target.key);
  try {
    outcome.simulated = evaluate(target.key.substr(0, dots), gpu);
    if (target.expected_to) outcome.simulated_to = evaluate(target.key.substr(dots + 2), gpu);
  } catch (const InputError& error) {
    throw InputError("{}: {}", target.id, error.what());
  }
}

}  // namespace

Validation validate(std::vector<Target> targets, const config::GpuConfig& gpu,
                    const std::function<ProgramOutput(const std::string&)>& run, unsigned jobs) {
  // Checks all targets before anything runs.
  for (const Target& target : targets)
    if (!target.convert.empty()) evaluate(target.convert, gpu, {{"answer", 1}});
  Validation result;
  for (const Target& target : targets) {
    Outcome outcome;
    outcome.target = target;
    if (!target.key.empty()) outcome.origin = Origin::echo;
    if (!target.key.empty())
      answer_by_configuration(outcome, gpu);
    else if (target.benchmark.empty())
      outcome.why_not = target.reason;
    else if (!target.expected)
      outcome.why_not = "the published value is a word";
    result.outcomes.push_back(std::move(outcome));
  }
  const std::map<std::string, ProgramOutput> outputs = run_all(targets, run, jobs);
  for (Outcome& outcome : result.outcomes)
    if (answerable(outcome.target)) answer_by_program(outcome, outputs.at(outcome.target.benchmark), gpu);
  return result;
}

std::size_t Validation::known_gaps() const {
  return count_of(outcomes, [](const Outcome& o) {
    return o.answered() && !o.within() && !o.contradiction && !o.known_gap.empty();
  });
}

void trace_origins(Validation& validation, const Citations& citations) {
  for (Outcome& outcome : validation.outcomes) {
    if (!outcome.target.key.empty()) {
      outcome.origin = Origin::echo;
      continue;
    }
    outcome.cited_by = citations.key_behind(outcome.target);
    outcome.origin = outcome.cited_by.empty() ? Origin::predicted : Origin::fitted;
  }
}

namespace {

constexpr double kPercent = 100;

void explain_row(Outcome& outcome, const KnownGap& gap, double bound) {
  constexpr double kRounding = 0.05;  // a bound is printed with one decimal
  if (kPercent * std::fabs(outcome.error()) > bound + kRounding) {
    outcome.exceeded = bound;
    return;
  }
  outcome.known_gap = gap.reason;
  outcome.contradiction = gap.kind == KnownGap::Kind::contradiction;
}

}  // namespace

void explain(Validation& validation, const std::vector<KnownGap>& gaps, std::string_view gpu) {
  for (const KnownGap& gap : gaps) {
    if (gap.gpu != gpu) continue;
    for (Outcome& outcome : validation.outcomes) {
      const auto row = gap.rows.find(outcome.target.id);
      if (row == gap.rows.end() || !outcome.answered()) continue;
      if (outcome.within())
        validation.stale_gaps.push_back(outcome.target.id);
      else
        explain_row(outcome, gap, row->second);
    }
  }
}

std::string expected_text(const Target& target) {
  if (target.expected_to) return fmt::format("{:.6g}..{:.6g}", *target.expected, *target.expected_to);
  const char* relation = "";
  switch (target.relation) {
    case Relation::at_most:
      relation = "<= ";
      break;
    case Relation::at_least:
      relation = ">= ";
      break;
    case Relation::below:
      relation = "< ";
      break;
    case Relation::equal:
      break;
  }
  return fmt::format("{}{:.6g}", relation, *target.expected);
}

std::string simulated_text(const Outcome& outcome) {
  if (outcome.simulated_to) return fmt::format("{:.6g}..{:.6g}", *outcome.simulated, *outcome.simulated_to);
  return fmt::format("{:.6g}", *outcome.simulated);
}

namespace {

struct Count {
  std::size_t rows[3] = {}, within[3] = {};  // by origin, without contradictions
  std::size_t unanswered = 0, known = 0, contradictions = 0;

  void add(const Outcome& outcome) {
    unanswered += !outcome.answered();
    if (!outcome.answered()) return;
    contradictions += outcome.contradiction;
    if (outcome.contradiction) return;
    rows[static_cast<std::size_t>(outcome.origin)] += 1;
    within[static_cast<std::size_t>(outcome.origin)] += outcome.within();
    known += !outcome.within() && !outcome.known_gap.empty();
  }
  std::size_t all_rows() const { return rows[0] + rows[1] + rows[2]; }
  std::size_t all_within() const { return within[0] + within[1] + within[2]; }
  nlohmann::ordered_json json(bool zeros = true) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Origin origin : {Origin::predicted, Origin::fitted, Origin::echo}) {
      const auto at = static_cast<std::size_t>(origin);
      if (zeros || rows[at] > 0) json[origin_name(origin)] = {{"rows", rows[at]}, {"within", within[at]}};
    }
    if (zeros || unanswered > 0) json["unanswered"] = unanswered;
    if (zeros || known > 0) json["known_gaps"] = known;
    if (zeros || contradictions > 0) json["contradictions"] = contradictions;
    return json;
  }
};

Count published_rows(const Validation& validation) {
  Count count;
  for (const Outcome& outcome : validation.outcomes)
    if (outcome.target.published) count.add(outcome);
  return count;
}

}  // namespace

nlohmann::ordered_json summary(const Validation& validation) {
  std::map<std::string, Count> groups;
  Count all;
  nlohmann::ordered_json outside = nlohmann::ordered_json::array();
  for (const Outcome& outcome : validation.outcomes) {
    all.add(outcome);
    groups[outcome.target.published ? "published" : "hardware"].add(outcome);
    if (!outcome.answered()) continue;
    if (!outcome.within() && !outcome.contradiction) outside.push_back(outcome.target.id);
    const std::string& id = outcome.target.id;
    const std::size_t start = id.find('.') + 1;
    groups["id " + id.substr(start, id.find('.', start) - start)].add(outcome);
  }
  nlohmann::ordered_json json = {{"all", all.json(false)}};
  for (const auto& [name, count] : groups) json[name] = count.json(false);
  json["out_of_tolerance"] = outside;
  return json;
}

namespace {

nlohmann::ordered_json origins_json(const Validation& validation) {
  nlohmann::ordered_json json;
  for (const Origin origin : {Origin::predicted, Origin::fitted, Origin::echo}) {
    const Score score = validation.score(origin);
    json[origin_name(origin)] = {{"rows", score.rows}, {"within", score.within}, {"mape", score.mean_error}};
  }
  return json;
}

std::string rows_text(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "row" : "rows"); }

std::string score_text(const Score& score) {
  if (score.rows == 0) return "no rows";
  return fmt::format(
      "{} of {} within tolerance ({:.1f} %), mean absolute error {:.1f} %", score.within, rows_text(score.rows),
      kPercent * static_cast<double>(score.within) / static_cast<double>(score.rows), kPercent * score.mean_error);
}

}  // namespace

nlohmann::ordered_json to_json(const Validation& validation) {
  nlohmann::ordered_json targets = nlohmann::ordered_json::array();
  nlohmann::ordered_json unmeasured = nlohmann::ordered_json::array();
  for (const Outcome& outcome : validation.outcomes) {
    const Target& target = outcome.target;
    if (!outcome.answered()) {
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
                       {"answer", outcome.stated() ? "stated" : "measured"},
                       {"by", outcome.stated() ? target.key : target.benchmark},
                       {"origin", origin_name(outcome.origin)},
                       {"source", target.source}});
    if (target.expected_to) {
      targets.back()["expected_to"] = *target.expected_to;
      targets.back()["simulated_to"] = *outcome.simulated_to;
    }
    if (target.relation != Relation::equal) targets.back()["bound"] = expected_text(target);
    if (!outcome.cited_by.empty()) targets.back()["cited_by"] = outcome.cited_by;
    if (outcome.contradiction)
      targets.back()["contradiction"] = outcome.known_gap;
    else if (!outcome.within() && !outcome.known_gap.empty())
      targets.back()["known_gap"] = outcome.known_gap;
  }
  return {{"targets", targets},
          {"unmeasured", unmeasured},
          {"summary",
           {{"targets", validation.measured()},
            {"within", validation.within()},
            {"stated", validation.stated()},
            {"stated_within", validation.stated_within()},
            {"origins", origins_json(validation)},
            {"published", published_rows(validation).json()},
            {"contradictions", validation.contradictions()},
            {"known_gaps", validation.known_gaps()},
            {"mape", validation.mape()}}}};
}

std::string totals(const Validation& validation) {
  std::string text = fmt::format("predicted: {}\n", score_text(validation.score(Origin::predicted)));
  if (const Score score = validation.score(Origin::fitted); score.rows != 0)
    text += fmt::format("fitted, as the comment of a key cites the row or its table: {}\n", score_text(score));
  if (const Score score = validation.score(Origin::echo); score.rows != 0)
    text += fmt::format("echo, a value of the configuration read back: {} of {} within tolerance\n", score.within,
                        rows_text(score.rows));
  if (const std::size_t count = validation.contradictions(); count != 0)
    text += fmt::format("sources contradict each other, in none of these numbers: {}\n", rows_text(count));
  const Count rows = published_rows(validation);
  if (rows.all_rows() > 0)
    text += fmt::format("published rows of all kinds: {} of {} within tolerance; {} not answered\n", rows.all_within(),
                        rows.all_rows(), rows.unanswered);
  return text;
}

namespace {

/// The known gaps among rows out of tolerance, and the gaps that are no longer there.
std::string gaps_text(const Validation& validation) {
  std::map<std::string, std::size_t> known, contradictions;
  std::string text;
  for (const Outcome& outcome : validation.outcomes) {
    if (outcome.exceeded)
      text += fmt::format("{}: the error of {:.1f} % is beyond the {:g} % that its known gap explains\n",
                          outcome.target.id, kPercent * std::fabs(outcome.error()), *outcome.exceeded);
    if (outcome.answered() && !outcome.within() && !outcome.known_gap.empty())
      ++(outcome.contradiction ? contradictions : known)[outcome.known_gap];
  }
  for (const auto& [reason, count] : known) text += fmt::format("{} with a known gap: {}\n", rows_text(count), reason);
  for (const auto& [reason, count] : contradictions)
    text += fmt::format("{} on which sources contradict each other: {}\n", rows_text(count), reason);
  for (const std::string& id : validation.stale_gaps)
    text += fmt::format("stale known gap: {} is within tolerance: remove it\n", id);
  return text;
}

}  // namespace

std::string to_text(const Validation& validation, bool all) {
  std::string text;
  auto out = std::back_inserter(text);
  std::map<std::string, std::size_t> reasons;
  fmt::format_to(out, "{:<44}{:>12}{:>12}{:>10}  {:<18}{:<10}{}\n", "target", "expected", "simulated", "error",
                 "tolerance", "answer", "source");
  for (const Outcome& outcome : validation.outcomes) {
    const Target& target = outcome.target;
    if (!outcome.answered()) {
      ++reasons[outcome.why_not];
      continue;
    }
    if ((outcome.within() || !outcome.known_gap.empty()) && !all) continue;
    fmt::format_to(
        out, "{:<44}{:>12}{:>12}{:>+9.1f}%{} {:<18}{:<10}{}\n", target.id, expected_text(target),
        simulated_text(outcome), 100 * outcome.error(),
        outcome.within()        ? ' '
        : outcome.contradiction ? '?'
                                : '*',
        fmt::format("{:g} {} / {:g} %", target.tolerance.abs, target.unit.substr(0, 6), 100 * target.tolerance.rel),
        origin_name(outcome.origin), target.source);
  }
  fmt::format_to(out, "\n{}", totals(validation));
  text += gaps_text(validation);
  for (const auto& [reason, count] : reasons) fmt::format_to(out, "{} not answered: {}\n", count, reason);
  return text;
}

}  // namespace sassim::validate
