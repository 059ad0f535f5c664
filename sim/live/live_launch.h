// SPDX-License-Identifier: Apache-2.0
// A launch whose warps are executed when the timing model issues their instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/trace/kernel.h"

namespace sassim::live {

struct LiveOptions {
  std::uint32_t sms = 1;
  Cycle clock;  ///< what the clocks of the kernel count on from
  std::uint64_t clock_hz = 1;
  bool record = false;  ///< keep what the warps did as traces
};

class LiveSm;

/// Blocks of different SMs may run on different threads; those of one SM run on one thread at a time.
class LiveLaunch final : public trace::BlockSource {
 public:
  /// Throws UsageError for a launch that no GPU would take. All arguments must outlive it.
  LiveLaunch(const emu::Kernel& kernel, const emu::LaunchConfig& launch, emu::DeviceMemory& memory,
             const trace::KernelInfo& info, const LiveOptions& options);
  ~LiveLaunch() override;

  const trace::KernelInfo& kernel() const override { return info_; }
  /// A block at the beginning of its work: each may be asked for once.
  std::shared_ptr<const trace::BlockTrace> block(BlockId id) override;
  const trace::LiveMemory* live_memory() const override;
  /// There is no trace that could name the work.
  std::string hash() const override { return {}; }

  /// Between epochs: throws NoProgress with a report when all warps only wait for each other (standstill.h).
  void check_progress();
  /// Once the model has run it: prints what the kernel has printed, in the order of time, gives memory back.
  emu::RunResult finish();
  /// What the blocks did, in their order; empty unless asked for. Once.
  std::vector<std::shared_ptr<const trace::BlockTrace>> take_recorded();

 private:
  friend class LiveBlock;
  struct Shared;

  LiveSm& sm(SmId id);
  void print_all();

  const trace::KernelInfo& info_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace sassim::live
