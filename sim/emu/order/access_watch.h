// SPDX-License-Identifier: Apache-2.0
// The interface by which SharingWatch and ApartWatch hear of accesses of emulated blocks to memory that others may see.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/types.h"
#include "sim/emu/memory/device_memory.h"
#include "sim/emu/memory/lanes.h"

namespace sassim::emu {

class AccessWatch {
 public:
  struct Access {
    const Lanes64& addresses;
    unsigned bytes;  ///< of each lane
    std::uint32_t lanes;
    std::uint64_t first, end;  ///< all that is accessed lies between
    bool load, store;
    bool reduction = false;  ///< a store that is performed after the blocks, in the order of blocks
  };
  /// `every_load`: it hears also of loads whose code promises that the launch does not write what they read.
  explicit AccessWatch(bool every_load) : hears_every_load(every_load) {}
  virtual ~AccessWatch() = default;
  AccessWatch(const AccessWatch&) = delete;
  AccessWatch& operator=(const AccessWatch&) = delete;

  const bool hears_every_load;
  /// Before the access.
  virtual void access(const DeviceMemory&, BlockId, const Access&) = 0;
  /// The kernel prints.
  virtual void print(std::string text) = 0;
  /// What the launch does now cannot be undone.
  virtual void give_up() = 0;
  /// An access follows that is not told: of a texture, a surface or a bulk copy.
  virtual void untold() {}
};

}  // namespace sassim::emu
