// SPDX-License-Identifier: Apache-2.0
// Makes the HTML page of a validation: the data that web/76_validate.js shows. Targets whose ids differ only in their
// last number are points of one curve.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/page/page.h"
#include "sim/validate/validate.h"

namespace sassim::validate {
namespace {

using Json = nlohmann::ordered_json;

struct CurvePoint {
  double x, expected, simulated;
};

/// Position and length of the last number in an id, without the number of a percentile; length 0 if there is none.
std::pair<std::size_t, std::size_t> last_number(std::string_view id) {
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t end = id.size(); end > 0;) {
    const std::size_t last = id.find_last_of(kDigits, end - 1);
    if (last == std::string_view::npos) break;
    const std::size_t first = id.find_last_not_of(kDigits, last) + 1;
    const bool percentile = first >= 2 && id[first - 1] == 'p' && id[first - 2] == '.';
    if (!percentile) return {first, last + 1 - first};
    end = first;
  }
  return {0, 0};
}

/// Targets whose ids differ only in the last number form one curve.
std::map<std::string, std::vector<CurvePoint>> curves(const Validation& validation) {
  std::map<std::string, std::vector<CurvePoint>> out;
  for (const Outcome& outcome : validation.outcomes) {
    if (!outcome.measured()) continue;  // values of the configuration are not curves
    const std::string& id = outcome.target.id;
    const auto [first, length] = last_number(id);
    if (length == 0) continue;
    out[id.substr(0, first) + "*" + id.substr(first + length)].push_back(
        {std::strtod(id.c_str() + first, nullptr), *outcome.target.expected, *outcome.simulated});
  }
  for (auto& [name, points] : out)
    std::stable_sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  return out;
}

Json page_curves(const Validation& validation) {
  constexpr std::size_t kFewest = 4;  ///< points that make a curve
  Json all = Json::array();
  for (const auto& [name, points] : curves(validation)) {
    if (points.size() < kFewest) continue;
    Json rows = Json::array();
    for (const CurvePoint& point : points) rows.push_back({point.x, point.expected, point.simulated});
    all.push_back({{"name", printable(name)}, {"points", std::move(rows)}});
  }
  return all;
}

std::string answer_text(const Outcome& outcome) {
  std::string text(origin_name(outcome.origin));
  if (outcome.stated()) return text + ": " + outcome.target.key;
  return outcome.cited_by.empty() ? text : text + ", by " + outcome.cited_by;
}

Json page_answered(const Outcome& outcome) {
  const Target& target = outcome.target;
  const double percent = 100 * outcome.error();
  return {{"id", printable(target.id)},
          {"quantity", printable(target.quantity)},
          {"unit", printable(target.unit)},
          {"expected", expected_text(target)},
          {"simulated", simulated_text(outcome)},
          {"value", *target.expected},
          {"error", percent},
          {"tolerance", fmt::format("{:g} {} / {:g} %", target.tolerance.abs, target.unit, 100 * target.tolerance.rel)},
          {"within", outcome.within()},
          {"measured", outcome.measured()},
          {"contradiction", outcome.contradiction},
          {"answer", answer_text(outcome)},
          {"gap", printable(outcome.known_gap)},
          {"source", printable(target.source)}};
}

Json lines_of(const std::string& text) {
  Json all = Json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

Json page_score(const Score& score) {
  return {{"rows", score.rows}, {"within", score.within}, {"mean_error", 100 * score.mean_error}};
}

}  // namespace

std::string to_html(const Validation& validation, std::string_view title) {
  Json answered = Json::array(), unanswered = Json::array();
  for (const Outcome& outcome : validation.outcomes) {
    if (outcome.answered())
      answered.push_back(page_answered(outcome));
    else
      unanswered.push_back({{"id", printable(outcome.target.id)},
                            {"quantity", printable(outcome.target.quantity)},
                            {"why", printable(outcome.why_not)},
                            {"source", printable(outcome.target.source)}});
  }
  return page::page(title, Json{{"kind", "validation"},
                                {"version", kVersion},
                                {"title", title},
                                {"totals", lines_of(totals(validation))},
                                {"predicted", page_score(validation.score(Origin::predicted))},
                                {"fitted", page_score(validation.score(Origin::fitted))},
                                {"echo", page_score(validation.score(Origin::echo))},
                                {"known_gaps", validation.known_gaps()},
                                {"answered", std::move(answered)},
                                {"unanswered", std::move(unanswered)},
                                {"curves", page_curves(validation)}});
}

}  // namespace sassim::validate
