// SPDX-License-Identifier: Apache-2.0
// The driver's virtual memory (cuMemAddressReserve, cuMemMap): the program reserves addresses, creates memory, and maps
// the one to the other, more than once if it wants.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "sim/cuda/session.h"

namespace sassim::cuda {

/// CUmemAllocationProp
struct MemoryProperties {
  int type, handles, place, device;
  void* windows;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};
static_assert(sizeof(MemoryProperties) == 32);

/// CUmemAccess_flags
enum MemoryAccess : int { kNoAccess = 0, kReadAccess = 1, kReadWriteAccess = 3 };

class VirtualMemory {
 public:
  static VirtualMemory& get();

  Result reserve(Session&, std::uint64_t* address, std::size_t bytes, std::size_t alignment);
  Result unreserve(Session&, std::uint64_t address, std::size_t bytes);
  Result create(Session&, std::uint64_t* handle, std::size_t bytes, const MemoryProperties&);
  Result release(Session&, std::uint64_t handle);
  Result retain(std::uint64_t* handle, std::uint64_t address);
  Result properties(std::uint64_t handle, MemoryProperties&) const;
  Result map(Session&, std::uint64_t address, std::size_t bytes, std::size_t offset, std::uint64_t handle);
  Result unmap(Session&, std::uint64_t address, std::size_t bytes);
  Result set_access(Session&, std::uint64_t address, std::size_t bytes, unsigned device, MemoryAccess);
  Result access(std::uint64_t address, unsigned device, MemoryAccess&) const;
  /// After a reset of the device at work, nothing is reserved or created on it.
  void release_all(const Session&);

 private:
  /// Memory without an address: shared memory of the host, without a file, because a program may close all files.
  struct Physical {
    std::byte* memory;
    std::size_t bytes;
    unsigned handles = 1;  ///< that the program has
    MemoryProperties properties;
    ~Physical();
  };
  struct Mapping {
    std::size_t bytes;
    std::uint64_t handle;
    std::shared_ptr<Physical> physical;
    std::uint32_t open_to = 0;  ///< bit n: kernels of device n may access it
  };
  using Mappings = std::map<std::uint64_t, Mapping>;

  /// The mappings that fill a range; empty if others lie across its ends or a part of it has none.
  std::pair<Mappings::iterator, Mappings::iterator> filling(std::uint64_t address, std::size_t bytes);
  std::map<std::uint64_t, std::size_t>::iterator reservation(std::uint64_t address, std::size_t bytes);
  void expose_again(Session&, std::uint64_t address);
  void give_back_unused(Session&);

  std::map<std::uint64_t, std::size_t> reserved_;
  std::map<std::uint64_t, std::shared_ptr<Physical>> physical_;  ///< by handle
  Mappings mappings_;
  std::vector<std::uint64_t> exposed_;
  std::uint64_t next_handle_ = 1;
};

}  // namespace sassim::cuda
