// SPDX-License-Identifier: Apache-2.0
// The interface that receives the events of the SMs' pipelines, for timelines and pipeline logs.
#pragma once

#include <cstdint>

#include "sim/base/types.h"

namespace sassim::arch {

struct WarpName {
  SmId sm;
  WarpSlot slot;
  BlockId block;
  std::uint32_t warp = 0;  ///< within its thread block
};

/// Calls come in order of time per SM; with several threads, from several SMs at once.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  virtual void warp_started(const WarpName&, Cycle) {}
  virtual void warp_ended(const WarpName&, Cycle) {}
  /// `line` is an index into KernelInfo::code; `result` is when a dependent instruction may issue, kNever when that is
  /// not known at issue (memory).
  virtual void issued(const WarpName&, std::uint32_t /*line*/, Cycle /*issue*/, Cycle /*result*/) {}
};

}  // namespace sassim::arch
