// SPDX-License-Identifier: Apache-2.0
// The slices of the L2 to which an SM has sent requests since its last fence, and the query that a fence sends them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/network/messages.h"
#include "arch/network/slice_map.h"
#include "arch/network/topology.h"
#include "sim/base/types.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class UsedSlices {
 public:
  UsedSlices(const config::GpuConfig& config, SmId sm);

  /// The SM sends a request for the line at `address`. Returns the slice that is the line's home, which counts also
  /// where a copy answers; MemRequest::kNoHome if fences neither wait for slices nor count them.
  std::uint16_t add(std::uint64_t address);
  /// A kernel begins: its fences do not ask the slices that earlier kernels used.
  void start_kernel();

  struct Answers {
    std::uint32_t cycles = 0;                       ///< from the first query to the last answer
    std::uint32_t near_slices = 0, far_slices = 0;  ///< how many were asked in the SM's half and in the other
  };
  /// A fence asks all of them, or every slice of the GPU.
  Answers ask(bool everywhere);

  template <class Archive>
  void state(Archive& archive) {
    archive(asked_);
  }

 private:
  std::uint32_t interval_;
  std::optional<SliceMap> map_;
  std::vector<std::uint32_t> turn_;  ///< by slice: when it is asked, of all slices
  struct Asked {
    bool far;
    std::uint32_t cycles;  ///< from the query to the answer
  };
  std::vector<Asked> by_turn_;
  std::vector<std::uint64_t> asked_;  ///< one bit for each turn
};

}  // namespace sassim::arch
