// SPDX-License-Identifier: Apache-2.0
// A thread block cluster: blocks that run at the same time, reach each other's shared memory, and have a barrier of
// their own. An address in shared memory has the block's rank in the cluster in its bits 24 to 31.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/emu/core/machine.h"

namespace sassim::emu {

inline constexpr unsigned kRankShift = 24;
inline constexpr std::uint32_t kOffsetInBlock = (1u << kRankShift) - 1;

struct Cluster {
  struct Place {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Block*> blocks;                 ///< by rank; nullptr: it has ended
  std::vector<Place> shared;                  ///< by rank, also of blocks that have ended
  std::vector<std::vector<std::byte>> ended;  ///< the shared memory of those
};

/// How many blocks a cluster of the launch has; 0: the launch has no clusters.
std::uint64_t cluster_blocks(const LaunchConfig&);
/// The block with this rank in a cluster.
BlockId block_of_cluster(const LaunchConfig&, std::uint64_t cluster, std::uint64_t rank);
/// Words of constant bank 0 that tell code about its cluster.
void lay_out_cluster(const LaunchConfig&, std::vector<std::uint8_t>& bank);

/// [address, address + bytes) in the shared memory of the block that the address names; nullptr if it is outside.
std::byte* shared_memory(const Block&, std::uint64_t address, std::uint64_t bytes);
/// The block has ended, and its threads no longer take part in the cluster's barrier.
void leave_cluster(Block&);
/// Releases the threads that wait at the cluster's barrier if all threads that have not ended have arrived.
void check_cluster_barrier(Cluster&);

}  // namespace sassim::emu
