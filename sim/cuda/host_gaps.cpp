// SPDX-License-Identifier: Apache-2.0
// Finds pages of registered host memory that are gone or protected: accesses would crash.
#include "sim/cuda/host_gaps.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sassim::cuda {
namespace {

/// A file may end before its mapping does: behind its last page, accesses end the process.
bool page_exists(std::uint64_t page) {
  char byte = 0;
  const iovec to{&byte, 1}, from{reinterpret_cast<void*>(page), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

class Gaps {
 public:
  explicit Gaps(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}
  void add(std::uint64_t from, std::uint64_t to, bool readable) {
    from = std::max(from, begin_), to = std::min(to, end_);
    if (from >= to) return;
    if (!gaps_.empty() && gaps_.back().end == from - begin_ && gaps_.back().readable == readable)
      gaps_.back().end = to - begin_;
    else
      gaps_.push_back({from - begin_, to - begin_, readable});
  }
  std::vector<emu::HostGap> take() { return std::move(gaps_); }

 private:
  std::uint64_t begin_, end_;
  std::vector<emu::HostGap> gaps_;
};

std::uint64_t page_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer) / kHostPage * kHostPage; }
std::uint64_t page_end(const void* pointer, std::size_t bytes) {
  return (reinterpret_cast<std::uint64_t>(pointer) + bytes + kHostPage - 1) / kHostPage * kHostPage;
}

}  // namespace

/// Core dumps leave marked pages out. The system keeps pages of different properties in different mappings.
bool mark_pages(void* pointer, std::size_t bytes, bool marked) {
  const std::uint64_t first = page_of(pointer);
  return madvise(reinterpret_cast<void*>(first), page_end(pointer, bytes) - first,
                 marked ? MADV_DONTDUMP : MADV_DODUMP) == 0;
}

/// A mapping begins and one ends wherever a run of marked pages does, as long as the pages are those that were marked.
std::vector<const void*> replaced(const HostMaps& maps, const std::map<const void*, std::size_t>& pieces) {
  std::vector<const void*> gone;
  const auto is_edge = [&](std::uint64_t at) {
    return std::any_of(maps.begin(), maps.end(), [&](const HostMap& map) { return map.begin == at || map.end == at; });
  };
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const std::uint64_t begin = page_of(piece->first);
    std::uint64_t end = begin;
    const auto first = piece;
    for (; piece != pieces.end() && (piece == first || page_of(piece->first) <= end); ++piece)
      end = std::max(end, page_end(piece->first, piece->second));
    if (maps.empty() || (is_edge(begin) && is_edge(end))) continue;
    for (auto each = first; each != piece; ++each) gone.push_back(each->first);
  }
  return gone;
}

std::vector<emu::HostGap> host_gaps(const HostMaps& maps, const void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(pointer), end = begin + bytes;
  const std::uint64_t first = begin / kHostPage * kHostPage;
  Gaps gaps(begin, end);
  if (maps.empty()) {  // no /proc: the system says at least whether all of it is mapped
    if (msync(reinterpret_cast<void*>(first), end - first, MS_ASYNC) != 0 && errno == ENOMEM)
      gaps.add(begin, end, false);
    return gaps.take();
  }
  std::uint64_t done = begin;
  for (const HostMap& map : maps) {
    if (map.end <= begin || map.begin >= end) continue;
    gaps.add(done, map.begin, false);
    done = map.end;
    if (!map.readable || !map.writable) {
      gaps.add(map.begin, map.end, map.readable);
      continue;
    }
    if (map.file)
      for (std::uint64_t page = std::max(map.begin, first); page < std::min(map.end, end); page += kHostPage)
        if (!page_exists(page)) gaps.add(page, page + kHostPage, false);
  }
  gaps.add(done, end, false);
  return gaps.take();
}

}  // namespace sassim::cuda
