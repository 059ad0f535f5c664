// SPDX-License-Identifier: Apache-2.0
// One SM's main signals as SystemC traces them (sc_trace) into a VCD file, for waveform viewers such as GTKWave.
#pragma once

#include <memory>

#include "arch/gpu.h"
#include "arch/sm/sm.h"

namespace sassim::arch {

class SignalDump final : public PipelineObserver {
 public:
  /// In the simulation context of the GPU. Throws InputError when the file cannot be written.
  SignalDump(const SignalFile& file, const config::GpuConfig& config);
  /// Closes the file. What SystemC says of today's date is left out: the same run gives the same bytes.
  ~SignalDump() override;

  /// Whether this cycle is in the window.
  bool shows(Cycle at) const;
  /// What the SM has done in the cycle at which SystemC's clock is.
  void sample(const Sm& sm);
  /// A cycle begins: nobody has issued in it.
  void idle();

  void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle result) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
