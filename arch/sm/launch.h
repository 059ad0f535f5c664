// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/common/access_observer.h"
#include "arch/sm/fetch/static_code.h"
#include "arch/sm/pipeline_observer.h"
#include "sim/base/types.h"
#include "sim/trace/live.h"

namespace sassim::arch {

/// What one kernel needs of every SM.
struct SmLaunch {
  const StaticCode* code = nullptr;
  std::uint32_t blocks = 1;  ///< thread blocks that fit
  std::uint64_t carveout = 0;
  bool keep_caches = false;
  PipelineObserver* observer = nullptr;
  AccessObserver* accesses = nullptr;
  std::uint64_t code_prefetch = 0;          ///< bytes of code that the launch brings to the L1 instruction cache
  Cycle code_arrives{};                     ///< until then no code is there
  std::uint32_t busy_sms = 1;               ///< that the launch gives thread blocks to
  bool keep_code = false;                   ///< instruction caches hold what the kernels before have left there
  const trace::LiveMemory* live = nullptr;  ///< what live warps read; nullptr: there are none
};

}  // namespace sassim::arch
