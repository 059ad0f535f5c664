// SPDX-License-Identifier: Apache-2.0
// Plans the points of `sassim sweep`, and compares their curves with models, hardware and formulas.
#include "sim/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "sim/config/gpu_config.h"
#include "sim/model/contention_fit.h"
#include "sim/validate/targets.h"

namespace sassim::sweep {

namespace {

constexpr double kModelWarps = 4;  // a model is evaluated up to this many times the warps that the GPU holds
// Throughput approaches its limit gradually (section 6.1): with this many times the warps that suffice without
// contention, it has reached the limit.
constexpr double kSaturated = 2;

}  // namespace

std::vector<campaign::Point> sweep_points(const SweepPlan& plan) {
  auto gpu = plan.gpu;
  if (plan.mix.kind != model::MixKind::mem) {
    auto one = std::make_shared<config::GpuConfig>(*plan.gpu);
    one->sm.count = 1;
    gpu = std::move(one);
  }
  std::vector<campaign::Point> points;
  for (const double alpha : plan.alphas)
    for (const std::uint32_t warps : plan.warps) {
      MixWorkload workload = plan.mix;
      workload.alpha = alpha;
      workload.warps = warps;
      make_mix(*gpu, workload);  // throws for an impossible workload before anything is simulated
      points.push_back(make_mix_point(gpu, workload));
    }
  return points;
}

Curves hardware_curves(const SweepPlan& plan, const std::string& file) {
  const MixWorkload& mix = plan.mix;
  const bool loads = mix.kind == model::MixKind::mem;
  if (mix.ilp != 1 || mix.pattern != AccessPattern::streaming || (loads && !mix.as_measured)) return {};
  std::map<std::string, double> values;
  for (const validate::Target& target : validate::load_hardware(file, ""))
    if (const auto full = target.full ? target.expected : target.full_value) values[target.answer] = *full;
  Curves curves;
  for (const double alpha : plan.alphas) {
    if (!mix.as_measured && alpha > 16) continue;  // volkov_mix.cu then adds in loops
    for (const std::uint32_t warps : plan.warps) {
      const auto found = values.find(fmt::format("volkov.{}.a{:g}.w{}", model::mix_kind_name(mix.kind), alpha, warps));
      if (found != values.end()) curves[alpha][warps] = found->second * (1 + alpha);
    }
  }
  return curves;
}

Curves Sweep::simulated() const {
  Curves curves;
  for (const MixPoint& point : points) curves[point.workload.alpha][point.workload.warps] = point.ipc;
  return curves;
}

std::optional<double> Sweep::measured(const MixPoint& point) const {
  const auto curve = hardware.find(point.workload.alpha);
  if (curve == hardware.end()) return std::nullopt;
  const auto found = curve->second.find(point.workload.warps);
  return found == curve->second.end() ? std::nullopt : std::optional(found->second);
}

double Sweep::predict(const model::ThroughputModel& model, double alpha, double warps) const {
  return model.predict(parameters, mix(alpha), warps * plan.mix.ilp);
}

void set_parameters(Sweep& sweep) {
  const MixWorkload& mix = sweep.plan.mix;
  model::HardwareParameters& gpu = sweep.parameters;
  gpu = model::from_config(*sweep.plan.gpu);
  sweep.parameters_from = "the configuration";
  sweep.transactions = mix.as_measured || mix.pattern == AccessPattern::stride_two ? 2 : 1;
  std::vector<model::LatencySample> samples;
  const MixPoint* lone = nullptr;
  double best = 0;
  for (const MixPoint& point : sweep.points) {
    best = std::max(best, point.others);
    if (point.workload.alpha != 0) continue;
    samples.push_back({point.others * gpu.gbs_per_ipc(), point.group_latency});
    if (point.workload.warps <= gpu.schedulers && (!lone || point.workload.warps < lone->workload.warps)) lone = &point;
  }
  if (!lone) return;
  // The unit is one load as it is, whatever it costs in memory.
  sweep.transactions = 1;
  model::Instructions& other = mix.kind == model::MixKind::mem   ? gpu.mem
                               : mix.kind == model::MixKind::sfu ? gpu.sfu
                                                                 : gpu.smem;
  other = {lone->group_latency, best};
  if (mix.kind == model::MixKind::mem && samples.size() >= 3) gpu.contention = model::fit_contention(samples);
  sweep.parameters_from = "the points of alpha 0, and the configuration";
}

std::string left_out_models(const Sweep& sweep) {
  std::map<std::string, std::string> names;  // by what the models are for
  for (const std::string& name : sweep.models) {
    const auto model = model::make_model(name);
    if (std::ranges::any_of(sweep.plan.alphas,
                            [&](double alpha) { return model->covers(sweep.parameters, sweep.mix(alpha)); }))
      continue;
    std::string& list = names[std::string(model->domain())];
    list += (list.empty() ? "" : ", ") + name;
  }
  std::string text;
  for (const auto& [domain, list] : names)
    text += fmt::format("{}{} (for {})",
                        text.empty() ? "models left out, because they do not apply to this mix: " : "; ", list, domain);
  return text;
}

namespace {

/// The number of warps at which the curve first reaches the target.
std::optional<double> reaches(const Curve& curve, double target) {
  for (const auto& [warps, ipc] : curve)
    if (ipc >= target) return warps;
  return std::nullopt;
}

double peak_alpha(const Sweep& sweep) {
  const model::HardwareParameters& gpu = sweep.parameters;
  const double rate = std::min(gpu.alu.throughput, gpu.issue_rate);
  return rate / gpu.other(sweep.plan.mix.kind).throughput * sweep.transactions;
}

}  // namespace

std::vector<std::pair<std::string, double>> curve_values(const std::vector<MixPoint>& points) {
  double ipc = 0, gbs = 0, latency = std::numeric_limits<double>::infinity();
  for (const MixPoint& point : points) {
    const double alpha = point.workload.alpha;
    const double of_a_group = std::isinf(alpha) || alpha == 0 ? 1 : 1 + std::max(alpha, 1 / alpha);
    ipc = std::max(ipc, point.ipc);
    gbs = std::max(gbs, point.gbs);
    latency = std::min(latency, point.group_latency / of_a_group);
  }
  std::vector<std::pair<std::string, double>> values{{"ipc", ipc}, {"gbs", gbs}, {"latency", latency}};
  for (const int percent : {90, 95, 99}) {
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    for (const MixPoint& point : points)
      if (point.ipc >= percent / 100.0 * ipc) fewest = std::min(fewest, point.workload.warps);
    values.emplace_back(fmt::format("warps{}", percent), fewest);
  }
  return values;
}

Cusp needed(const Sweep& sweep, const Curves& curves) {
  Cusp cusp;
  cusp.peak_alpha = peak_alpha(sweep);
  for (const auto& [alpha, curve] : curves)
    if (const auto warps = reaches(curve, kNeededPart * model::throughput_limit(sweep.parameters, sweep.mix(alpha))))
      cusp.warps[alpha] = *warps;
  return cusp;
}

Cusp needed(const Sweep& sweep, const model::ThroughputModel& model, const std::vector<double>& alphas) {
  Cusp cusp;
  cusp.peak_alpha = peak_alpha(sweep);
  const model::HardwareParameters& gpu = sweep.parameters;
  for (const double alpha : alphas) {
    const model::Mix mix = sweep.mix(alpha);
    if (!model.covers(gpu, mix)) continue;
    const auto chains = model::warps_needed(model, gpu, mix, kNeededPart,
                                            static_cast<int>(kModelWarps * gpu.max_warps * sweep.plan.mix.ilp));
    if (chains) cusp.warps[alpha] = static_cast<double>(*chains) / sweep.plan.mix.ilp;
  }
  return cusp;
}

namespace {

using Estimate = std::function<std::optional<double>(double alpha, std::uint32_t warps)>;

std::optional<ErrorRange> error_range(const Sweep& sweep, const Estimate& estimate, double alpha,
                                      const Curve& observed) {
  ErrorRange range;
  range.alpha = alpha;
  range.least = std::numeric_limits<double>::infinity();
  range.most = -range.least;
  for (const auto& [warps, ipc] : observed) {
    const auto estimated = estimate(alpha, warps);
    if (!estimated || std::fmod(warps, sweep.parameters.schedulers) != 0 || ipc <= 0) continue;
    const double quotient = *estimated / ipc;
    range.least = std::min(range.least, quotient);
    range.most = std::max(range.most, quotient);
    ++range.points;
  }
  if (range.points == 0) return std::nullopt;
  return range;
}

}  // namespace

std::vector<ErrorRange> model_errors(const Sweep& sweep) {
  std::vector<ErrorRange> all;
  const Curves simulated = sweep.simulated();
  const auto add = [&](const std::string& name, const std::string& against, const Curves& curves,
                       const Estimate& estimate) {
    for (const auto& [alpha, curve] : curves)
      if (auto range = error_range(sweep, estimate, alpha, curve)) {
        range->model = name;
        range->against = against;
        all.push_back(*range);
      }
  };
  add(kSimulator, kHardware, sweep.hardware, [&](double alpha, std::uint32_t warps) -> std::optional<double> {
    const auto curve = simulated.find(alpha);
    if (curve == simulated.end() || !curve->second.contains(warps)) return std::nullopt;
    return curve->second.at(warps);
  });
  for (const std::string& name : sweep.models) {
    const auto model = model::make_model(name);
    const Estimate estimate = [&](double alpha, std::uint32_t warps) -> std::optional<double> {
      if (!model->covers(sweep.parameters, sweep.mix(alpha))) return std::nullopt;
      return sweep.predict(*model, alpha, warps);
    };
    add(name, kSimulator, simulated, estimate);
    add(name, kHardware, sweep.hardware, estimate);
  }
  return all;
}

std::vector<EndCheck> check_ends(const Sweep& sweep) {
  const model::HardwareParameters& gpu = sweep.parameters;
  std::vector<EndCheck> checks;
  for (const auto& [alpha, curve] : sweep.simulated()) {
    const model::Mix mix = sweep.mix(alpha);
    const double limit = model::throughput_limit(gpu, mix);
    EndCheck check{alpha, {}, {}};
    const auto [few, slow] = *curve.begin();
    const double alone = few * sweep.plan.mix.ilp / model::lone_warp_cpi(gpu, mix);
    if (few <= gpu.schedulers && alone < limit / 2) check.latency_bound = slow / alone - 1;
    const auto [many, fast] = *curve.rbegin();
    if (many * sweep.plan.mix.ilp / model::lone_warp_cpi(gpu, mix) > kSaturated * limit)
      check.throughput_bound = fast / limit - 1;
    checks.push_back(check);
  }
  return checks;
}

}  // namespace sassim::sweep
