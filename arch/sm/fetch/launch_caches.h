// SPDX-License-Identifier: Apache-2.0
// What a launch puts into the instruction and constant cache of an SM, and the SM's turn at the constants of its GPC.
#pragma once

#include <cstdint>

#include "arch/common/indices.h"
#include "arch/sm/code/launch.h"
#include "arch/sm/fetch/instruction_cache.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class LaunchCaches {
 public:
  LaunchCaches(const config::GpuConfig& config, SmId sm, InstructionCache& instructions);

  void start_kernel(const SmLaunch& launch);
  /// The SM gets the first thread block of a launch that runs beside others.
  void add_launch(const StaticCode& code, LaunchIndex launch, std::uint64_t code_prefetch);

 private:
  void fill(const StaticCode& code, LaunchIndex launch, std::uint64_t code_prefetch);
  void alternate_constants(std::uint32_t busy_sms);

  const config::Sm& config_;
  InstructionCache& instructions_;
  /// The SMs that share a path for constants, in the order in which they get their first thread blocks.
  struct Neighbours {
    std::uint32_t count, place;  ///< how many there are; the position of this SM
  };
  static Neighbours find_neighbours(const config::GpuConfig& config, SmId sm);
  Neighbours neighbours_;
};

}  // namespace sassim::arch
