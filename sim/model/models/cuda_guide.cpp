// SPDX-License-Identifier: Apache-2.0
// Analytic model of `sassim sweep` and `model`: NVIDIA's programming guide on latency hiding.
#include "sim/model/cuda_guide.h"

#include <algorithm>
#include <cmath>

#include "sim/model/models/memory_mix_model.h"

namespace sassim::model {

double guide_warps_needed(const HardwareParameters& gpu, double alpha) {
  return gpu.mem.latency * gpu.alu.throughput / alpha;
}

double guide_warps_needed_refined(const HardwareParameters& gpu, double alpha) {
  return gpu.mem.latency * gpu.alu.throughput / (alpha + 1) + 1;
}

double guide_warps_needed_with_arithmetic(const HardwareParameters& gpu, double alpha) {
  return guide_warps_needed(gpu, alpha) + gpu.alu.latency * gpu.alu.throughput;
}

namespace {

/// The guide gives only the number of warps for peak throughput. For fewer warps, the same reasoning gives the
/// instructions that the warps execute between two loads, per memory latency.
class CudaGuide : public MemoryMixModel {
 public:
  std::string_view citation() const override {
    return "NVIDIA, CUDA C Programming Guide 5.5, section 5.2.3 (Volkov, section 4.8)";
  }
  std::string_view summary() const override { return "memory latency covered by the adds of other warps"; }
  bool covers(const HardwareParameters& gpu, const Mix& mix) const override {
    return MemoryMixModel::covers(gpu, mix) && mix.alpha > 0;
  }
  std::string_view domain() const override { return "loads of one transaction each with adds"; }
  double predict(const HardwareParameters& gpu, const Mix& mix, double warps) const override {
    if (std::isinf(mix.alpha)) return gpu.alu.throughput;
    return gpu.alu.throughput * std::min(1.0, warps / guide_warps_needed(gpu, mix.alpha));
  }
};

const RegisteredModel<CudaGuide> cuda_guide_registered("cuda-guide");

}  // namespace

}  // namespace sassim::model
