// SPDX-License-Identifier: Apache-2.0
// Makes the points of `sassim explore` (variants, idealisations, miss curves), collects results.
#include "sim/explore/explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/base/suggest.h"
#include "sim/config/loader.h"
#include "sim/config/occupancy.h"
#include "sim/isa/architecture.h"
#include "sim/isa/code_rules.h"
#include "sim/replay/kernel_report.h"

namespace sassim::explore {

namespace {

/// The part of an L1 that the kernel with the most shared memory leaves for data.
std::uint64_t l1_data(const config::GpuConfig& gpu, const std::vector<std::shared_ptr<trace::BlockSource>>& kernels) {
  const config::L1Config& l1 = gpu.sm.l1;
  std::uint64_t carveout = 0;
  for (const auto& source : kernels) {
    const trace::KernelInfo& kernel = source->kernel();
    const config::BlockNeeds needs{static_cast<std::uint32_t>(kernel.block.count()), kernel.registers,
                                   kernel.shared_bytes()};
    const std::uint64_t preferred =
        kernel.preferred_shared_carveout == 0xffffffffu ? ~0ull : kernel.preferred_shared_carveout;
    carveout = std::max(carveout, config::occupancy(gpu.sm.occupancy, needs, preferred).carveout);
  }
  const std::uint64_t lost = carveout + (l1.detected_loss + l1.line - 1) / l1.line * l1.line;
  return l1.size - std::min(l1.size, lost);
}

/// Rejects a misspelt policy, which is wrong for any values of the other keys.
void check_names(const Axis& axis, const config::KnownNames& known) {
  const auto names = known.find(axis.path);
  if (names == known.end()) return;
  for (const std::string& value : axis.values)
    if (std::find(names->second.begin(), names->second.end(), value) == names->second.end())
      throw InputError("--vary {}: unknown name '{}'{}; known: {}", axis.key, value, did_you_mean(value, names->second),
                       fmt::join(names->second, ", "));
}

}  // namespace

std::string label_of(const std::vector<Axis>& axes, const std::vector<std::size_t>& at) {
  std::string label;
  for (std::size_t i = 0; i < axes.size(); ++i)
    label += fmt::format("{}{}={}", i == 0 ? "" : " ", axes[i].key, axes[i].values[at[i]]);
  return label;
}

Explore::Explore(const ExploreRequest& request) : request_(request), replay_(request.replay) {
  plan_.config = load({});
  plan_.traces = request.replay.traces;
  plan_.caches = request.replay.caches;
  for (const auto& kernel : replay_.kernels()) {
    plan_.trace_hashes.push_back(kernel->hash());
    const bool has_bits = kernel->kernel().has_encodings;
    const bool counted = has_bits && isa::code_rules(isa::architecture(kernel->kernel().sm)).counters;
    plan_.dependence_modes.push_back(counted ? plan_.config->sm.issue.dependence : "scoreboard");
    if (replay::is_slice(*kernel))
      plan_.notes.push_back(fmt::format("{}: {}", printable(kernel->kernel().name), replay::slice_note(*kernel)));
    if (!has_bits)
      plan_.notes.push_back(fmt::format("{}: {}", printable(kernel->kernel().name), replay::kNoControlBits));
    if (kernel->kernel().sm != plan_.config->arch && !request.replay.allow_arch_mismatch)
      throw InputError(
          "kernel '{}' was compiled for sm_{}, but '{}' is an sm_{}: choose a configuration of that architecture, or "
          "--allow-arch-mismatch to run it all the same",
          kernel->kernel().name, kernel->kernel().sm, plan_.config->name, plan_.config->arch);
  }
  for (const std::string& text : request.vary) {
    plan_.axes.push_back(parse_axis(text));
    check_names(plan_.axes.back(), request.load.known);
  }
  plan_.combine = request.combine;
  add_variants();
  if (request.what_if) add_idealisations();
  if (request.miss_curves) points_.push_back(replay_.make(plan_.config, "miss curves", "miss_curves"));
}

std::shared_ptr<const config::GpuConfig> Explore::load(const std::vector<std::string>& overrides) const {
  config::LoadOptions options = request_.load;
  options.overrides.insert(options.overrides.end(), overrides.begin(), overrides.end());
  config::LoadedConfig loaded = config::read_config(request_.config, options);
  config::require_valid(loaded);
  if (overrides.empty()) config::log_notes(loaded);
  return std::make_shared<config::GpuConfig>(std::move(loaded.config));
}

void Explore::add_point(Variant& variant) {
  variant.l1_data = l1_data(*variant.config, replay_.kernels());
  points_.push_back(replay_.make(variant.config, variant.label));
}

void Explore::add_variants() {
  for (auto& at : combine(plan_.axes, plan_.combine)) {
    Variant variant{std::move(at), "", nullptr, campaign::PointState::missing, "", 0, {}, {}};
    variant.label = plan_.axes.empty() ? "as configured" : label_of(plan_.axes, variant.at);
    std::vector<std::string> overrides;
    for (std::size_t i = 0; i < plan_.axes.size(); ++i)
      overrides.push_back(fmt::format("{}={}", plan_.axes[i].path, plan_.axes[i].values[variant.at[i]]));
    try {
      variant.config = load(overrides);
      add_point(variant);
    } catch (const InputError& error) {
      variant.state = campaign::PointState::failed;
      variant.error = error.what();
    }
    plan_.variants.push_back(std::move(variant));
  }
  if (points_.empty()) throw InputError("{}", plan_.variants.front().error);
}

void Explore::add_idealisations() {
  plan_.idealisations = idealisations(*plan_.config);
  plan_.idealised.push_back({{}, "as configured", plan_.config, campaign::PointState::missing, "", 0, {}, {}});
  add_point(plan_.idealised.back());
  for (const Idealisation& one : plan_.idealisations) {
    Variant variant{{}, one.name, load(one.overrides), campaign::PointState::missing, "", 0, {}, {}};
    add_point(variant);
    plan_.idealised.push_back(std::move(variant));
  }
}

Explored Explore::collect(const campaign::CampaignOutcome& outcome) const {
  Explored explored = plan_;
  std::size_t next = 0;
  const auto take = [&](Variant& variant) {
    if (!variant.config) return;
    const campaign::PointOutcome& point = outcome.points.at(next++);
    variant.state = point.state;
    variant.error = point.error;
    if (point.state != campaign::PointState::done) return;
    variant.kernels = read_metrics(point.result, variant.label);
    variant.metrics = total_of(variant.kernels);
  };
  for (Variant& variant : explored.variants) take(variant);
  for (Variant& variant : explored.idealised) take(variant);
  if (request_.miss_curves) {
    const campaign::PointOutcome& point = outcome.points.at(next++);
    if (point.state == campaign::PointState::done)
      explored.curves = read_miss_curves(point.result, "miss curves");
    else
      explored.curves_error = point.error;
  }
  explored.complete = outcome.interrupted == 0;
  explored.ran = outcome.ran;
  explored.reused = outcome.reused;
  for (const auto* list : {&explored.variants, &explored.idealised})
    explored.failed += static_cast<std::size_t>(std::count_if(
        list->begin(), list->end(), [](const Variant& v) { return v.state == campaign::PointState::failed; }));
  explored.failed += explored.curves_error.empty() ? 0 : 1;
  return explored;
}

}  // namespace sassim::explore
