// SPDX-License-Identifier: Apache-2.0
// The time of adds alone, which the analytic models of memory mixes share.
#include "sim/model/models/memory_mix_model.h"

#include <algorithm>

namespace sassim::model {

double MemoryMixModel::arithmetic_cpi(const HardwareParameters& gpu, double warps) {
  return std::max(gpu.alu.latency / warps, 1 / gpu.alu.throughput);
}

}  // namespace sassim::model
