// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Baghsorkhi et al., PPoPP 2010.
#include <algorithm>

#include "sim/model/models/memory_mix_model.h"

namespace sassim::model {

namespace {

/// Volkov's reduction of its work flow graph (section 7.2 of his dissertation). All values are per instruction of the
/// mix.
class Baghsorkhi : public MemoryMixModel {
 public:
  std::string_view citation() const override {
    return "Baghsorkhi et al., An Adaptive Performance Modeling Tool for GPU Architectures, PPoPP 2010";
  }
  std::string_view summary() const override { return "warp latencies that add up; warps switch at memory accesses"; }

  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    const double issue_time = 1 / gpu.alu.throughput;
    const double adds = mix.arithmetic_share() * arithmetic_cpi(gpu, warps);
    const double compute = adds + mix.other_share() * issue_time;                                     // CYCcompute
    const double transfer = mix.other_share() / gpu.mem.throughput;                                   // CYCmem
    const double for_bandwidth = mix.other_share() * issue_time + std::max(0.0, transfer - compute);  // Eq. 4
    const double exposed = mix.other_share() * gpu.mem.latency - (warps - 1) * compute;               // Eq. 5, 6
    return 1 / (adds + std::max(for_bandwidth, exposed));
  }
};

const RegisteredModel<Baghsorkhi> baghsorkhi_registered("baghsorkhi");

}  // namespace

}  // namespace sassim::model
