// SPDX-License-Identifier: Apache-2.0
// The interface that receives events of the SMs' pipelines, for timelines and pipeline logs.
#pragma once

#include <cstdint>

#include "arch/common/counter_series.h"
#include "arch/sm/common/stall_reason.h"
#include "sim/base/types.h"
#include "sim/trace/kernel.h"

namespace sassim::arch {

struct WarpName {
  SmId sm;
  WarpSlot slot;
  BlockId block;
  std::uint32_t warp = 0;  ///< number within its thread block
};

/// For each SM, calls come in order of time. With several threads, several SMs call at the same time.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  /// Called between kernels; time continues from one kernel to the next.
  virtual void kernel_started(const trace::KernelInfo&, Cycle /*start*/) {}
  virtual void kernel_ended(Cycle /*end*/, const CountsOverTime&) {}
  virtual void warp_started(const WarpName&, Cycle) {}
  /// Behind kernel_started(): the launch goes on from a checkpoint. `first` has had the launch's first thread block.
  virtual void kernel_resumed(SmId /*first*/) {}
  /// Then, once for each resident warp: it has started at `start`, and its thread block is in this place of the SM.
  virtual void warp_resumed(const WarpName&, std::uint32_t /*place*/, Cycle /*start*/) {}
  virtual void warp_ended(const WarpName&, Cycle) {}
  /// `line` is an index into KernelInfo::code. `result` is when a dependent instruction may issue; kNever if issue does
  /// not determine it (memory).
  virtual void issued(const WarpName&, std::uint32_t /*line*/, Cycle /*issue*/, Cycle /*result*/) {}
  /// A memory instruction that issued at `issue` has read its operands and delivered its result. Stores that left the
  /// SM before their warp ended are not reported.
  virtual void completed(const WarpName&, Cycle /*issue*/, Cycle /*done*/) {}
  /// The warp did not issue in [from, until), mainly for this reason; `line` is its next instruction. These spans and
  /// the cycles of issue tile the warp's life.
  virtual void spent(const WarpName&, std::uint32_t /*line*/, StallReason, Cycle /*from*/, Cycle /*until*/) {}
};

}  // namespace sassim::arch
