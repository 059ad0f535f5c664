// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Zhang and Owens, HPCA 2011.
#include <algorithm>

#include "sim/model/models/memory_mix_model.h"

namespace sassim::model {

namespace {

/// The original measures the throughputs of adds alone and of loads alone with microbenchmarks at the kernel's
/// occupancy. Here they come from Volkov's models of these two limits, as in section 4.11 of his dissertation; with
/// contention coefficients, the loads' curve is the fit to his measurements.
class ZhangOwens : public MemoryMixModel {
 public:
  std::string_view citation() const override {
    return "Zhang, Owens, A Quantitative Performance Analysis Model for GPU Architectures, HPCA 2011";
  }
  std::string_view summary() const override { return "the longer of the times of adds alone and loads alone"; }

  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    const Mix loads{0, MixKind::mem, 1};
    const auto alone = make_model(gpu.contention ? "volkov-refined" : "volkov");
    const double alu_time = mix.arithmetic_share() * arithmetic_cpi(gpu, warps);
    const double mem_time = mix.other_share() / alone->predict(gpu, loads, warps);
    return 1 / std::max(alu_time, mem_time);
  }
};

const RegisteredModel<ZhangOwens> zhang_owens_registered("zhang-owens");

}  // namespace

}  // namespace sassim::model
