// SPDX-License-Identifier: Apache-2.0
// CUDA's memory pools (cudaMemPool_t) of a device. An allocation from a pool takes effect at its call, and a free too,
// because work is executed at its call. So a pool keeps no freed memory: it reserves what is used.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/cuda/abi.h"
#include "sim/emu/memory/device_memory.h"

namespace sassim::cuda {

/// cudaMemPoolAttr
enum PoolAttribute : int {
  kReuseFollowsEvents = 1,
  kReuseIsOpportunistic = 2,
  kReuseIsInternal = 3,
  kReleaseThreshold = 4,  ///< the first of 64 bits; earlier ones are ints
  kReservedNow = 5,
  kReservedHigh = 6,
  kUsedNow = 7,
  kUsedHigh = 8,
};

struct MemoryPool {
  std::array<std::uint64_t, 5> settings{0, 1, 1, 1, 0};  ///< by PoolAttribute; by default, reuse is allowed
  std::uint64_t used = 0, high = 0;
  std::uint64_t largest = 0;  ///< bytes it may have; 0: as many as the GPU has
  std::uint32_t open_to = 0;  ///< bit n: kernels of device n may access it too
};

class Pools {
 public:
  MemoryPool* device_default() { return all_.front().get(); }
  /// From which cudaMallocAsync takes.
  MemoryPool* current() { return current_; }
  bool set_current(MemoryPool*);

  Pools();
  MemoryPool* create(std::uint64_t largest);
  /// What was allocated from it stays, as in CUDA until it is freed.
  bool destroy(MemoryPool*);
  bool holds(const MemoryPool*) const;

  /// `memory`: that of the pools' device.
  Result allocate(emu::DeviceMemory& memory, MemoryPool*, void** pointer, std::size_t bytes);
  /// Lets kernels of other devices access all of a pool.
  void open(emu::DeviceMemory& memory, MemoryPool*, std::uint32_t devices);
  MemoryPool* owner(std::uint64_t address) const;
  /// Frees an address that another function has freed.
  void release(std::uint64_t address);
  void reset();

 private:
  struct Piece {
    MemoryPool* pool;
    std::uint64_t bytes;
  };
  std::vector<std::unique_ptr<MemoryPool>> all_;
  MemoryPool* current_ = nullptr;
  std::map<std::uint64_t, Piece> pieces_;
};

Result get_attribute(const MemoryPool&, int attribute, void* value);
Result set_attribute(MemoryPool&, int attribute, const void* value);

}  // namespace sassim::cuda
