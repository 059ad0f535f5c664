// SPDX-License-Identifier: Apache-2.0
// Records which block reads and writes each sector while blocks run in turns; undoes the launch if it must be repeated.
#include "sim/emu/order/sharing_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sassim::emu {
namespace {

constexpr std::uint32_t kSeveral = ~0u;

/// Adds `block` to those that touched a sector.
void join(std::uint32_t& who, std::uint32_t block) {
  if (who != block) who = who == 0 ? block : kSeveral;
}

bool is_other(std::uint32_t who, std::uint32_t block) { return who != 0 && who != block; }

}  // namespace

SharingWatch::Watched::Watched(const Allocation& watched)
    : region(watched), kept((watched.bytes + kPage - 1) / kPage) {}

SharingWatch::Watched* SharingWatch::find(const DeviceMemory& memory, std::uint64_t address, std::uint64_t bytes) {
  const Allocation* allocation = memory.find(address, bytes);
  if (allocation) {
    Watched* const recent = recent_[allocation->address / 512 % recent_.size()];
    if (recent && recent->region.address == allocation->address) return recent;
  }
  const std::optional<Allocation> region = memory.region(address, bytes);
  if (!region || region->gaps) return nullptr;
  std::unique_ptr<Watched>& entry = watched_[region->address];
  if (!entry) entry = std::make_unique<Watched>(*region);
  recent_[region->address / 512 % recent_.size()] = entry.get();
  Watched* const recent = entry.get();
  return recent;
}

void SharingWatch::mark(Watched& watched, const Access& access) {
  watched.loaded |= access.load;
  watched.stored |= access.store;
  if (!watched.loaded || !watched.stored || watched.by_sector) return;
  watched.by_sector = true;
  throw StartAgain{};
}

void SharingWatch::keep(Watched& watched, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t page = first / kPage; page <= last / kPage; ++page) {
    if (watched.kept[page]) continue;
    watched.kept[page] = true;
    Page& copy = pages_.emplace_back();
    copy.host = watched.region.host + page * kPage;
    copy.bytes = std::min(kPage, watched.region.bytes - page * kPage);
    std::memcpy(copy.content.data(), copy.host, copy.bytes);
  }
}

void SharingWatch::touch(Watched& watched, std::uint32_t block, std::uint64_t first, std::uint64_t last, bool load,
                         bool store) {
  if (store) keep(watched, first, last);
  if (!watched.by_sector) return;
  for (std::uint64_t sector = first / kSector; sector <= last / kSector; ++sector) {
    std::unique_ptr<Sectors>& page = watched.sectors[sector * kSector / kPage];
    if (!page) page = std::make_unique<Sectors>();
    Touch& touch = (*page)[sector % page->size()];
    met_ = met_ || (load && is_other(touch.writer, block)) || (store && is_other(touch.reader, block));
    if (load) join(touch.reader, block);
    if (store) join(touch.writer, block);
  }
  if (met_ && must_not_meet_) throw OrderMatters{};
  given_up_ = met_;
}

void SharingWatch::access(const DeviceMemory& memory, BlockId id, const Access& access) {
  if (given_up_) return;
  const auto block = static_cast<std::uint32_t>(id.value + 1);
  Watched* const all = find(memory, access.first, access.end - access.first);
  if (all) {
    mark(*all, access);
    if (!access.store && !all->by_sector) return;
    if (access.end - access.first <= std::uint64_t{access.bytes} * static_cast<unsigned>(std::popcount(access.lanes))) {
      const std::uint64_t first = access.first - all->region.address;
      return touch(*all, block, first, first + (access.end - access.first) - 1, access.load, access.store);
    }
  }
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses.v[first_lane(rest)];
    Watched* const watched = all ? all : find(memory, address, access.bytes);
    if (!watched) return;
    mark(*watched, access);
    const std::uint64_t first = address - watched->region.address;
    touch(*watched, block, first, first + access.bytes - 1, access.load, access.store);
    if (given_up_) return;
  }
}

void SharingWatch::give_up() {
  given_up_ = true;
  pages_.clear();
  watched_.clear();
}

void SharingWatch::undo() {
  for (const Page& page : pages_) std::memcpy(page.host, page.content.data(), page.bytes);
  pages_.clear();
  printed_.clear();
  for (auto& [address, watched] : watched_) {
    std::fill(watched->kept.begin(), watched->kept.end(), false);
    watched->sectors.clear();
    if (watched->by_sector) watched->sectors.resize(watched->kept.size());
  }
}

}  // namespace sassim::emu
