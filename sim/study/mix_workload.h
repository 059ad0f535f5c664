// SPDX-License-Identifier: Apache-2.0
// The workload of chapters 4 and 5 of Volkov's dissertation ("Understanding Latency Hiding on GPUs", 2016): a load,
// MUFU or LDS and alpha adds, all back-to-back dependent, repeated, as SASS for the configured architecture.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/config/gpu_config.h"
#include "sim/model/hardware.h"
#include "sim/trace/kernel.h"

namespace sassim::study {

/// How 32-bit loads go through memory; nothing is read twice but by chance (section 5.10).
enum class AccessPattern { streaming, stride_two, random };
std::string_view access_pattern_name(AccessPattern pattern);
/// "streaming", "stride2" or "random"; throws UsageError.
AccessPattern access_pattern(std::string_view name);

struct MixWorkload {
  model::MixKind kind = model::MixKind::mem;
  double alpha = 0;       ///< adds per other instruction: whole, or 1 / whole, or infinite
  std::uint32_t ilp = 1;  ///< independent chains per warp: 1, 2 or 4
  AccessPattern pattern = AccessPattern::streaming;
  std::uint32_t warps = 4;                               ///< per SM
  std::uint32_t groups = 32;                             ///< repeating groups of each chain, at least
  std::uint32_t rounds = 1;                              ///< blocks that follow each other in each place of an SM
  std::uint64_t array_bytes = std::uint64_t{512} << 20;  ///< what random accesses fall into
};

struct MixKernel {
  std::unique_ptr<trace::BlockSource> source;
  std::uint64_t adds = 0, others = 0;  ///< per warp; a few more instructions start it and close its loop
  std::uint32_t warps_per_block = 0, blocks_per_sm = 0;
};

/// Throws UsageError for what cannot be built, such as an occupancy that shared memory cannot bring about.
MixKernel make_mix(const config::GpuConfig& gpu, const MixWorkload& workload);

}  // namespace sassim::study
