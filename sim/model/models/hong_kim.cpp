// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Hong and Kim, ISCA 2009 (MWP and CWP).
#include <algorithm>

#include "sim/model/models/memory_mix_model.h"

namespace sassim::model {

namespace {

/// As Volkov evaluates it in section 7.1 of his dissertation: with pin bandwidth, without the departure delay, which
/// never limits, and without terms that vanish for long warps.
class HongKim : public MemoryMixModel {
 public:
  std::string_view citation() const override {
    return "Hong, Kim, An Analytical Model for a GPU Architecture with Memory-level and Thread-level Parallelism "
           "Awareness, ISCA 2009";
  }
  std::string_view summary() const override { return "memory and computation warp parallelism; no arithmetic latency"; }

  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    const double issue_time = 1 / gpu.alu.throughput;
    const double memory = mix.other_share() * gpu.mem.latency;  // per instruction
    const double mwp = std::min(warps, warps_for_bandwidth(gpu, gpu.pin_gbs / gpu.gbs_per_ipc()));
    const double cwp = std::min(warps, memory / issue_time + 1);
    if (mwp == warps && cwp == warps) return warps / (memory + issue_time);  // Eq. 22
    if (mwp < cwp) return mwp / memory;                                      // Eq. 23
    return 1 / issue_time;                                                   // Eq. 24
  }
};

const RegisteredModel<HongKim> hong_kim_registered("hong-kim");

}  // namespace

}  // namespace sassim::model
