// SPDX-License-Identifier: Apache-2.0
// Host memory that kernels may access: pinned and managed memory, whose addresses are the same in every run unless the
// process uses them for something else, and memory of the program that it has registered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/host_maps.h"
#include "sim/cuda/abi.h"
#include "sim/emu/memory/address_space.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::cuda {

/// Flags of cudaHostAlloc and cudaHostRegister. Of the latter the third one means memory of another device.
inline constexpr unsigned kHostPortable = 1, kHostMapped = 2, kHostWriteCombined = 4, kHostIoMemory = 4,
                          kHostReadOnly = 8;

class HostMemory {
 public:
  enum class Kind : std::uint8_t { pinned, managed, registered };
  struct Piece {
    std::size_t bytes, mapped;  ///< mapped: whole pages that the runtime has made
    Kind kind;
    unsigned flags = 0;
    bool marked = false;  ///< registered, and its pages are marked (host_gaps.h)
    unsigned device = 0;  ///< for which it was made: it goes with a reset of that
  };

  /// The memory of each device, whose kernels may all access it.
  explicit HostMemory(std::vector<emu::DeviceMemory*> devices) : devices_(std::move(devices)) {}
  ~HostMemory() { reset(); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Allocates zeroed memory that kernels may access; nullptr if there is no memory.
  void* allocate(std::size_t bytes, Kind kind, unsigned flags = 0, unsigned device = 0);
  /// False if no piece of this kind begins at `pointer`.
  bool free(void* pointer, Kind kind);
  /// cudaHostRegister and cudaHostUnregister.
  Result add(void* pointer, std::size_t bytes, unsigned flags, unsigned device = 0);
  Result remove(void* pointer);
  /// The piece that holds `pointer`; nullptr: none.
  const Piece* find(const void* pointer) const;
  /// Looks which registered memory the program has unmapped or protected since: kernels must not access that.
  void look();
  /// Frees pinned and managed memory, and unregisters what was registered: all, or that of a device.
  void reset();
  void reset(unsigned device);

 private:
  void release(void* pointer, const Piece& piece);
  void mark_again();
  void unmap(void* pointer);
  void limit_on_all(void* pointer, const std::vector<emu::HostGap>& gaps);
  void limit(const HostMaps& maps, void* pointer, const Piece& piece);

  std::vector<emu::DeviceMemory*> devices_;
  std::map<const void*, Piece> pieces_;
  std::size_t registered_ = 0;
  // In a range that address and thread sanitizers leave to programs.
  std::uintptr_t next_ = emu::kPinnedBase;
};

}  // namespace sassim::cuda
