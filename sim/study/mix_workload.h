// SPDX-License-Identifier: Apache-2.0
// The workload of chapters 4 and 5 of Volkov's dissertation ("Understanding Latency Hiding on GPUs", 2016): a load,
// MUFU or LDS and alpha adds, all back-to-back dependent, repeated, as SASS for the configured architecture.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

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
  std::uint64_t array_bytes = std::uint64_t{512} << 20;  ///< what blocks share out, and random accesses fall into
  /// Each warp of loads begins somewhere in its first turn of the loop. Warps that start together stay in step for
  /// long, and their loads meet each other; those of a long run on hardware do not.
  bool staggered = false;
  /// As validation/microbenchmarks/volkov_mix.cu is compiled, which hardware was measured with: 64-bit loads that pass
  /// the L1 by, and more than 16 adds in a loop of 16. One chain, streaming.
  bool as_measured = false;
};

/// What a line of the kernel's code is.
struct MixLine {
  enum class Role : std::uint8_t { overhead, other, add };
  Role role = Role::overhead;
  std::uint8_t chain = 0;
};

struct MixKernel {
  std::unique_ptr<trace::BlockSource> source;
  std::uint64_t adds = 0, others = 0;  ///< per warp; a few more instructions start it and close its loop
  std::uint32_t warps_per_block = 0, blocks_per_sm = 0;
  std::vector<MixLine> lines;         ///< one for each of the kernel's code
  std::uint32_t group_size = 0;       ///< adds and others of one repeating group, of all chains
  std::uint32_t groups_per_turn = 1;  ///< of the kernel's loop
  std::uint32_t bytes_per_load = 0;   ///< of a warp; 0 where there are none from global memory
};

/// Throws UsageError for what cannot be built, such as an occupancy that shared memory cannot bring about.
MixKernel make_mix(const config::GpuConfig& gpu, const MixWorkload& workload);

}  // namespace sassim::study
