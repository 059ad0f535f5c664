// SPDX-License-Identifier: Apache-2.0
// The page of a validation, with a figure for each curve of targets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>

#include "sim/base/markup.h"
#include "sim/validate/validate.h"

namespace sassim::validate {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr const char* kStyle =
    R"(:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #8886}
td:first-child,th:first-child,td:last-child{text-align:left}.bad{background:#fde8e8;color:#000}
figure{display:inline-block;margin:.5em}figcaption{font-size:12px}polyline{fill:none;stroke-width:1.5}
.hw{stroke:#888}.sim{stroke:#d6480a})";

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
  for (auto& [name, points] : out) {
    std::sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; });
  }
  return out;
}

void figure(Out out, const std::string& name, const std::vector<CurvePoint>& points) {
  constexpr double kWidth = 300, kHeight = 140;
  double top = 0;
  for (const CurvePoint& point : points) top = std::max({top, point.expected, point.simulated});
  if (top <= 0) return;
  auto place = [](double x) { return std::log2(x + 1); };
  double left = place(points.front().x);
  double width = std::max(1e-9, place(points.back().x) - left);
  auto line = [&](const char* kind, double CurvePoint::*value) {
    fmt::format_to(out, "<polyline class=\"{}\" points=\"", kind);
    for (const CurvePoint& point : points) {
      fmt::format_to(out, "{:.1f},{:.1f} ", (place(point.x) - left) / width * kWidth,
                     kHeight * (1 - point.*value / top));
    }
    fmt::format_to(out, "\"/>");
  };
  fmt::format_to(out, "<figure><svg viewBox=\"-5 -5 310 150\" width=\"310\" height=\"150\" role=\"img\">");
  line("hw", &CurvePoint::expected);
  line("sim", &CurvePoint::simulated);
  fmt::format_to(out, "</svg><figcaption>{}: {:g} to {:g}, 0 to {:.4g}</figcaption></figure>\n", escaped(name),
                 points.front().x, points.back().x, top);
}

}  // namespace

std::string to_html(const Validation& validation, std::string_view title) {
  std::string text;
  Out out(text);
  fmt::format_to(
      out,
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>{1}</style>\n<h1>{0}</h1>\n",
      escaped(title), kStyle);
  std::istringstream lines(totals(validation));
  for (std::string line; std::getline(lines, line);) fmt::format_to(out, "<p>{}</p>\n", escaped(line));
  fmt::format_to(out, "<h2>Curves</h2><p>grey: expected, orange: simulated; horizontal axis logarithmic</p>\n");
  for (const auto& [name, points] : curves(validation)) {
    if (points.size() >= 4) figure(out, name, points);
  }
  fmt::format_to(out,
                 "<h2>Targets</h2><p>predicted: no key's comment cites the row or its table; fitted: one does; echo: "
                 "the configuration says it, nothing was run</p>\n"
                 "<table><tr><th>target<th>expected<th>simulated<th>error<th>answer<th>source</tr>\n");
  for (const Outcome& outcome : validation.outcomes) {
    if (!outcome.answered()) continue;
    const Target& target = outcome.target;
    fmt::format_to(
        out, "<tr class=\"{}\"><td>{}<td>{}<td>{} {}<td>{:+.1f} %<td>{}<td>{}</tr>\n", outcome.within() ? "" : "bad",
        escaped(target.id), escaped(expected_text(target)), simulated_text(outcome), escaped(target.unit),
        100 * outcome.error(),
        std::string(origin_name(outcome.origin)) + (outcome.stated()           ? ": " + escaped(target.key)
                                                    : outcome.cited_by.empty() ? ""
                                                                               : ", by " + escaped(outcome.cited_by)),
        escaped(target.source));
  }
  fmt::format_to(out, "</table><h2>Known gaps</h2><ul>\n");
  for (const Outcome& outcome : validation.outcomes) {
    if (outcome.answered() && !outcome.within() && !outcome.known_gap.empty())
      fmt::format_to(out, "<li>{}: {}</li>\n", escaped(outcome.target.id), escaped(outcome.known_gap));
  }
  fmt::format_to(out, "</ul><h2>Not answered</h2><ul>\n");
  for (const Outcome& outcome : validation.outcomes) {
    if (!outcome.answered())
      fmt::format_to(out, "<li>{}: {}</li>\n", escaped(outcome.target.id), escaped(outcome.why_not));
  }
  fmt::format_to(out, "</ul></html>\n");
  return text;
}

}  // namespace sassim::validate
