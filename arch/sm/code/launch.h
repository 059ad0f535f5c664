// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/indices.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/base/types.h"
#include "sim/trace/live.h"

namespace sassim::arch {

/// What every SM is told about a kernel that is launched.
struct SmLaunch {
  const StaticCode* code = nullptr;
  Cycle begin{};               ///< when the launch begins
  std::uint32_t blocks = 1;    ///< thread blocks that the SM can hold
  std::uint64_t carveout = 0;  ///< bytes of the L1's array that are shared memory
  bool keep_caches = false;    ///< the SM's own caches of data and constants keep their contents
  PipelineObserver* observer = nullptr;
  AccessObserver* accesses = nullptr;
  std::uint64_t code_prefetch = 0;  ///< bytes of code that the launch brings to the L1 instruction cache
  Cycle code_arrives{};             ///< until then this code is in flight
  std::uint32_t busy_sms = 1;       ///< SMs to which the launch gives thread blocks
  bool keep_code = false;           ///< instruction caches keep the contents that earlier kernels left
  std::uint32_t constant_wait = 0;  ///< cycles for which the launch's constants are in flight from their first use
  /// Pages that earlier launches of the program used; nullptr: every page is known (sm.tlb_scope: program).
  const std::vector<std::uint64_t>* translated = nullptr;
  const trace::LiveMemory* live = nullptr;  ///< memory that live warps read; nullptr: the kernel is a replay
};

/// How a thread block comes to an SM where launches run side by side.
struct BlockArrival {
  LaunchIndex launch = {};                ///< number of the launch in the static code
  std::optional<std::uint64_t> carveout;  ///< the SM is empty, and its shared memory gets this size
};

}  // namespace sassim::arch
