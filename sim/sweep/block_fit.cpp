// SPDX-License-Identifier: Apache-2.0
// Chooses block size and shared memory for an occupancy that `sassim sweep` simulates.
#include "sim/sweep/block_fit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/config/occupancy.h"

namespace sassim::sweep {

namespace {

constexpr std::uint32_t kMostWarpsPerBlock = 32;  // 1024 threads, CUDA's limit

std::optional<BlockFit> fit(const config::Occupancy& limits, std::uint32_t warps, std::uint32_t per_block,
                            std::uint32_t registers) {
  const std::uint32_t blocks = warps / per_block;
  const std::uint64_t unit = std::max<std::uint64_t>(1, limits.shared_unit);
  const std::uint64_t array = limits.carveouts.empty()
                                  ? limits.shared_per_block
                                  : *std::max_element(limits.carveouts.begin(), limits.carveouts.end());
  const std::uint64_t share = array / blocks / unit * unit;
  const std::uint64_t shared =
      share > limits.shared_reserved ? std::min(share - limits.shared_reserved, limits.shared_per_block) : 0;
  const config::OccupancyResult result = config::occupancy(limits, {32 * per_block, registers, shared});
  if (result.blocks != blocks) return std::nullopt;
  return BlockFit{per_block, blocks, static_cast<std::uint32_t>(shared)};
}

}  // namespace

BlockFit fit_blocks(const config::GpuConfig& gpu, std::uint32_t warps, std::uint32_t registers) {
  const config::Occupancy& limits = gpu.sm.occupancy;
  if (warps == 0 || warps > limits.warps)
    throw UsageError("{} warps per SM: expected 1 to {}, the most that an SM of {} can hold", warps, limits.warps,
                     gpu.name);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t n = gpu.sm.processing_blocks; n <= kMostWarpsPerBlock; n += gpu.sm.processing_blocks)
    sizes.push_back(n);
  for (std::uint32_t n = kMostWarpsPerBlock; n >= 1; --n)
    if (n % gpu.sm.processing_blocks != 0) sizes.push_back(n);
  for (const std::uint32_t n : sizes)
    if (warps % n == 0)
      if (const auto found = fit(limits, warps, n, registers)) return *found;
  throw UsageError("{} warps per SM: no block size and size of shared memory give {} exactly this occupancy", warps,
                   gpu.name);
}

}  // namespace sassim::sweep
