// SPDX-License-Identifier: Apache-2.0
// A simulated device's global memory: allocations with exact bounds in mapped pages, and host memory that kernels may
// access.
//
// As on an H200 (validation/measured/h200/launches.md#allocations), memory is mapped in pages of 2 MiB, and an
// allocation above 1 MiB begins a page. A kernel can read and write all of a page that holds any allocation, and the
// driver's memory below the first allocation. Bytes outside allocations are zero until a kernel writes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/emu/memory/address_space.h"
#include "sim/emu/memory/host_pieces.h"

namespace sassim::emu {

/// One contiguous piece of memory that kernels may access.
struct Allocation {
  std::uint64_t address = 0;                   ///< the address that kernels use
  std::uint64_t bytes = 0;                     ///< the size that the program asked for
  std::byte* host = nullptr;                   ///< the contents in the host's memory
  bool owned = false;                          ///< true: made by allocate(); false: mapped host memory
  bool heap = false;                           ///< made by malloc() in a kernel
  bool exposed = false;                        ///< made by expose()
  const std::vector<HostGap>* gaps = nullptr;  ///< of mapped host memory that kernels may not access like any other
  std::uint32_t open_to = 0;                   ///< bit n: kernels of device n may access it

  bool contains(std::uint64_t first, std::uint64_t size) const {
    return first >= address && size <= bytes && first - address <= bytes - size;
  }
};

/// Not thread-safe: the caller must serialise kernels, copies and allocations.
class DeviceMemory {
 public:
  /// `capacity`: bytes that can be allocated; beyond it cudaMalloc returns cudaErrorMemoryAllocation. `code_start`:
  /// offset of the first function from the start of the code addresses; other functions follow it. `device`: its
  /// number, which decides where its addresses begin.
  explicit DeviceMemory(std::uint64_t capacity = std::uint64_t{16} << 30, std::uint64_t code_start = 0x10000,
                        unsigned device = 0);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Returns the address of new memory, a multiple of `alignment`, or 0 when the capacity is used up. The contents are
  /// zero. Addresses depend only on the order of calls.
  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment = 256);
  /// False when `address` is not the start of an allocation that allocate() made.
  bool free(std::uint64_t address);
  /// malloc() in a kernel, from a heap of `limit` bytes; 0 when the heap is full. cudaFree() does not know these
  /// addresses.
  std::uint64_t allocate_on_heap(std::uint64_t bytes, std::uint64_t limit);
  bool free_on_heap(std::uint64_t address);
  /// Lets kernels access host memory (pinned, managed, registered) at its host address. The caller still owns the
  /// memory.
  void map_host(void* host, std::uint64_t bytes, HostPlace place = HostPlace::in_page);
  /// Makes an address of the host a second one of an allocation's memory.
  void alias_host(const void* host, std::uint64_t address, std::uint64_t bytes);
  bool unmap_host(void* host);
  /// The parts of mapped host memory that kernels may not access like any other; map_host() leaves none. Not of `fixed`
  /// memory.
  void limit_host(void* host, std::vector<HostGap> gaps);
  const HostPieces& host_pieces() const { return host_pieces_; }
  /// The simulated GPU's address for an address that the program has.
  std::uint64_t translate(std::uint64_t address) const {
    return host_pieces_.empty() ? address : host_pieces_.translate(address);
  }
  /// Lets kernels access memory of the driver at an address of its choice, outside of device memory.
  void map_driver(std::uint64_t address, std::byte* memory, std::uint64_t bytes);
  void unmap_driver(std::uint64_t address) { hide(address); }
  /// Where device memory begins: a multiple of kDeviceSpan.
  std::uint64_t base() const { return heap_; }
  // Addresses and memory apart from each other, in whole pages of kPageBytes.
  static constexpr std::uint64_t kPageBytes = 2u << 20;
  /// Reserves addresses that nothing can access; 0: none are left.
  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment);
  void unreserve(std::uint64_t address, std::uint64_t bytes);
  /// Counts memory that has no address yet as used; false when the capacity is used up.
  bool take(std::uint64_t bytes);
  void give(std::uint64_t bytes) { used_ -= bytes; }
  /// From now on the contents at reserved addresses are those of `memory`, which is shared memory of the host.
  bool attach(std::uint64_t address, std::byte* memory, std::uint64_t bytes);
  void detach(std::uint64_t address);
  /// Makes attached addresses an allocation, and what was one only addresses again.
  void expose(std::uint64_t address, std::uint64_t bytes);
  void hide(std::uint64_t address);

  // Memory of other devices of the process.
  /// `all`: the memory of each device, by number, which must stay.
  void meet(std::vector<DeviceMemory*> all) { all_ = std::move(all); }
  /// Whether kernels of this device may access all memory of another one.
  void open_peer(unsigned device, bool open) {
    open_peers_ = (open_peers_ & ~(1u << device)) | (open ? 1u << device : 0u);
  }
  bool peer_is_open(unsigned device) const { return (open_peers_ >> device & 1u) != 0; }
  /// Which devices may access an allocation, beside those to which all memory is open.
  void open_allocation(std::uint64_t address, std::uint32_t devices);

  /// Frees all allocations and, unless there are other devices, unmaps all host memory: memory is as in a new object.
  void reset();

  /// The allocation that holds all of [address, address + bytes), or nullptr. Fast for repeated hits on one allocation.
  /// Addresses are those of the simulated GPU, here and below.
  const Allocation* find(std::uint64_t address, std::uint64_t bytes = 1) const {
    const Allocation* last = last_.load(std::memory_order_relaxed);
    if (last && last->contains(address, bytes)) return last;
    return find_slow(address, bytes);
  }
  /// The contents at `address`, or nullptr when [address, address + bytes) is not inside one allocation or cannot be
  /// accessed, if only to read it where `write` is false.
  std::byte* host(std::uint64_t address, std::uint64_t bytes, bool write = false) const {
    const Allocation* found = find(address, bytes);
    if (found && found->gaps && gap(*found, address, bytes, write)) return nullptr;
    return found ? found->host + (address - found->address) : nullptr;
  }
  /// The part of [address, address + bytes) of an allocation that cannot be accessed, or not be written if `write` is
  /// true; nullptr: none.
  static const HostGap* gap(const Allocation&, std::uint64_t address, std::uint64_t bytes, bool write);
  /// The contents at `address` when [address, address + bytes) is in mapped pages, also beside and between allocations.
  std::byte* mapped(std::uint64_t address, std::uint64_t bytes) const;
  /// The region that holds all of [address, address + bytes), if any. Mapped memory consists of regions: an allocation
  /// with the unused bytes behind it, the unused bytes at the beginning of a page, or the driver's memory below the
  /// first page. Regions begin at multiples of 256.
  std::optional<Allocation> region(std::uint64_t address, std::uint64_t bytes) const;
  /// For messages. nearest(): the last allocation that begins at or below `address`; next(): the first one above it.
  const Allocation* nearest(std::uint64_t address) const;
  const Allocation* next(std::uint64_t address) const;

  /// Copies; false when the range is not inside one allocation.
  bool read(std::uint64_t address, void* to, std::uint64_t bytes) const;
  bool write(std::uint64_t address, const void* from, std::uint64_t bytes);
  bool fill(std::uint64_t address, std::uint8_t value, std::uint64_t bytes);

  /// Rises when allocations or contents may have changed: with the calls of this class that change them, and with
  /// changed(), which those call who write through host(), kernels included.
  std::uint64_t version() const {
    std::uint64_t sum = version_;
    for (const DeviceMemory* other : all_) sum += other == this ? 0 : other->version_;
    return sum;
  }
  void changed() { ++version_; }

  /// Reserves code addresses, which function pointers hold and instruction caches see. Kernels cannot read them.
  std::uint64_t reserve_code(std::uint64_t bytes);

  /// Visits every region and every mapped piece of host memory, by rising address.
  void for_each_region(const std::function<void(const Allocation&)>& visit) const;

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t place(std::uint64_t bytes, std::uint64_t alignment);
  void give_back(std::uint64_t begin, std::uint64_t end);
  const Allocation* find_slow(std::uint64_t address, std::uint64_t bytes) const;
  bool open(std::uint64_t end);
  void clear(std::uint64_t address, std::uint64_t bytes);
  std::byte* at(std::uint64_t address) const;
  bool page_is_mapped(std::uint64_t page) const;
  std::uint64_t mapped_end(const Allocation&) const;
  const DeviceMemory* peer_with(std::uint64_t address, std::uint64_t bytes) const;

  const unsigned device_;
  const std::uint64_t heap_, lowest_;            ///< addresses: of the first allocation, and of the first byte
  std::vector<DeviceMemory*> all_;               ///< of all devices; empty: there is one
  std::uint32_t open_peers_ = 0;                 ///< bit n: kernels may access all memory of device n
  std::byte* base_ = nullptr;                    ///< the contents from lowest_ on
  std::uint64_t reserved_ = 0;                   ///< address space behind base_
  std::uint64_t open_ = 0;                       ///< bytes of it that can be accessed
  std::map<std::uint64_t, std::uint64_t> gaps_;  ///< free ranges below next_, begin to end; no two are adjacent
  std::uint64_t capacity_, code_start_, used_ = 0, heap_used_ = 0, next_, next_code_, version_ = 0;
  std::map<std::uint64_t, Allocation> allocations_;
  HostPieces host_pieces_;
  std::map<std::uint64_t, std::uint64_t> attached_;        ///< bytes by address
  mutable std::atomic<const Allocation*> last_ = nullptr;  ///< atomic: several threads may call find()
};

}  // namespace sassim::emu
