// SPDX-License-Identifier: Apache-2.0
#include "sim/report/result.h"

#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/base/version.h"

namespace sassim::report {

using Json = nlohmann::ordered_json;

namespace {

Json number(const stats::Metric& metric) {
  if (metric.integral && std::abs(metric.value) < 9e15) return static_cast<std::int64_t>(std::llround(metric.value));
  return metric.value;
}

Json dim(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Dim3 dim_from(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(), json.at(2).get<std::uint32_t>()};
}

Json line_json(const LineStalls& line) {
  Json stalls = Json::object();
  for (const auto& [reason, cycles] : line.stalls) stalls[reason] = cycles;
  return Json{
      {"pc", line.pc}, {"sass", printable(line.text)}, {"executed", line.executed}, {"stalls", std::move(stalls)}};
}

}  // namespace

Json to_json(const KernelReport& kernel) {
  Json metrics = Json::object(), units = Json::object();
  for (const auto& [name, metric] : kernel.metrics.all()) {
    metrics[name] = number(metric);
    units[name] = metric.unit;
  }
  Json json = {{"name", printable(kernel.name)},
               {"grid", dim(kernel.grid)},
               {"block", dim(kernel.block)},
               {"trace_hash", kernel.trace_hash},
               {"warp_instructions", kernel.warp_instructions},
               {"metrics", std::move(metrics)},
               {"units", std::move(units)}};
  if (!kernel.trace.empty()) json["trace"] = kernel.trace;
  if (!kernel.dependence_mode.empty()) json["dependence_mode"] = kernel.dependence_mode;
  if (!kernel.notes.empty()) json["notes"] = kernel.notes;
  if (!kernel.lines.empty()) {
    Json lines = Json::array();
    for (const LineStalls& line : kernel.lines) lines.push_back(line_json(line));
    json["lines"] = std::move(lines);
  }
  return json;
}

Json to_json(const RunReport& run) {
  Json kernels = Json::array();
  for (const KernelReport& kernel : run.kernels) kernels.push_back(to_json(kernel));
  const double rate = run.host.seconds > 0 ? static_cast<double>(run.host.warp_instructions) / run.host.seconds : 0;
  Json json;
  json["schema"] = "sassim-result/1";
  json["version"] = kVersion;
  json["config"] = {{"name", run.config_name},
                    {"hash", run.config_hash},
                    {"resolved", run.config_json.empty() ? Json::object() : Json::parse(run.config_json)}};
  if (!run.caches.empty()) json["caches"] = run.caches;
  json["kernels"] = std::move(kernels);
  json["host"] = {{"seconds", run.host.seconds},
                  {"threads", run.host.threads},
                  {"warp_instructions", run.host.warp_instructions},
                  {"warp_instructions_per_second", rate},
                  {"peak_rss_bytes", run.host.peak_rss_bytes}};
  return json;
}

KernelReport kernel_from_json(const Json& json, const std::string& place) try {
  KernelReport kernel;
  kernel.name = json.at("name").get<std::string>();
  kernel.grid = dim_from(json.at("grid"));
  kernel.block = dim_from(json.at("block"));
  kernel.trace_hash = json.value("trace_hash", "");
  kernel.warp_instructions = json.value("warp_instructions", std::uint64_t{0});
  const Json units = json.value("units", Json::object());
  for (const auto& [name, value] : json.at("metrics").items()) {
    const std::string unit = units.value(name, "");
    if (value.is_number_integer())
      kernel.metrics.max(name, unit, "", value.get<double>());
    else
      kernel.metrics.set(name, unit, "", value.get<double>());
  }
  kernel.trace = json.value("trace", "");
  kernel.dependence_mode = json.value("dependence_mode", "");
  kernel.notes = json.value("notes", std::vector<std::string>{});
  for (const Json& line : json.value("lines", Json::array())) {
    LineStalls& out = kernel.lines.emplace_back();
    out.pc = line.at("pc").get<std::uint32_t>();
    out.text = line.at("sass").get<std::string>();
    out.executed = line.at("executed").get<std::uint64_t>();
    for (const auto& [reason, cycles] : line.at("stalls").items())
      out.stalls.emplace_back(reason, cycles.get<std::uint64_t>());
  }
  return kernel;
} catch (const nlohmann::json::exception& error) {
  throw InputError("{}: not a kernel result of schema sassim-result/1: {}", place, error.what());
}

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace sassim::report
