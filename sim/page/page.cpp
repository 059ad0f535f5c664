// SPDX-License-Identifier: Apache-2.0
// Builds one HTML file from data, style and scripts, with details of a run's longest launches.
#include "sim/page/page.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "sim/base/demangle.h"
#include "sim/base/markup.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"
#include "sim/page/section_json.h"
#include "sim/report/bound.h"
#include "sim/report/kernel_json.h"

namespace sassim::page {

extern const std::string_view kPageStyle, kPageScript, kPageCharts;

namespace {

using Json = nlohmann::ordered_json;

/// JSON for a script element: without '<' nothing in it can end the element or begin another one.
std::string embedded(const Json& data) {
  std::string text;
  for (const char c : printable_json(data.dump(-1, ' ', false, Json::error_handler_t::replace))) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

Json value_or_null(const report::KernelReport& kernel, std::string_view name) {
  return kernel.metrics.has(name) ? Json(kernel.metrics[name]) : Json();
}

Json dimensions(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

/// What web/90_main.js lists of a launch, in its order.
Json launch_row(const report::KernelReport& kernel) {
  return Json::array(
      {printable(demangled(kernel.name)), dimensions(kernel.grid), dimensions(kernel.block),
       value_or_null(kernel, "gpc__cycles_elapsed.max"), value_or_null(kernel, "gpu__time_duration.sum"),
       kernel.warp_instructions, value_or_null(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
       value_or_null(kernel, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
       value_or_null(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active"), report::bound_name(kernel)});
}

}  // namespace

std::string page(std::string_view title, const Json& data) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n<title>";
  text += escaped(printable(title));
  text += "</title>\n<style>\n";
  text += kPageStyle;
  text += "</style>\n</head>\n<body>\n<main id=\"page\"></main>\n<noscript>This page needs JavaScript.</noscript>\n";
  text += "<script type=\"application/json\" id=\"data\">";
  text += embedded(data);
  text += "</script>\n<script>\n";
  text += kPageCharts;
  text += "</script>\n<script>\n";
  text += kPageScript;
  text += "</script>\n</body>\n</html>\n";
  return text;
}

std::vector<std::string> file_names(const std::vector<std::string>& paths) {
  const std::set<std::string> all(paths.begin(), paths.end());
  const auto tail = [](const std::string& path, std::size_t parts) {
    std::size_t at = path.size();
    for (std::size_t i = 0; i < parts && at != std::string::npos; ++i)
      at = at == 0 ? std::string::npos : path.rfind('/', at - 1);
    return at == std::string::npos ? path : path.substr(at + 1);
  };
  for (std::size_t parts = 1;; ++parts) {
    std::set<std::string> tails;
    std::vector<std::string> names;
    for (const std::string& path : all) tails.insert(tail(path, parts));
    for (const std::string& path : paths) names.push_back(printable(tail(path, parts)));
    if (tails.size() == all.size()) return names;
  }
}

RunPage::RunPage(const report::RunReport& run, std::vector<std::pair<std::string, std::string>> meanings,
                 std::optional<double> expected_error, std::string trust)
    : config_name_(run.config_name),
      config_hash_(run.config_hash),
      config_json_(run.config_json),
      caches_(run.caches),
      meanings_(std::move(meanings)),
      expected_error_(expected_error),
      trust_(std::move(trust)) {}

void RunPage::add(const report::KernelReport& kernel) {
  const std::size_t launch = rows_.size();
  totals_.add(kernel);
  rows_.push_back(launch_row(kernel).dump(-1, ' ', false, Json::error_handler_t::replace));
  constexpr const char* kCycles = "gpc__cycles_elapsed.max";
  // A fault is what people look for.
  const double cycles = kernel.metrics.has(kCycles) ? kernel.metrics[kCycles] : std::numeric_limits<double>::max();
  const std::size_t earlier_first = std::numeric_limits<std::size_t>::max() - launch;
  if (by_length_.size() == kMostDetails) {
    if (std::pair(cycles, earlier_first) < *by_length_.begin()) return;
    kept_.erase(std::numeric_limits<std::size_t>::max() - by_length_.begin()->second);
    by_length_.erase(by_length_.begin());
  }
  by_length_.emplace(cycles, earlier_first);
  kept_.emplace(launch, kernel);
}

std::string RunPage::finish(bool complete, const std::string& partial) const {
  Json places = Json::object(), kernels = Json::array(), meanings = Json::object(), launches = Json::array();
  report::KernelWriter writer;
  for (const auto& [launch, kernel] : kept_) {
    places[std::to_string(launch)] = kernels.size();
    kernels.push_back(writer.write(kernel));
    kernels.back()["tables"] = tables_json(kernel);
    if (!kernel.trace.empty()) kernels.back()["trace"] = file_names({kernel.trace})[0];
  }
  for (const auto& [reason, meaning] : meanings_) meanings[reason] = meaning;
  for (const std::string& row : rows_) launches.push_back(Json::parse(row));
  const Json config = {{"name", config_name_},
                       {"hash", config_hash_},
                       {"resolved", config_json_.empty() ? Json::object() : Json::parse(config_json_)}};
  const Json totals = {{"launches", totals_.launches()},
                       {"cycles", totals_.cycles()},
                       {"nanoseconds", totals_.nanoseconds()},
                       {"instructions", totals_.instructions()}};
  const std::string what = rows_.size() == 1 ? launches[0][0].get<std::string>() + " on " : "";
  return page("sassim: " + what + config_name_,
              Json{{"kind", "run"},
                   {"version", kVersion},
                   {"config", config},
                   {"caches", caches_},
                   {"complete", complete},
                   {"partial", partial},
                   {"expected_error", expected_error_ ? Json(*expected_error_) : Json()},
                   {"trust", trust_},
                   {"meanings", std::move(meanings)},
                   {"sections", sections_json()},
                   {"totals", totals},
                   {"launches", std::move(launches)},
                   {"places", std::move(places)},
                   {"kernels", std::move(kernels)}});
}

}  // namespace sassim::page
