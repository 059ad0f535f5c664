// SPDX-License-Identifier: Apache-2.0
// Makes the HTML page of a sweep: the data that web/72_sweep.js shows.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/version.h"
#include "sim/config/dump.h"
#include "sim/page/page.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/sweep_plots.h"

namespace sassim::sweep {

namespace {

using Json = nlohmann::ordered_json;

Json page_alphas(const Sweep& sweep) {
  Json names = Json::array();
  for (const double alpha : sweep.plan.alphas) names.push_back(alpha_name(alpha));
  return names;
}

std::size_t index_of(const Sweep& sweep, double alpha) {
  const auto found = std::find(sweep.plan.alphas.begin(), sweep.plan.alphas.end(), alpha);
  return static_cast<std::size_t>(found - sweep.plan.alphas.begin());
}

/// Warps for each alpha of the plan; null where no occupancy is enough.
Json page_cusp(const Sweep& sweep, const Cusp& cusp) {
  Json warps = Json::array();
  for (const double alpha : sweep.plan.alphas) {
    const auto found = cusp.warps.find(alpha);
    warps.push_back(found == cusp.warps.end() ? Json() : Json(found->second));
  }
  return warps;
}

Json page_points(const Sweep& sweep) {
  Json points = Json::array();
  for (const MixPoint& point : sweep.points) {
    const auto measured = sweep.measured(point);
    Json json{{"alpha", index_of(sweep, point.workload.alpha)}, {"warps", point.workload.warps}};
    json.update(measured_json(point));
    json.update(Json{{"limit", model::throughput_limit(sweep.parameters, sweep.mix(point.workload.alpha))},
                     {"hardware", measured ? Json(*measured) : Json()},
                     {"resident", point.timeline.warps}});
    points.push_back(std::move(json));
  }
  return points;
}

/// What each model predicts, for each alpha that it covers and each number of warps of the plan.
Json page_models(const Sweep& sweep) {
  Json models = Json::array();
  for (const std::string& name : sweep.models) {
    const auto model = model::make_model(name);
    Json predicted = Json::array();
    bool any = false;
    for (const double alpha : sweep.plan.alphas) {
      if (!model->covers(sweep.parameters, sweep.mix(alpha))) {
        predicted.push_back(Json());
        continue;
      }
      any = true;
      Json curve = Json::array();
      for (const std::uint32_t warps : sweep.plan.warps) curve.push_back(sweep.predict(*model, alpha, warps));
      predicted.push_back(std::move(curve));
    }
    if (!any) continue;
    models.push_back({{"name", name},
                      {"citation", model->citation()},
                      {"summary", model->summary()},
                      {"predicted", std::move(predicted)},
                      {"needed", page_cusp(sweep, needed(sweep, *model, sweep.plan.alphas))}});
  }
  return models;
}

Json page_errors(const std::vector<ErrorRange>& errors) {
  Json rows = Json::array();
  for (const ErrorRange& error : errors)
    rows.push_back({{"model", error.model},
                    {"against", error.against},
                    {"alpha", alpha_name(error.alpha)},
                    {"least", error.least},
                    {"most", error.most},
                    {"points", error.points}});
  return rows;
}

Json page_ends(const Sweep& sweep) {
  Json rows = Json::array();
  for (const EndCheck& check : check_ends(sweep))
    rows.push_back({{"alpha", alpha_name(check.alpha)},
                    {"few", check.latency_bound ? Json(*check.latency_bound) : Json()},
                    {"all", check.throughput_bound ? Json(*check.throughput_bound) : Json()}});
  return rows;
}

}  // namespace

std::string sweep_html(const Sweep& sweep) {
  const MixWorkload& mix = sweep.plan.mix;
  const Cusp simulated = needed(sweep, sweep.simulated()), measured = needed(sweep, sweep.hardware);
  const std::string gpu = config::shown_name(*sweep.plan.gpu);
  const model::Instructions& other = sweep.parameters.other(mix.kind);
  return page::page(fmt::format("sassim sweep: {}", gpu),
                    Json{{"kind", "sweep"},
                         {"version", kVersion},
                         {"config", {{"name", gpu}, {"hash", config::config_hash(*sweep.plan.gpu)}}},
                         {"subject", subject(sweep)},
                         {"other", other_name(mix.kind)},
                         {"loads", mix.kind == model::MixKind::mem},
                         {"notes", sweep.notes},
                         {"complete", sweep.complete},
                         {"findings", findings(sweep)},
                         {"alphas", page_alphas(sweep)},
                         {"warps", sweep.plan.warps},
                         {"max_warps", sweep.parameters.max_warps},
                         {"part_of_peak", kNeededPart},
                         {"meet", simulated.peak_alpha},
                         {"parameters",
                          {{"from", sweep.parameters_from},
                           {"add", {sweep.parameters.alu.latency, sweep.parameters.alu.throughput}},
                           {"other", {other.latency, other.throughput}}}},
                         {"points", page_points(sweep)},
                         {"needed", page_cusp(sweep, simulated)},
                         {"needed_hardware", sweep.hardware.empty() ? Json() : page_cusp(sweep, measured)},
                         {"ends", page_ends(sweep)},
                         {"models", page_models(sweep)},
                         {"errors", page_errors(model_errors(sweep))}});
}

}  // namespace sassim::sweep
