// SPDX-License-Identifier: Apache-2.0
// Runs thread block clusters: which blocks belong together, their constants, shared memory of others, and barrier.
#include "sim/emu/core/cluster.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace sassim::emu {
namespace {

// Offsets in constant bank 0 of sm_90, read off the code that CUDA 12.4 compiles for %is_explicit_cluster,
// %cluster_nctaid, %clusterid, %nclusterid and %cluster_nctarank.
constexpr std::uint32_t kIsExplicit = 0x140, kSize = 0x144, kReciprocals = 0x150, kClusters = 0x15c, kBlocks = 0x188;

template <class T>
void put(std::vector<std::uint8_t>& bank, std::uint32_t offset, T value) {
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

/// Code divides a block's place by the size of a cluster as trunc(place * reciprocal), which must not come out too low.
float reciprocal(std::uint32_t size) {
  const float nearest = 1.0f / static_cast<float>(size);
  return static_cast<double>(nearest) * size < 1 ? std::nextafter(nearest, 2.0f) : nearest;
}

}  // namespace

std::uint64_t cluster_blocks(const LaunchConfig& launch) { return launch.cluster.count(); }

BlockId block_of_cluster(const LaunchConfig& launch, std::uint64_t cluster, std::uint64_t rank) {
  const Dim3 size = launch.cluster, grid = launch.grid;
  const std::uint64_t across = grid.x / size.x, down = grid.y / size.y;
  const std::uint64_t x = cluster % across * size.x + rank % size.x;
  const std::uint64_t y = cluster / across % down * size.y + rank / size.x % size.y;
  const std::uint64_t z = cluster / across / down * size.z + rank / size.x / size.y;
  return BlockId(x + grid.x * (y + grid.y * z));
}

void lay_out_cluster(const LaunchConfig& launch, std::vector<std::uint8_t>& bank) {
  const bool explicit_cluster = cluster_blocks(launch) != 0;
  const Dim3 size = explicit_cluster ? launch.cluster : Dim3{1, 1, 1};
  put(bank, kIsExplicit, std::uint32_t{explicit_cluster ? 1u : 0u});
  const std::uint32_t sizes[] = {size.x, size.y, size.z}, blocks[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  for (std::uint32_t i = 0; i < 3; ++i) {
    put(bank, kSize + 4 * i, sizes[i]);
    put(bank, kReciprocals + 4 * i, reciprocal(sizes[i]));
    put(bank, kClusters + 4 * i, blocks[i] / sizes[i]);
  }
  put(bank, kBlocks, static_cast<std::uint32_t>(size.count()));
}

std::byte* shared_memory(const Block& block, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t rank = address >> kRankShift, offset = address & kOffsetInBlock;
  if (!block.cluster || rank >= block.cluster->shared.size()) return nullptr;
  const Cluster::Place& place = block.cluster->shared[rank];
  return offset <= place.bytes && bytes <= place.bytes - offset ? place.at + offset : nullptr;
}

void leave_cluster(Block& block) {
  Cluster& cluster = *block.cluster;
  cluster.blocks[block.rank] = nullptr;
  cluster.ended.push_back(std::move(block.shared));
}

void check_cluster_barrier(Cluster& cluster) {
  for (const Block* block : cluster.blocks)
    if (block)
      for (const Warp& warp : block->warps)
        if ((warp.alive & ~warp.cluster_arrived) != 0) return;
  for (Block* block : cluster.blocks) {
    if (!block) continue;
    for (Warp& warp : block->warps) {
      warp.cluster_arrived = 0;
      for (Fragment& fragment : warp.fragments) {
        if (fragment.state != FragmentState::at_barrier || fragment.barrier != kClusterBarrier) continue;
        fragment.state = FragmentState::ready;
        fragment.released = true;
        ++fragment.pc;
      }
    }
  }
}

}  // namespace sassim::emu
