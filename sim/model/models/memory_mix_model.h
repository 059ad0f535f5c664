// SPDX-License-Identifier: Apache-2.0
// What the models before Volkov's have in common: they speak of global memory and adds only.
#pragma once

#include "sim/model/throughput_model.h"

namespace sassim::model {

class MemoryMixModel : public ThroughputModel {
 public:
  bool covers(const HardwareParameters&, const Mix& mix) const override {
    return mix.kind == MixKind::mem && mix.transactions == 1;
  }

 protected:
  /// Cycles per add of one SM that runs adds alone.
  static double arithmetic_cpi(const HardwareParameters& gpu, double warps);
  /// Warps that reach `ipc` memory accesses per cycle and SM, by Little's law; Hong and Kim's MWP_peak_bw.
  static double warps_for_bandwidth(const HardwareParameters& gpu, double ipc) { return gpu.mem.latency * ipc; }
};

}  // namespace sassim::model
