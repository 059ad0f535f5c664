// SPDX-License-Identifier: Apache-2.0
// The life of each warp instruction, for the pipeline viewer Konata (its format "Kanata 0004").
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "arch/sm/common/pipeline_observer.h"
#include "sim/timeline/kernel_log.h"
#include "sim/timeline/selection.h"

namespace sassim::timeline {

/// Keeps the warp instructions that issue in the window on the chosen SMs, and what their warps waited for before. If
/// no SM is chosen, it is the one that gets the first thread block. When there is no room for another instruction, what
/// comes later is left out.
class PipelineLog final : public arch::PipelineObserver {
 public:
  PipelineLog(Selection selection, std::uint32_t sms, std::uint64_t instructions);

  void kernel_started(const trace::KernelInfo&, Cycle) override;
  void kernel_ended(Cycle, const arch::CountsOverTime&) override;
  void warp_started(const arch::WarpName&, Cycle) override;
  void kernel_resumed(SmId first) override;
  void issued(const arch::WarpName&, std::uint32_t line, Cycle issue, Cycle result) override;
  void completed(const arch::WarpName&, Cycle issue, Cycle done) override;
  void spent(const arch::WarpName&, std::uint32_t line, arch::StallReason, Cycle from, Cycle until) override;

  /// Whether instructions of the window were left out.
  bool full() const;
  std::uint64_t instructions() const;
  /// The file, piece by piece. Must not run while it records.
  void write(const std::function<void(std::string_view)>& write) const;

 private:
  struct Wait {
    arch::StallReason reason;
    std::uint64_t from, until;
  };
  struct Instruction {
    std::uint32_t line = 0, warp = 0, slot = 0;
    std::uint64_t block = 0, issue = 0, done = 0;  ///< done 0: not known
    std::size_t first_wait = 0, waits = 0;         ///< in Sm::waits
  };
  struct Sm {
    bool shown = false, full = false;
    std::vector<Instruction> instructions;
    std::vector<Wait> waits;
    std::vector<std::vector<Wait>> open;           ///< by slot: since the last issue
    std::vector<std::vector<std::size_t>> flying;  ///< by slot: instructions whose end is not known
  };
  struct Event;

  bool shows(SmId sm) const { return sms_[sm.value].shown; }
  void add_events(std::uint32_t sm, std::vector<Event>& events) const;

  Selection selection_;
  std::uint64_t most_per_sm_;
  std::vector<Sm> sms_;
  KernelLog log_;
};

}  // namespace sassim::timeline
