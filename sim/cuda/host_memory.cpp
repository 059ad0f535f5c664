// SPDX-License-Identifier: Apache-2.0
// Maps memory for cudaHostAlloc and cudaMallocManaged, and lists what cudaHostRegister registers.
#include "sim/cuda/host_memory.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>

#include "sim/cuda/host_gaps.h"
#include "sim/cuda/host_place.h"

namespace sassim::cuda {

namespace {

/// Pinned memory lies in the host's memory: there cannot be more of it.
std::uint64_t memory_of_the_host() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return ~std::uint64_t{0};
  return (std::uint64_t{info.totalram} + info.totalswap) * info.mem_unit;
}

const std::byte* end_of(const void* pointer, std::size_t bytes) {
  return static_cast<const std::byte*>(pointer) + bytes;
}

}  // namespace

void* HostMemory::allocate(std::size_t bytes, Kind kind, unsigned flags, unsigned device) {
  if (bytes > memory_of_the_host()) return nullptr;
  const std::size_t mapped = (bytes + kHostPage - 1) / kHostPage * kHostPage;
  void* const wanted = reinterpret_cast<void*>(next_);
  void* got = mmap(wanted, mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  // If the address is taken, for example by the shadow memory of a sanitizer, any address is used.
  if (got == MAP_FAILED)
    got = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  next_ += mapped + kHostPage;  // an unmapped page after each piece detects overruns
  pieces_[got] = {bytes, mapped, kind, flags, false, device};
  for (emu::DeviceMemory* memory : devices_)
    memory->map_host(got, bytes, got == wanted ? emu::HostPlace::fixed : emu::HostPlace::in_page);
  return got;
}

bool HostMemory::free(void* pointer, Kind kind) {
  auto found = pieces_.find(pointer);
  if (found == pieces_.end() || found->second.kind != kind) return false;
  unmap(pointer);
  munmap(pointer, found->second.mapped);
  pieces_.erase(found);
  return true;
}

Result HostMemory::add(void* pointer, std::size_t bytes, unsigned flags, unsigned device) {
  constexpr unsigned kKnown = kHostPortable | kHostMapped | kHostReadOnly;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!pointer || bytes == 0 || (flags & ~kKnown) != 0 || address + bytes < address) return kInvalidValue;
  for (const emu::DeviceMemory* memory : devices_)
    if (memory->find(address)) return kInvalidValue;  // device memory, also by a second address
  const auto above = pieces_.lower_bound(end_of(pointer, bytes));
  if (above != pieces_.begin()) {
    const auto& [begin, piece] = *std::prev(above);
    if (end_of(begin, piece.bytes) > pointer)
      return piece.kind == Kind::registered ? kHostMemoryAlreadyRegistered : kInvalidValue;
  }
  const bool read_only = (flags & kHostReadOnly) != 0;
  const HostMaps maps = host_maps();
  for (const emu::HostGap& gap : host_gaps(maps, pointer, bytes))
    if (!gap.readable || !read_only) return kInvalidValue;
  for (emu::DeviceMemory* memory : devices_) memory->map_host(pointer, bytes, host_place(maps, pointer));
  const Piece& piece = pieces_[pointer] = {bytes, 0, Kind::registered, flags, mark_pages(pointer, bytes, true), device};
  ++registered_;
  limit(maps, pointer, piece);
  return kSuccess;
}

Result HostMemory::remove(void* pointer) {
  const auto found = pieces_.find(pointer);
  if (found == pieces_.end()) return find(pointer) ? kInvalidValue : kHostMemoryNotRegistered;
  if (found->second.kind != Kind::registered) return kInvalidValue;
  release(pointer, found->second);
  pieces_.erase(found);
  mark_again();
  --registered_;
  return kSuccess;
}

const HostMemory::Piece* HostMemory::find(const void* pointer) const {
  auto after = pieces_.upper_bound(pointer);
  if (after == pieces_.begin()) return nullptr;
  const auto& [start, piece] = *std::prev(after);
  return pointer < end_of(start, piece.bytes) ? &piece : nullptr;
}

void HostMemory::unmap(void* pointer) {
  for (emu::DeviceMemory* memory : devices_) memory->unmap_host(pointer);
}

void HostMemory::limit_on_all(void* pointer, const std::vector<emu::HostGap>& gaps) {
  for (emu::DeviceMemory* memory : devices_) memory->limit_host(pointer, gaps);
}

void HostMemory::limit(const HostMaps& maps, void* pointer, const Piece& piece) {
  std::vector<emu::HostGap> gaps = host_gaps(maps, pointer, piece.bytes);
  if ((piece.flags & kHostReadOnly) != 0) {
    std::erase_if(gaps, [](const emu::HostGap& gap) { return gap.readable; });
    gaps.push_back({0, piece.bytes, true});  // behind those that cannot be read
  }
  limit_on_all(pointer, gaps);
}

void HostMemory::look() {
  if (registered_ == 0) return;
  const HostMaps maps = host_maps();
  std::map<const void*, std::size_t> marked;
  for (const auto& [pointer, piece] : pieces_)
    if (piece.marked) marked[pointer] = piece.bytes;
  for (const auto& [pointer, piece] : pieces_)
    if (piece.kind == Kind::registered) limit(maps, const_cast<void*>(pointer), piece);
  for (const void* pointer : replaced(maps, marked))
    limit_on_all(const_cast<void*>(pointer), {{0, marked.at(pointer), false}});
}

void HostMemory::release(void* pointer, const Piece& piece) {
  unmap(pointer);
  if (piece.mapped != 0) munmap(pointer, piece.mapped);
  if (piece.marked) mark_pages(pointer, piece.bytes, false);
}

/// Pieces may share pages with one whose pages are no longer marked.
void HostMemory::mark_again() {
  for (auto& [pointer, piece] : pieces_)
    if (piece.marked) piece.marked = mark_pages(const_cast<void*>(pointer), piece.bytes, true);
}

void HostMemory::reset() {
  for (const auto& [pointer, piece] : pieces_) release(const_cast<void*>(pointer), piece);
  pieces_.clear();
  registered_ = 0;
  next_ = emu::kPinnedBase;
}

void HostMemory::reset(unsigned device) {
  const bool is_all =
      std::all_of(pieces_.begin(), pieces_.end(), [&](const auto& entry) { return entry.second.device == device; });
  if (is_all) return reset();
  for (const auto& [pointer, piece] : pieces_) {
    if (piece.device != device) continue;
    registered_ -= piece.kind == Kind::registered;
    release(const_cast<void*>(pointer), piece);
  }
  std::erase_if(pieces_, [&](const auto& entry) { return entry.second.device == device; });
  mark_again();
}

}  // namespace sassim::cuda
