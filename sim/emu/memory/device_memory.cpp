// SPDX-License-Identifier: Apache-2.0
// Allocates, maps and copies the memory of a simulated GPU, in address space that the host reserves for it.
#include "sim/emu/memory/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "sim/base/host_maps.h"
#include "sim/emu/memory/address_space.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kHeapUnit = 16, kSmall = 1u << 20, kPage = DeviceMemory::kPageBytes;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

/// The address behind an allocation; one of 0 bytes counts as a byte, so that it lies in a page.
std::uint64_t end_of(const Allocation& piece) { return piece.address + std::max<std::uint64_t>(piece.bytes, 1); }

/// The lowest address that the next allocation may have. CUDA's driver places small allocations without gaps and never
/// in one page with a large one (measured: validation/measured/h200/launches.md#allocations). The placement decides
/// which L2 slices a table of 1 KiB lies in.
std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  if (bytes > kSmall) return round_up(address + bytes + kGuardBytes, kPage);
  return round_up(address + std::max<std::uint64_t>(bytes, 1), 512);
}

/// Reserves address space that cannot be accessed yet.
std::byte* reserve(std::uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

/// Memory of the driver below the first allocation: on an H200 kernels can read and write at least 64 MiB there
/// (validation/measured/h200/launches.md#allocations).
constexpr std::uint64_t kDriverBytes = 2 * kPage;

constexpr std::uint64_t kCodeAlignment = 128;

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t capacity, std::uint64_t code_start, unsigned device)
    : device_(device),
      heap_(heap_base(device)),
      lowest_(heap_ - kDriverBytes),
      capacity_(capacity),
      code_start_(code_start),
      next_(heap_),
      next_code_(kCodeBase + code_start) {
  // Reserves address space only, which costs nothing. It is larger than the capacity because large allocations take
  // whole pages. If the host limits address space (ulimit -v), at most half of the limit is reserved.
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 36;
  const std::uint64_t wanted = std::min(kDeviceSpan - kDriverBytes, std::max(kLeast, round_up(4 * capacity, kPage)));
  base_ = emu::reserve(wanted);
  if (base_) reserved_ = wanted;
  for (std::uint64_t most = wanted / 2; !base_ && most >= 2 * kPage; most /= 2) {
    base_ = emu::reserve(most);
    reserved_ = most / 2;
    if (base_) munmap(base_ + reserved_, most - reserved_);
  }
  open(heap_);
}

DeviceMemory::~DeviceMemory() {
  if (base_) munmap(base_, reserved_);
}

std::byte* DeviceMemory::at(std::uint64_t address) const { return base_ + (address - lowest_); }

/// Makes everything below `end` accessible; false when the host has no memory for it.
bool DeviceMemory::open(std::uint64_t end) {
  const std::uint64_t wanted = round_up(end - lowest_, kPage);
  if (wanted > reserved_) return false;
  if (wanted <= open_) return true;
  if (mprotect(base_ + open_, wanted - open_, PROT_READ | PROT_WRITE) != 0) return false;
  open_ = wanted;
  return true;
}

/// Fills a range with zeros; whole host pages in it are returned to the host.
void DeviceMemory::clear(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t first = round_up(address, kHostPage), last = (address + bytes) / kHostPage * kHostPage;
  if (first >= last || madvise(at(first), last - first, MADV_DONTNEED) != 0) {
    std::memset(at(address), 0, bytes);
    return;
  }
  std::memset(at(address), 0, first - address);
  std::memset(at(last), 0, address + bytes - last);
}

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  ++version_;
  if (bytes > capacity_ - used_) return 0;
  // As on an H200 (validation/measured/h200/launches.md#allocations), an allocation above 1 MiB begins a page, and
  // smaller ones share a page.
  const std::uint64_t least = bytes > kSmall ? kPage : 256;
  const std::uint64_t address = place(bytes, std::max(alignment, least));
  if (!open(address + std::max<std::uint64_t>(bytes, 1))) {
    give_back(address, end_of(address, bytes));
    return 0;
  }
  clear(address, bytes);
  used_ += bytes;
  allocations_[address] = Allocation{.address = address, .bytes = bytes, .host = at(address), .owned = true};
  return address;
}

/// Takes the lowest free addresses that fit, as CUDA does: an allocation after a free reuses the freed addresses, whose
/// lines may still be in the caches.
std::uint64_t DeviceMemory::place(std::uint64_t bytes, std::uint64_t alignment) {
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    const auto [begin, end] = *gap;
    const std::uint64_t address = round_up(begin, alignment), after = end_of(address, bytes);
    if (after > end) continue;
    gaps_.erase(gap);
    if (address > begin) gaps_[begin] = address;
    if (after < end) gaps_[after] = end;
    return address;
  }
  const std::uint64_t address = round_up(next_, alignment);
  if (address > next_) gaps_[next_] = address;
  next_ = end_of(address, bytes);
  return address;
}

void DeviceMemory::give_back(std::uint64_t begin, std::uint64_t end) {
  auto after = gaps_.upper_bound(begin);
  if (after != gaps_.end() && after->first == end) {
    end = after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin() && std::prev(after)->second == begin) {
    begin = std::prev(after)->first;
    gaps_.erase(std::prev(after));
  }
  if (end == next_)
    next_ = begin;
  else
    gaps_[begin] = end;
}

bool DeviceMemory::free(std::uint64_t address) {
  ++version_;
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.owned || found->second.heap || found->second.exposed) return false;
  used_ -= found->second.bytes;
  give_back(address, end_of(address, found->second.bytes));
  clear(address, found->second.bytes);
  allocations_.erase(found);
  last_.store(nullptr, std::memory_order_relaxed);
  return true;
}

std::uint64_t DeviceMemory::allocate_on_heap(std::uint64_t bytes, std::uint64_t limit) {
  const std::uint64_t taken = round_up(bytes, kHeapUnit);
  if (taken < bytes || taken > limit || heap_used_ > limit - taken) return 0;
  const std::uint64_t address = allocate(bytes, kHeapUnit);
  if (address == 0) return 0;
  heap_used_ += taken;
  allocations_[address].heap = true;
  return address;
}

bool DeviceMemory::free_on_heap(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || !found->second.heap) return false;
  heap_used_ -= round_up(found->second.bytes, kHeapUnit);
  found->second.heap = false;
  return free(address);
}

void DeviceMemory::map_host(void* host, std::uint64_t bytes, HostPlace place) {
  ++version_;
  const auto begin = reinterpret_cast<std::uint64_t>(host);
  const std::uint64_t address = place == HostPlace::fixed ? begin : host_pieces_.add(begin, bytes, place).address;
  allocations_[address] = Allocation{.address = address, .bytes = bytes, .host = static_cast<std::byte*>(host)};
  last_.store(nullptr, std::memory_order_relaxed);
}

void DeviceMemory::map_driver(std::uint64_t address, std::byte* memory, std::uint64_t bytes) {
  ++version_;
  allocations_[address] = Allocation{.address = address, .bytes = bytes, .host = memory};
  last_.store(nullptr, std::memory_order_relaxed);
}

void DeviceMemory::alias_host(const void* host, std::uint64_t address, std::uint64_t bytes) {
  ++version_;
  host_pieces_.add_alias(reinterpret_cast<std::uint64_t>(host), bytes, address);
}

bool DeviceMemory::unmap_host(void* host) {
  ++version_;
  const auto place = reinterpret_cast<std::uint64_t>(host);
  const auto found = allocations_.find(host_pieces_.remove(place).value_or(place));
  if (found == allocations_.end() || found->second.owned) return false;
  allocations_.erase(found);
  last_.store(nullptr, std::memory_order_relaxed);
  return true;
}

void DeviceMemory::limit_host(void* host, std::vector<HostGap> gaps) {
  ++version_;
  const auto place = reinterpret_cast<std::uint64_t>(host);
  host_pieces_.set_gaps(place, std::move(gaps));
  const HostPieces::Piece& piece = *host_pieces_.at_host(place);
  allocations_.at(piece.address).gaps = piece.gaps.empty() ? nullptr : &piece.gaps;
}

const HostGap* DeviceMemory::gap(const Allocation& piece, std::uint64_t address, std::uint64_t bytes, bool write) {
  if (!piece.gaps) return nullptr;
  const std::uint64_t begin = address - piece.address;
  for (const HostGap& gap : *piece.gaps)
    if (begin < gap.end && begin + bytes > gap.begin && (write || !gap.readable)) return &gap;
  return nullptr;
}

std::uint64_t DeviceMemory::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t address = place(bytes, std::max(alignment, kPage));
  if (open(address + bytes)) return address;
  give_back(address, end_of(address, bytes));
  return 0;
}
void DeviceMemory::unreserve(std::uint64_t address, std::uint64_t bytes) { give_back(address, end_of(address, bytes)); }

bool DeviceMemory::take(std::uint64_t bytes) {
  if (bytes > capacity_ - used_) return false;
  used_ += bytes;
  return true;
}

bool DeviceMemory::attach(std::uint64_t address, std::byte* memory, std::uint64_t bytes) {
  ++version_;
  // A move of 0 bytes of shared memory makes a second mapping of it.
  if (mremap(memory, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at(address)) == MAP_FAILED) return false;
  attached_[address] = bytes;
  return true;
}
void DeviceMemory::detach(std::uint64_t address) {
  ++version_;
  const auto found = attached_.find(address);
  if (found == attached_.end()) return;
  if (mmap(at(address), found->second, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
           -1, 0) == MAP_FAILED)
    throw std::bad_alloc();
  attached_.erase(found);
}

void DeviceMemory::expose(std::uint64_t address, std::uint64_t bytes) {
  ++version_;
  allocations_[address] =
      Allocation{.address = address, .bytes = bytes, .host = at(address), .owned = true, .exposed = true};
  last_.store(nullptr, std::memory_order_relaxed);
}
void DeviceMemory::hide(std::uint64_t address) {
  ++version_;
  allocations_.erase(address);
  last_.store(nullptr, std::memory_order_relaxed);
}

void DeviceMemory::reset() {
  ++version_;
  while (!attached_.empty()) detach(attached_.begin()->first);
  clear(lowest_, open_);
  if (all_.empty()) {
    allocations_.clear();
    host_pieces_.clear();
  } else {
    std::erase_if(allocations_, [](const auto& entry) { return entry.second.owned; });
    host_pieces_.remove_aliases();
  }
  gaps_.clear();
  open_peers_ = 0;
  used_ = heap_used_ = 0;
  next_ = heap_;
  next_code_ = kCodeBase + code_start_;
  last_.store(nullptr, std::memory_order_relaxed);
}

std::uint64_t DeviceMemory::reserve_code(std::uint64_t bytes) {
  const std::uint64_t address = next_code_;
  next_code_ = round_up(address + bytes, kCodeAlignment);
  return address;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  return &std::prev(after)->second;
}

const Allocation* DeviceMemory::next(std::uint64_t address) const {
  const auto after = allocations_.upper_bound(address);
  return after == allocations_.end() ? nullptr : &after->second;
}

/// The end of the mapped pages of an allocation. On an H200 large allocations are adjacent; here an unused page may
/// separate them. That page is mapped too, but a write past the end of one allocation does not change the next.
std::uint64_t DeviceMemory::mapped_end(const Allocation& piece) const {
  const std::uint64_t end = round_up(end_of(piece), kPage), guarded = end_of(piece.address, piece.bytes);
  const Allocation* above = next(piece.address);
  return guarded > end && above && above->owned && above->address < guarded + kPage ? guarded : end;
}

/// Whether any allocation lies in the page at this address.
bool DeviceMemory::page_is_mapped(std::uint64_t page) const {
  const auto after = allocations_.lower_bound(page);
  if (after != allocations_.end() && after->second.owned && after->first < page + kPage) return true;
  if (after == allocations_.begin()) return false;
  const Allocation& below = std::prev(after)->second;
  return below.owned && mapped_end(below) > page;
}

void DeviceMemory::open_allocation(std::uint64_t address, std::uint32_t devices) {
  ++version_;
  if (const auto found = allocations_.find(address); found != allocations_.end()) found->second.open_to = devices;
}

/// The memory of another device in which kernels of this one may access an address; nullptr: none.
const DeviceMemory* DeviceMemory::peer_with(std::uint64_t address, std::uint64_t bytes) const {
  const unsigned device = device_of(address);
  if (device == device_ || device >= all_.size()) return nullptr;
  const DeviceMemory* peer = all_[device];
  if (peer_is_open(device)) return peer;
  const Allocation* piece = peer->find(address, bytes);
  return piece && (piece->open_to >> device_ & 1u) != 0 ? peer : nullptr;
}

std::byte* DeviceMemory::mapped(std::uint64_t address, std::uint64_t bytes) const {
  if (const DeviceMemory* peer = peer_with(address, bytes)) return peer->mapped(address, bytes);
  if (bytes == 0 || address < lowest_ || address > lowest_ + open_ || bytes > lowest_ + open_ - address)
    return host(address, bytes);
  for (std::uint64_t page = address / kPage * kPage; page < address + bytes; page += kPage)
    if (page >= heap_ && !page_is_mapped(page)) return nullptr;
  return at(address);
}

std::optional<Allocation> DeviceMemory::region(std::uint64_t address, std::uint64_t bytes) const {
  if (const DeviceMemory* peer = peer_with(address, bytes)) return peer->region(address, bytes);
  if (!mapped(address, bytes)) return std::nullopt;
  const Allocation *below = nearest(address), *above = next(address);
  if (below && !below->owned && below->contains(address, bytes))
    return *below;  // mapped host memory ends exactly at its size
  const std::uint64_t page = address / kPage * kPage;
  const bool behind = below && below->owned && mapped_end(*below) > address;
  std::uint64_t begin = behind ? below->address : page;
  std::uint64_t end = behind ? mapped_end(*below) : page + kPage;
  if (address < heap_) begin = lowest_, end = heap_;
  if (above && above->owned) end = std::min(end, above->address);
  const Allocation whole{.address = begin, .bytes = end - begin, .host = at(begin), .owned = true};
  return whole.contains(address, bytes) ? std::optional(whole) : std::nullopt;
}

void DeviceMemory::for_each_region(const std::function<void(const Allocation&)>& visit) const {
  if (const auto driver = region(lowest_, 1)) visit(*driver);
  std::uint64_t done = heap_;
  for (const auto& [address, allocation] : allocations_) {
    if (!allocation.owned) {
      visit(allocation);
      continue;
    }
    const std::uint64_t page = address / kPage * kPage;
    if (done < address && page < address)
      if (const auto leading = region(std::max(done, page), 1)) visit(*leading);
    const Allocation whole = *region(address, 1);
    visit(whole);
    done = whole.address + whole.bytes;
  }
}

const Allocation* DeviceMemory::find_slow(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* below = nearest(address);
  if (!below || !below->contains(address, bytes)) {
    const DeviceMemory* peer = peer_with(address, bytes);
    return peer ? peer->find(address, bytes) : nullptr;
  }
  last_.store(below, std::memory_order_relaxed);
  return below;
}

bool DeviceMemory::read(std::uint64_t address, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return true;
  const std::byte* from = host(address, bytes);
  if (from) std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool DeviceMemory::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  ++version_;
  if (bytes == 0) return true;
  std::byte* to = host(address, bytes);
  if (to) std::memcpy(to, from, bytes);
  return to != nullptr;
}

bool DeviceMemory::fill(std::uint64_t address, std::uint8_t value, std::uint64_t bytes) {
  ++version_;
  if (bytes == 0) return true;
  std::byte* to = host(address, bytes);
  if (to) std::memset(to, value, bytes);
  return to != nullptr;
}

}  // namespace sassim::emu
