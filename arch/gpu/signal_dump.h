// SPDX-License-Identifier: Apache-2.0
// The main signals of one SM, which SystemC traces (sc_trace) into a VCD file for waveform viewers such as GTKWave.
#pragma once

#include <memory>

#include "arch/gpu/gpu.h"
#include "arch/sm/sm.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class SignalDump final : public PipelineObserver {
 public:
  /// Call in the simulation context of the GPU. Throws InputError if the file cannot be written.
  SignalDump(const SignalFile& file, const config::GpuConfig& config);
  /// Closes the file and removes the date that SystemC writes, so that the same run gives the same bytes.
  ~SignalDump() override;

  /// True if this cycle is in the window.
  bool shows(Cycle at) const;
  /// Stores what the SM has done in the current cycle of SystemC's clock.
  void sample(const Sm& sm);
  /// Starts a cycle: no processing block has issued.
  void idle();

  void kernel_started(const trace::KernelInfo& kernel, Cycle start) override;
  void issued(const WarpName& warp, std::uint32_t line, Cycle issue, Cycle result) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sassim::arch
