// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Sim et al., PPoPP 2012.
#include <algorithm>

#include "sim/model/models/memory_mix_model.h"

namespace sassim::model {

namespace {

/// As Volkov evaluates it in section 7.4 of his dissertation: MWP_peak_bw from sustained throughput, and without the
/// departure delay. Times are per instruction of the mix in each warp.
class Sim2012 : public MemoryMixModel {
 public:
  std::string_view citation() const override {
    return "Sim et al., A Performance Analysis Framework for Identifying Potential Benefits in GPGPU Applications, "
           "PPoPP 2012";
  }
  std::string_view summary() const override { return "Hong and Kim's, with arithmetic latency"; }

  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    const double memory = mix.other_share() * gpu.mem.latency;
    const double per_add = arithmetic_cpi(gpu, warps);
    const double mwp = std::min(warps, warps_for_bandwidth(gpu, gpu.mem.throughput));
    const double cwp = std::min(warps, 1 + memory / per_add);
    const double compute_time = warps * per_add;
    const double memory_time = warps * memory / std::min(mwp, std::max(1.0, cwp - 1));
    const double unlapped = cwp > mwp ? 0 : compute_time / warps;
    return warps / std::max(compute_time, memory_time + unlapped);
  }
};

const RegisteredModel<Sim2012> sim2012_registered("sim");

}  // namespace

}  // namespace sassim::model
