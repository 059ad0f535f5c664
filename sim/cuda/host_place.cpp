// SPDX-License-Identifier: Apache-2.0
// Finds out whether an address is on a stack or heap, which the system moves from run to run.
#include "sim/cuda/host_place.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace sassim::cuda {
namespace {

/// glibc gives threads heaps of their own, each at a multiple of this size, with this header.
constexpr std::uint64_t kThreadHeap = std::uint64_t{64} << 20;
struct ThreadHeap {
  std::uint64_t arena, previous, bytes;
};

const HostMap* map_of(const HostMaps& maps, std::uint64_t address) {
  const auto found =
      std::ranges::find_if(maps, [address](const HostMap& map) { return map.begin <= address && address < map.end; });
  return found == maps.end() ? nullptr : &*found;
}

bool in_thread_heap(const HostMaps& maps, std::uint64_t address) {
  const std::uint64_t begin = address / kThreadHeap * kThreadHeap;
  const HostMap* const map = map_of(maps, begin);
  if (map == nullptr || !map->readable || !map->writable || map->file) return false;
  ThreadHeap heap{};
  // Whose memory this is, is not known: the system reads it, or does not.
  const iovec to{&heap, sizeof heap}, from{reinterpret_cast<void*>(begin), sizeof heap};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(sizeof heap)) return false;
  return heap.arena != 0 && heap.bytes % kHostPage == 0 && heap.bytes <= kThreadHeap && address - begin < heap.bytes;
}

/// Marked pages of the stack (host_gaps.h) are mappings of their own, below the one that the system names.
bool in_stack(const HostMaps& maps, std::uint64_t address) {
  const HostMap* map = map_of(maps, address);
  if (map == nullptr) return false;
  for (const HostMap* const end = maps.data() + maps.size(); map + 1 != end && !map->stack; ++map)
    if (map[1].begin != map->end) return false;
  return map->stack;
}

}  // namespace

emu::HostPlace host_place(const HostMaps& maps, const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const HostMap* const map = map_of(maps, address);
  const bool moves = map != nullptr && (map->heap || in_stack(maps, address) || in_thread_heap(maps, address));
  return moves ? emu::HostPlace::in_heap : emu::HostPlace::in_page;
}

}  // namespace sassim::cuda
