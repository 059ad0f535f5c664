// SPDX-License-Identifier: Apache-2.0
// Makes the kernel of a point of `sassim sweep`, as SASS for the configured architecture. The workload, a mix, is that
// of chapters 4 and 5 of Volkov's dissertation ("Understanding Latency Hiding on GPUs", 2016): a group of one load,
// MUFU or LDS and alpha adds, each of which depends on the instruction before it, repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/config/forward.h"
#include "sim/model/hardware.h"
#include "sim/trace/kernel.h"

namespace sassim::sweep {

/// The address pattern of 32-bit loads; the same data is read twice only by chance (section 5.10).
enum class AccessPattern { streaming, stride_two, random };
std::string_view access_pattern_name(AccessPattern pattern);
/// "streaming", "stride2" or "random"; throws UsageError.
AccessPattern access_pattern(std::string_view name);

struct MixWorkload {
  model::MixKind kind = model::MixKind::mem;
  double alpha = 0;       ///< adds per other instruction: n, 1 / n or infinite
  std::uint32_t ilp = 1;  ///< independent chains per warp: 1, 2 or 4
  AccessPattern pattern = AccessPattern::streaming;
  std::uint32_t warps = 4;    ///< per SM
  std::uint32_t groups = 32;  ///< least number of groups of each chain
  std::uint32_t rounds = 1;   ///< blocks that run one after the other in each place of an SM
  std::uint64_t array_bytes = std::uint64_t{512}
                              << 20;  ///< the array that blocks divide, or in which random accesses fall
  /// Each warp of loads begins at a random point of the loop's first turn. Warps that start together stay in step for
  /// long and their loads merge; in a long run on hardware they do not.
  bool staggered = false;
  /// As in validation/programs/micro/volkov_mix.cu, with which hardware was measured: 64-bit loads that bypass the L1,
  /// and more than 16 adds in a loop of 16. One chain, streaming.
  bool as_measured = false;
};

/// The role of a line of the kernel's code.
struct MixLine {
  enum class Role : std::uint8_t { overhead, other, add };
  Role role = Role::overhead;
  std::uint8_t chain = 0;
};

struct MixKernel {
  std::unique_ptr<trace::BlockSource> source;
  std::uint64_t adds = 0, others = 0;  ///< per warp, without the few instructions of the prologue and the loop's end
  std::uint32_t warps_per_block = 0, blocks_per_sm = 0;
  std::vector<MixLine> lines;         ///< one entry per instruction of the kernel
  std::uint32_t group_size = 0;       ///< instructions of the mix in one group, over all chains
  std::uint32_t groups_per_turn = 1;  ///< groups per iteration of the kernel's loop
  std::uint32_t bytes_per_load = 0;   ///< bytes of one global load of a warp; 0 without global loads
};

/// Throws UsageError for what cannot be built, such as an occupancy that no size of shared memory gives.
MixKernel make_mix(const config::GpuConfig& gpu, const MixWorkload& workload);

}  // namespace sassim::sweep
