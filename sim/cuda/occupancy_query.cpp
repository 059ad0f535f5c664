// SPDX-License-Identifier: Apache-2.0
// Answers cudaOccupancyMaxActiveBlocksPerMultiprocessor and its relatives.
#include "sim/cuda/occupancy_query.h"

#include <algorithm>

#include "sim/config/occupancy.h"
#include "sim/cuda/kernel_call.h"

namespace sassim::cuda {
namespace {

constexpr int kMostThreads = 1024, kWarp = 32;
/// Where blocks have a reserved part, from compute capability 8.0 on, the driver counts with these carve-outs too, even
/// if the L1 cannot grow so far (an H200: validation/measured/h200/instructions.md#occupancy).
constexpr std::uint64_t kSmallCarveouts[] = {0, 8 << 10, 16 << 10};

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

int most_threads_of(const config::Occupancy& limits, const emu::Kernel& kernel) {
  if (kernel.max_threads) return static_cast<int>(kernel.max_threads);
  if (kernel.registers == 0) return kMostThreads;
  return static_cast<int>(std::min<std::uint32_t>(kMostThreads, limits.registers / (kernel.registers * kWarp) * kWarp));
}

/// A program that sets less than the default does not lower the limit: an H200 answers so.
std::uint64_t most_dynamic_of(const RegisteredFunction& function, const emu::Kernel& kernel) {
  const std::uint64_t usual = kDefaultShared - std::min<std::uint64_t>(kDefaultShared, kernel.static_shared);
  return std::max<std::uint64_t>(usual, dynamic_shared_limit(function, kernel));
}

std::vector<std::uint64_t> counted_carveouts(const config::GpuConfig& gpu) {
  std::vector<std::uint64_t> sizes = gpu.sm.occupancy.carveouts;
  if (gpu.sm.occupancy.shared_reserved != 0)
    sizes.insert(sizes.end(), std::begin(kSmallCarveouts), std::end(kSmallCarveouts));
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

OccupancyQuery::OccupancyQuery(const Session& session, const RegisteredFunction& function, const emu::Kernel& kernel)
    : limits_(session.gpu().sm.occupancy),
      sm_count_(session.gpu().sm.count),
      registers_(kernel.registers),
      static_shared_(kernel.static_shared),
      set_dynamic_(dynamic_shared_limit(function, kernel)),
      most_dynamic_(most_dynamic_of(function, kernel)),
      most_threads_(most_threads_of(limits_, kernel)),
      preferred_percent_(function.preferred_carveout),
      carveouts_(counted_carveouts(session.gpu())) {}

/// The smallest one that is large enough, or the largest.
std::uint64_t OccupancyQuery::carveout_for(std::uint64_t bytes) const {
  const auto found = std::lower_bound(carveouts_.begin(), carveouts_.end(), bytes);
  return found == carveouts_.end() ? carveouts_.back() : *found;
}

std::uint64_t OccupancyQuery::preferred_pool() const {
  const std::uint64_t largest = carveouts_.back();
  return preferred_percent_ < 0 ? largest
                                : carveout_for(static_cast<std::uint64_t>(preferred_percent_) * largest / 100);
}

/// With the system's part.
std::uint64_t OccupancyQuery::most_per_block() const {
  const bool opted_in = static_shared_ + limits_.shared_reserved + most_dynamic_ > kDefaultShared;
  return (opted_in ? limits_.shared_per_block : kDefaultShared) + limits_.shared_reserved;
}

int OccupancyQuery::blocks(int threads, std::size_t dynamic_shared) const {
  // __launch_bounds__ do not count here.
  if (threads > kMostThreads || dynamic_shared > most_dynamic_) return 0;
  const std::uint64_t bytes = round_up(static_shared_ + dynamic_shared + limits_.shared_reserved,
                                       std::max<std::uint64_t>(1, limits_.shared_unit));
  if (bytes > most_per_block()) return 0;
  const std::uint64_t preferred = preferred_pool();
  const std::uint64_t pool = preferred >= bytes ? preferred : carveout_for(bytes);
  const std::uint32_t others = config::occupancy(limits_, {static_cast<std::uint32_t>(threads), registers_, 0}).blocks;
  return static_cast<int>(bytes == 0 ? others : std::min<std::uint64_t>(others, pool / bytes));
}

std::optional<std::size_t> OccupancyQuery::dynamic_shared_for(int blocks, int threads) const {
  if (this->blocks(threads, 0) < blocks) return std::nullopt;
  const std::uint64_t unit = std::max<std::uint64_t>(1, limits_.shared_unit);
  const std::uint64_t most = limits_.shared_per_block + limits_.shared_reserved;
  std::uint64_t pool = most;
  if (blocks > 1) pool = std::max(preferred_pool(), carveout_for(1));
  // Here the driver leaves out the system's part.
  const std::uint64_t share = std::min(pool / static_cast<std::uint64_t>(blocks) / unit * unit, most);
  return std::min(share - std::min(share, static_shared_), set_dynamic_);
}

OccupancyQuery::Shape OccupancyQuery::best_shape(std::size_t (*shared_of)(int), std::size_t shared, int limit) const {
  const int most = limit > 0 ? std::min(limit, most_threads_) : most_threads_;
  int best = 0;
  Shape shape;
  for (int warps = (most + kWarp - 1) / kWarp; warps > 0; --warps) {
    const int size = std::min(warps * kWarp, most);
    const int fit = blocks(size, shared_of ? shared_of(size) : shared);
    if (fit * size <= best) continue;
    best = fit * size;
    shape = {fit * static_cast<int>(sm_count_), size};
  }
  return shape;
}

}  // namespace sassim::cuda
