// SPDX-License-Identifier: Apache-2.0
// The slices of the L2 to which an SM has sent requests since its last fence, and the query that a fence sends them.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/memory/address_map.h"
#include "arch/network/topology.h"
#include "sim/base/types.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class UsedSlices {
 public:
  UsedSlices(const config::GpuConfig& config, SmId sm);

  /// The SM sends a request for the line at `address`. Returns the slice that is the line's home, which counts also where
  /// a copy answers.
  std::uint32_t add(std::uint64_t address);
  void clear();

  struct Answers {
    std::uint32_t cycles = 0;         ///< from the first query to the last answer
    std::uint32_t near = 0, far = 0;  ///< slices that were asked, in the SM's half and in the other
  };
  /// A fence asks all of them, or every slice of the GPU.
  Answers ask(bool everywhere);

  template <class Archive>
  void state(Archive& archive) {
    archive(asked_);
  }

 private:
  const config::MemoryIo& config_;
  SliceMap map_;
  std::vector<std::uint32_t> order_;      ///< by slice: its turn in a query to all
  std::vector<bool> far_;                 ///< by turn
  std::vector<std::uint32_t> distance_;   ///< by turn: cycles there and back beyond those to the nearest slice
  std::vector<std::uint64_t> asked_;      ///< one bit for each turn
};

}  // namespace sassim::arch
