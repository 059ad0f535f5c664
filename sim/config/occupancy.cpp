// SPDX-License-Identifier: Apache-2.0
// Computes occupancy: thread blocks per SM by registers, shared memory, warps and threads, and the carve-out chosen.
#include "sim/config/occupancy.h"

#include <algorithm>
#include <limits>

#include "sim/config/groups/occupancy.h"

namespace sassim::config {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return unit ? (value + unit - 1) / unit * unit : value;
}

constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

std::uint32_t quotient(std::uint64_t have, std::uint64_t need) {
  return need ? static_cast<std::uint32_t>(std::min<std::uint64_t>(have / need, kUnlimited)) : kUnlimited;
}

/// Each processing block has its share of the registers, and the warps of a block go to the processing blocks with the
/// fewest warps. So the limit is the number of warps with registers, rounded down to the same number on all processing
/// blocks.
std::uint32_t by_registers(const Occupancy& limits, std::uint64_t per_warp, std::uint32_t warps_per_block) {
  const std::uint64_t unit = std::max(1u, limits.warp_unit);
  return per_warp ? quotient(limits.registers / per_warp / unit * unit, warps_per_block) : kUnlimited;
}

std::uint64_t largest_carveout(const Occupancy& limits) {
  return limits.carveouts.empty() ? 0 : *std::max_element(limits.carveouts.begin(), limits.carveouts.end());
}

std::uint64_t smallest_carveout(const Occupancy& limits, std::uint64_t needed) {
  std::uint64_t best = largest_carveout(limits);
  for (std::uint64_t size : limits.carveouts)
    if (size >= needed && size < best) best = size;
  return best;
}

}  // namespace

std::string_view limiter_name(Limiter limiter) {
  switch (limiter) {
    case Limiter::blocks:
      return "blocks per SM (sm.occupancy.blocks)";
    case Limiter::warps:
      return "warps per SM (sm.occupancy.warps)";
    case Limiter::threads:
      return "threads per SM (sm.occupancy.threads)";
    case Limiter::registers:
      return "registers (sm.occupancy.registers, register_unit and warp_unit)";
    case Limiter::shared_memory:
      return "shared memory (sm.occupancy.shared_per_block, shared_reserved, shared_unit and carveouts)";
  }
  return "?";
}

OccupancyResult occupancy(const Occupancy& limits, const BlockNeeds& needs, std::uint64_t preferred_carveout) {
  OccupancyResult result;
  result.warps_per_block = (needs.threads + 31) / 32;
  const std::uint64_t per_warp = round_up(std::uint64_t{needs.registers_per_thread} * 32, limits.register_unit);
  result.registers_per_block = static_cast<std::uint32_t>(per_warp * result.warps_per_block);
  const std::uint64_t requested = needs.shared_bytes + limits.shared_reserved;
  result.shared_per_block = round_up(requested, limits.shared_unit);

  std::uint64_t shared_pool = largest_carveout(limits);
  if (preferred_carveout != ~0ull)
    shared_pool = smallest_carveout(limits, std::max(preferred_carveout, result.shared_per_block));

  const std::pair<Limiter, std::uint32_t> bounds[] = {
      {Limiter::blocks, limits.blocks},
      {Limiter::warps, quotient(limits.warps, result.warps_per_block)},
      {Limiter::threads, quotient(limits.threads, std::uint64_t{result.warps_per_block} * 32)},
      {Limiter::registers, by_registers(limits, per_warp, result.warps_per_block)},
      {Limiter::shared_memory,
       needs.shared_bytes > limits.shared_per_block ? 0 : quotient(shared_pool, result.shared_per_block)},
  };
  result.by_blocks = limits.blocks;
  result.by_warps = std::min(bounds[1].second, bounds[2].second);
  result.by_registers = bounds[3].second;
  const auto* tightest = std::min_element(std::begin(bounds), std::end(bounds),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  result.limiter = tightest->first;
  result.blocks = tightest->second;
  result.carveout =
      preferred_carveout != ~0ull
          ? shared_pool
          : smallest_carveout(limits, result.shared_per_block * std::clamp(result.blocks * limits.carveout_room, 1u,
                                                                           std::max(1u, limits.blocks)));
  return result;
}

}  // namespace sassim::config
