// SPDX-License-Identifier: Apache-2.0
// Records when blocks and warps were on which SM and what chosen warps waited for, in bounded memory: beyond a number
// of spans, an SM's spans become coarser.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "arch/sm/common/pipeline_observer.h"
#include "sim/timeline/kernel_log.h"
#include "sim/timeline/lane.h"
#include "sim/timeline/selection.h"

namespace sassim::timeline {

/// The rows of one SM.
struct SmTracks {
  std::vector<Lane> blocks;              ///< label: the block
  std::map<std::uint32_t, Lane> warps;   ///< by place in the SM; label: block * 256 + warp within the block
  std::map<std::uint32_t, Lane> states;  ///< by place in the SM; label: reason + 256 * line
  std::uint64_t resolution = 0;          ///< cycles: spans shorter than that may have been joined; 0: none were
};

class Recorder final : public arch::PipelineObserver {
 public:
  /// `spans`: most spans that are kept, divided evenly among the SMs. For `selection.warps`, states are kept too.
  Recorder(Selection selection, std::uint32_t sms, std::uint64_t spans);

  void kernel_started(const trace::KernelInfo&, Cycle) override;
  void kernel_ended(Cycle, const arch::CountsOverTime&) override;
  void warp_started(const arch::WarpName&, Cycle) override;
  void warp_resumed(const arch::WarpName&, std::uint32_t place, Cycle start) override;
  void warp_ended(const arch::WarpName&, Cycle) override;
  void issued(const arch::WarpName&, std::uint32_t line, Cycle issue, Cycle result) override;
  void spent(const arch::WarpName&, std::uint32_t line, arch::StallReason, Cycle from, Cycle until) override;

  const KernelLog& kernels() const { return log_; }
  const SmTracks& tracks(std::uint32_t sm) const { return sms_[sm].tracks; }
  std::uint32_t sms() const { return static_cast<std::uint32_t>(sms_.size()); }
  const Selection& selection() const { return selection_; }

 private:
  struct Block {
    std::uint64_t start;
    std::uint32_t lane, warps;
  };
  struct Sm {
    SmTracks tracks;
    std::map<std::uint64_t, Block> blocks;  ///< resident ones
    std::vector<bool> lane_taken;
    std::map<std::uint32_t, std::uint64_t> warp_start;  ///< resident ones, by place
    std::uint64_t added = 0;                            ///< spans, since they were counted
  };

  bool shows(SmId sm) const { return selection_.sms.empty() || selection_.sms.contains(sm.value); }
  void add(Sm& sm, Lane& lane, std::uint64_t from, std::uint64_t until, std::uint64_t label, bool joins);
  void limit(Sm& sm);
  void state(const arch::WarpName&, std::uint32_t line, arch::StallReason, Cycle from, Cycle until);

  Selection selection_;
  std::uint64_t spans_per_sm_;
  std::vector<Sm> sms_;
  KernelLog log_;
};

}  // namespace sassim::timeline
