// SPDX-License-Identifier: Apache-2.0
// Simulates one point of `sassim sweep`, until it is steady, and gives its JSON.
#include "sim/sweep/mix_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "arch/gpu/gpu.h"
#include "sim/base/json_number.h"
#include "sim/config/gpu_config.h"
#include "sim/model/hardware.h"

namespace sassim::sweep {

namespace {

constexpr double kAgree = 0.03;          // largest difference of the two halves
constexpr double kShortest = 1;          // least length of the measured time, in groups per warp
constexpr std::uint32_t kDoublings = 1;  // how often the number of groups may double
constexpr double kMemoryCycles = 25000;  // about the least time of a warp in the first run with global loads
constexpr std::size_t kTimelineEntries = 100;
constexpr const char* kKind = "mix";

/// The number of groups of the first run. Without global loads a group takes tens of cycles, and one SM is simulated.
/// With them, the run must include several DRAM refreshes and a state in which streams no longer share DRAM rows as at
/// the start: earlier results are up to 8 % too fast, although both halves agree.
std::uint32_t first_groups(const config::GpuConfig& gpu, const MixWorkload& workload) {
  if (std::isinf(workload.alpha)) return 1024;
  if (workload.kind != model::MixKind::mem) return workload.alpha < 64 ? 256 : 64;
  const model::HardwareParameters rates = model::from_config(gpu);
  const double warps = workload.warps * workload.ilp;
  const double alone = rates.mem.latency + workload.alpha * rates.alu.latency;
  const double crowded = warps * std::max(1 / rates.mem.throughput, (workload.alpha + 1) / rates.alu.throughput);
  const double cycles = alone > crowded ? 2 * kMemoryCycles : kMemoryCycles;  // with few warps, refreshes are rarer
  return static_cast<std::uint32_t>(std::clamp(std::ceil(cycles / std::max(alone, crowded)), 12.0, 128.0));
}

using Json = nlohmann::ordered_json;

Json to_json(const MixWorkload& workload) {
  return {{"kind", model::mix_kind_name(workload.kind)},
          {"alpha", std::isinf(workload.alpha) ? Json("inf") : Json(workload.alpha)},
          {"ilp", workload.ilp},
          {"access", access_pattern_name(workload.pattern)},
          {"warps", workload.warps},
          {"groups", workload.groups},
          {"array_bytes", workload.array_bytes},
          {"staggered", workload.staggered},
          {"as_measured", workload.as_measured}};
}

MixWorkload workload_from_json(const Json& json) {
  MixWorkload workload;
  workload.kind = model::mix_kind(json.at("kind").get<std::string>());
  workload.alpha =
      json.at("alpha").is_string() ? std::numeric_limits<double>::infinity() : json.at("alpha").get<double>();
  workload.ilp = whole_at<std::uint32_t>(json, "ilp");
  workload.pattern = access_pattern(json.at("access").get<std::string>());
  workload.warps = whole_at<std::uint32_t>(json, "warps");
  workload.groups = whole_at<std::uint32_t>(json, "groups");
  workload.array_bytes = whole_at<std::uint64_t>(json, "array_bytes");
  workload.staggered = json.at("staggered");
  workload.as_measured = json.at("as_measured");
  return workload;
}

Json to_json(const MixPoint& point) {
  Json json{{"workload", to_json(point.workload)}};
  json.update(measured_json(point));
  json.update(
      {{"warp_latency", point.warp_latency},
       {"dram_gbs", point.dram_gbs},
       {"warp_instructions", point.warp_instructions},
       {"timeline", {{"step", point.timeline.step}, {"warps", point.timeline.warps}, {"ipc", point.timeline.ipc}}}});
  return json;
}

class MixKind : public campaign::PointKind {
 public:
  std::string run(const config::GpuConfig& gpu, const campaign::Point& point) const override {
    return to_json(run_mix_point(gpu, workload_from_json(Json::parse(point.workload)))).dump() + "\n";
  }
};

const Registered<campaign::PointKind, MixKind> mix_registered(kKind);

MixPoint run_once(const config::GpuConfig& gpu, const MixWorkload& workload) {
  const MixKernel kernel = make_mix(gpu, workload);
  MixObserver observer(kernel, gpu.sm.count, gpu.sm.occupancy.warps);
  arch::RunOptions options;
  options.pipeline = &observer;
  // On hardware, the chain had just been written and much memory cleared after it.
  if (workload.as_measured && workload.kind == model::MixKind::mem) options.caches = arch::CacheStart::written;
  arch::Gpu simulated(gpu);
  const arch::KernelResult result = simulated.run(*kernel.source, options);
  const SteadyState steady = observer.steady_state();

  MixPoint point;
  point.workload = workload;
  const model::Mix mix{workload.alpha, workload.kind, 1};
  point.ipc = steady.groups * kernel.group_size;
  point.adds = point.ipc * mix.arithmetic_share();
  point.others = point.ipc * mix.other_share();
  const double hz = static_cast<double>(gpu.clock.sm);
  point.gbs = point.others * kernel.bytes_per_load * gpu.sm.count * hz * 1e-9;
  point.group_latency = steady.groups > 0 ? steady.warps / steady.groups : 0;
  point.memory_latency = steady.memory_latency;
  point.warp_latency = observer.warp_latency();
  point.cycles = result.cycles.value;
  point.warp_instructions = result.warp_instructions;
  if (result.metrics.has("dram__bytes_read.sum"))
    point.dram_gbs = result.metrics["dram__bytes_read.sum"] / static_cast<double>(point.cycles) * hz * 1e-9;
  const bool lasts = steady.lasting_groups() >= kShortest;
  point.spread =
      lasts ? 2 * std::abs(steady.first_half - steady.second_half) / (steady.first_half + steady.second_half) : 1;
  point.timeline = observer.timeline(kTimelineEntries);
  return point;
}

}  // namespace

MixPoint run_mix_point(const config::GpuConfig& gpu, const MixWorkload& workload) {
  MixWorkload tried = workload;
  tried.rounds = 1;
  tried.staggered = true;
  tried.groups = first_groups(gpu, workload);
  MixPoint point = run_once(gpu, tried);
  for (std::uint32_t i = 0; i < kDoublings && point.spread > kAgree; ++i) {
    tried.groups *= 2;
    point = run_once(gpu, tried);
  }
  return point;
}

campaign::Point make_mix_point(std::shared_ptr<const config::GpuConfig> gpu, const MixWorkload& workload) {
  const std::string text = to_json(workload).dump();
  std::string label =
      fmt::format("{} alpha {:g}, {} warps", model::mix_kind_name(workload.kind), workload.alpha, workload.warps);
  return {kKind, std::move(gpu), text, text, std::move(label)};
}

MixPoint mix_point_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  MixPoint point;
  point.workload = workload_from_json(json.at("workload"));
  point.ipc = json.at("ipc");
  point.adds = json.at("adds");
  point.others = json.at("others");
  point.gbs = json.at("gbs");
  point.group_latency = json.at("group_latency");
  point.memory_latency = json.at("memory_latency");
  point.warp_latency = json.at("warp_latency");
  point.dram_gbs = json.at("dram_gbs");
  point.spread = json.at("spread");
  point.cycles = whole_at<std::uint64_t>(json, "cycles");
  point.warp_instructions = whole_at<std::uint64_t>(json, "warp_instructions");
  const Json& timeline = json.at("timeline");
  point.timeline = {timeline.at("step"), timeline.at("warps").get<std::vector<double>>(),
                    timeline.at("ipc").get<std::vector<double>>()};
  return point;
}

Json measured_json(const MixPoint& point) {
  return {{"ipc", point.ipc},
          {"adds", point.adds},
          {"others", point.others},
          {"gbs", point.gbs},
          {"group_latency", point.group_latency},
          {"memory_latency", point.memory_latency},
          {"spread", point.spread},
          {"cycles", point.cycles}};
}

}  // namespace sassim::sweep
