// SPDX-License-Identifier: Apache-2.0
// The interface to a memory outside the GPU that answers the DRAM channels (memory.dram.model: tlm), and what they send
// to it.
#pragma once

#include <cstdint>
#include <tuple>

#include "sim/base/types.h"

namespace sassim::arch {

struct OutsideAccess {
  std::uint32_t channel = 0;  ///< on the GPU
  std::uint32_t tag = 0;      ///< the channel's name for it
  std::uint64_t address = 0;  ///< in the channel: the rows of all banks one behind the other
  std::uint32_t bytes = 0;
  bool write = false;
  DramCycle at;  ///< arrives at the memory

  /// The order in which accesses are sent. Those of one channel and one cycle keep theirs.
  bool operator<(const OutsideAccess& o) const { return std::tie(at, channel) < std::tie(o.at, o.channel); }
};

class OutsideMemory {
 public:
  virtual ~OutsideMemory() = default;
  /// Returns the cycle in which the last data have arrived, or are written. Called between epochs, in order.
  virtual DramCycle access(const OutsideAccess& access) = 0;
};

}  // namespace sassim::arch
