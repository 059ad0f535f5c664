// SPDX-License-Identifier: Apache-2.0
// The files of a sweep: points and errors as CSV and JSON, and its page.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/base/csv.h"
#include "sim/base/durable_file.h"
#include "sim/base/version.h"
#include "sim/config/dump.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_plots.h"

namespace sassim::sweep {

namespace {

using Json = nlohmann::ordered_json;

std::string points_csv(const Sweep& sweep) {
  std::string text =
      "alpha,warps,ipc,adds_per_cycle,others_per_cycle,gbs,group_latency,memory_latency,warp_latency,dram_read_gbs,"
      "spread,groups,cycles,warp_instructions,hardware_ipc\n";
  for (const MixPoint& point : sweep.points) {
    const auto measured = sweep.measured(point);
    text += fmt::format("{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.3g},{},{},{},{}\n",
                        alpha_name(point.workload.alpha), point.workload.warps, point.ipc, point.adds, point.others,
                        point.gbs, point.group_latency, point.memory_latency, point.warp_latency, point.dram_gbs,
                        point.spread, point.workload.groups, point.cycles, point.warp_instructions,
                        measured ? fmt::format("{:.6g}", *measured) : "");
  }
  return text;
}

std::string errors_csv(const std::vector<ErrorRange>& errors) {
  std::string text = "model,against,alpha,least,most,points\n";
  for (const ErrorRange& error : errors)
    text += fmt::format("{},{},{},{:.4g},{:.4g},{}\n", csv_cell(error.model), csv_cell(error.against),
                        alpha_name(error.alpha), error.least, error.most, error.points);
  return text;
}

Json cusp_json(const Cusp& cusp) {
  Json json = Json::object();
  for (const auto& [alpha, warps] : cusp.warps) json[alpha_name(alpha)] = warps;
  return json;
}

Json parameters_json(const Sweep& sweep) {
  const model::HardwareParameters& gpu = sweep.parameters;
  const model::Instructions& other = gpu.other(sweep.plan.mix.kind);
  Json json{{"from", sweep.parameters_from},
            {"issue_rate", gpu.issue_rate},
            {"add", {{"latency", gpu.alu.latency}, {"throughput", gpu.alu.throughput}}},
            {"other", {{"latency", other.latency}, {"throughput", other.throughput}}}};
  if (gpu.contention) json["contention"] = {gpu.contention->a, gpu.contention->b, gpu.contention->c};
  return json;
}

Json point_json(const Sweep& sweep, const MixPoint& point) {
  Json json{{"alpha", std::isinf(point.workload.alpha) ? Json("inf") : Json(point.workload.alpha)},
            {"warps", point.workload.warps},
            {"ipc", point.ipc},
            {"adds_per_cycle", point.adds},
            {"others_per_cycle", point.others},
            {"gbs", point.gbs},
            {"group_latency", point.group_latency},
            {"memory_latency", point.memory_latency},
            {"warp_latency", point.warp_latency},
            {"dram_read_gbs", point.dram_gbs},
            {"spread", point.spread},
            {"groups", point.workload.groups},
            {"cycles", point.cycles},
            {"warp_instructions", point.warp_instructions}};
  if (const auto measured = sweep.measured(point)) json["hardware_ipc"] = *measured;
  json["timeline"] = {
      {"step_cycles", point.timeline.step}, {"warps", point.timeline.warps}, {"ipc", point.timeline.ipc}};
  return json;
}

std::string points_json(const Sweep& sweep) {
  const MixWorkload& mix = sweep.plan.mix;
  Json json{{"schema", "sassim-sweep/1"},
            {"version", kVersion},
            {"config", {{"name", config::shown_name(*sweep.plan.gpu)}, {"hash", config::config_hash(*sweep.plan.gpu)}}},
            {"mix",
             {{"other", model::mix_kind_name(mix.kind)},
              {"access", access_pattern_name(mix.pattern)},
              {"ilp", mix.ilp},
              {"as_measured", mix.as_measured}}},
            {"parameters", parameters_json(sweep)},
            {"notes", sweep.notes},
            {"complete", sweep.complete},
            {"points", Json::array()}};
  for (const MixPoint& point : sweep.points) json["points"].push_back(point_json(sweep, point));
  json["cusp"] = {{"part_of_peak", kNeededPart},
                  {"rates_meet_at_alpha", needed(sweep, Curves{}).peak_alpha},
                  {"simulated", cusp_json(needed(sweep, sweep.simulated()))},
                  {"hardware", cusp_json(needed(sweep, sweep.hardware))}};
  for (const std::string& name : sweep.models)
    json["cusp"]["models"][name] = cusp_json(needed(sweep, *model::make_model(name), sweep.plan.alphas));
  return json.dump(1) + "\n";
}

}  // namespace

void write_sweep_points(const Sweep& sweep, const std::string& folder) {
  const std::filesystem::path out(folder);
  write_durably(out / "points.csv", points_csv(sweep));
  write_durably(out / "points.json", points_json(sweep));
}

void write_sweep(const Sweep& sweep, const std::string& folder) {
  const std::filesystem::path out(folder);
  std::filesystem::create_directories(out);
  write_durably(out / "points.csv", points_csv(sweep));
  write_durably(out / "points.json", points_json(sweep));
  write_durably(out / "errors.csv", errors_csv(model_errors(sweep)));
  const auto plots = sweep_plots(sweep);
  for (const plot::NamedPlot& plot : plots) plot::write_plot(out / plot.stem, plot.plot);
  write_durably(out / "index.html", sweep_html(sweep));
}

}  // namespace sassim::sweep
