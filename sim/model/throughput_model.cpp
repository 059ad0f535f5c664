// SPDX-License-Identifier: Apache-2.0
// Finds analytic models by name, and computes what they share: the throughput limit and a lone warp's time.
#include "sim/model/throughput_model.h"

#include <algorithm>

namespace sassim::model {

std::unique_ptr<ThroughputModel> make_model(const std::string& name) { return ModelRegistry::instance().make(name); }

std::vector<std::string> model_names() { return ModelRegistry::instance().names(); }

double throughput_limit(const HardwareParameters& gpu, const Mix& mix) {
  double limit = gpu.issue_rate;
  if (mix.arithmetic_share() > 0) limit = std::min(limit, gpu.alu.throughput / mix.arithmetic_share());
  if (mix.other_share() > 0)
    limit = std::min(limit, gpu.other(mix.kind).throughput / (mix.other_share() * mix.transactions));
  return limit;
}

double lone_warp_cpi(const HardwareParameters& gpu, const Mix& mix) {
  return mix.other_share() * gpu.other_latency(mix) + mix.arithmetic_share() * gpu.alu.latency;
}

std::optional<int> warps_needed(const ThroughputModel& model, const HardwareParameters& gpu, const Mix& mix,
                                double fraction, int at_most) {
  constexpr double kRounding = 1e-9;  // a latency that exactly meets the limit must be accepted
  const double target = fraction * throughput_limit(gpu, mix) * (1 - kRounding);
  for (int warps = 1; warps <= at_most; ++warps)
    if (model.predict(gpu, mix, warps) >= target) return warps;
  return std::nullopt;
}

}  // namespace sassim::model
