// SPDX-License-Identifier: Apache-2.0
// The base class of the analytic models that are older than Volkov's, which cover only mixes of global memory accesses
// and adds.
#pragma once

#include "sim/model/throughput_model.h"

namespace sassim::model {

class MemoryMixModel : public ThroughputModel {
 public:
  bool covers(const HardwareParameters&, const Mix& mix) const override {
    return mix.kind == MixKind::mem && mix.transactions == 1;
  }
  std::string_view domain() const override { return "loads of one transaction each"; }

 protected:
  /// Cycles per add on an SM that executes only adds.
  static double arithmetic_cpi(const HardwareParameters& gpu, double warps);
  /// Warps needed for `ipc` memory accesses per cycle and SM, by Little's law; Hong and Kim call it MWP_peak_bw.
  static double warps_for_bandwidth(const HardwareParameters& gpu, double ipc) { return gpu.mem.latency * ipc; }
};

}  // namespace sassim::model
