// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: Volkov's bound by latency and throughput.
#include <algorithm>

#include "sim/model/throughput_model.h"

namespace sassim::model {

namespace {

class VolkovBasic : public ThroughputModel {
 public:
  std::string_view citation() const override {
    return "Volkov, Understanding Latency Hiding on GPUs, UC Berkeley 2016, section 4.1";
  }
  std::string_view summary() const override { return "Little's law under the tightest throughput limit"; }
  bool covers(const HardwareParameters&, const Mix&) const override { return true; }
  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    return std::min(warps / lone_warp_cpi(gpu, mix), throughput_limit(gpu, mix));
  }
};

const RegisteredModel<VolkovBasic> volkov_basic_registered("volkov");

}  // namespace

}  // namespace sassim::model
