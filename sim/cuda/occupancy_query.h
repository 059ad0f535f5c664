// SPDX-License-Identifier: Apache-2.0
// What the driver answers about a kernel's occupancy. Libraries choose kernels by it. The rules are those of NVIDIA's
// cuda_occupancy.h, and an H200's driver gives the same answers (validation/measured/h200/instructions.md#occupancy).
// They count with the carve-out that the program prefers, and with limits that it has set; how many blocks the hardware
// holds is config::occupancy().
#pragma once

#include <cstddef>
#include <optional>

#include "sim/cuda/session.h"

namespace sassim::cuda {

class OccupancyQuery {
 public:
  OccupancyQuery(const Session&, const RegisteredFunction&, const emu::Kernel&);

  /// The most threads of a block.
  int most_threads() const { return most_threads_; }
  /// Blocks per SM; 0: such a block cannot run.
  int blocks(int threads, std::size_t dynamic_shared) const;
  /// The dynamic shared memory that each of `blocks` blocks may have on an SM; nullopt: fewer fit even without any.
  std::optional<std::size_t> dynamic_shared_for(int blocks, int threads) const;
  struct Shape {
    int grid = 0, block = 0;
  };
  /// The largest block, in whole warps, with the most threads per SM, and a grid that fills the GPU. `limit`: threads
  /// of the block, or 0.
  Shape best_shape(std::size_t (*shared_of)(int), std::size_t shared, int limit) const;

 private:
  std::uint64_t carveout_for(std::uint64_t bytes) const;
  std::uint64_t preferred_pool() const;
  std::uint64_t most_per_block() const;

  const config::Occupancy& limits_;
  std::uint32_t sm_count_;
  std::uint32_t registers_;
  std::uint64_t static_shared_;
  std::uint64_t set_dynamic_, most_dynamic_;  ///< dynamic shared memory: the limit that is set; that of blocks()
  int most_threads_;
  int preferred_percent_;                 ///< of the largest carve-out; -1: none was set
  std::vector<std::uint64_t> carveouts_;  ///< rising
};

}  // namespace sassim::cuda
