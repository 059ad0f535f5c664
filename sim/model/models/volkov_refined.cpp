// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Volkov's bound, with contention in memory.
#include <algorithm>

#include "sim/base/error.h"
#include "sim/model/throughput_model.h"

namespace sassim::model {

namespace {

constexpr int kBisections = 60;

class VolkovRefined : public ThroughputModel {
 public:
  std::string_view citation() const override {
    return "Volkov, Understanding Latency Hiding on GPUs, UC Berkeley 2016, section 6.5";
  }
  std::string_view summary() const override { return "volkov, with memory latency that grows with throughput"; }
  bool covers(const HardwareParameters& gpu, const Mix& mix) const override {
    return mix.kind == MixKind::mem && mix.transactions == 1 && gpu.contention.has_value();
  }
  std::string_view domain() const override {
    return "loads of one transaction each, with three points of alpha 0 for their contention";
  }

  /// Solves x = min(n / Latency(x), limit) by bisection, as Volkov does: the left side rises and the right side falls.
  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    if (!gpu.contention)
      throw InputError("model volkov-refined needs contention coefficients, which '{}' lacks", gpu.name);
    const Contention& fit = *gpu.contention;
    double low = 0, high = throughput_limit(gpu, mix);
    for (int i = 0; i < kBisections; ++i) {
      const double ipc = (low + high) / 2;
      const double gbs = memory_gbs(gpu, mix, ipc);
      const double memory_latency = fit.a + fit.b * gbs / (fit.c - gbs);
      const double cpi = mix.other_share() * memory_latency + mix.arithmetic_share() * gpu.alu.latency;
      // At or above c, the throughput cannot be sustained at any latency.
      const bool sustained = gbs < fit.c && warps / cpi >= ipc;
      (sustained ? low : high) = ipc;
    }
    return low;
  }
};

const RegisteredModel<VolkovRefined> volkov_refined_registered("volkov-refined");

}  // namespace

}  // namespace sassim::model
