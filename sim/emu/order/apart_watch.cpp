// SPDX-License-Identifier: Apache-2.0
// Records which block reads and writes each sector while blocks run on several threads; undoes the launch if they meet.
#include "sim/emu/order/apart_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace sassim::emu {

namespace {

constexpr std::uint64_t kPage = 4096, kSector = 32;
constexpr std::uint32_t kSeveral = ~0u;
/// Stands for all blocks where they reduce: their reductions meet only those who read or write.
constexpr std::uint32_t kReducers = ~0u - 1;

/// Who touched a sector: blocks from 1, 0: none yet.
struct Touch {
  std::atomic<std::uint32_t> reader = 0, writer = 0;
  std::atomic<std::uint32_t> written = 0;  ///< one bit per byte
};

/// Adds `block` to those that touched a sector. Once it is there, it stays: nothing needs to be written again.
void join(std::atomic<std::uint32_t>& who, std::uint32_t block) {
  std::uint32_t known = who.load();
  while (known != block && known != kSeveral)
    if (who.compare_exchange_weak(known, known == 0 ? block : kSeveral)) return;
}

bool is_other(std::uint32_t who, std::uint32_t block) { return who != 0 && who != block; }

// All of these are sequentially consistent: of a reader and a writer at the same time, at least one sees the other.
void check_load(Touch& touch, std::uint32_t block) {
  join(touch.reader, block);
  if (is_other(touch.writer.load(), block)) throw NotApart{};
}

void check_store(Touch& touch, std::uint32_t block, std::uint32_t bytes) {
  join(touch.writer, block);
  const std::uint32_t before = touch.written.fetch_or(bytes);
  if ((before & bytes) != 0 && is_other(touch.writer.load(), block)) throw NotApart{};
  if (is_other(touch.reader.load(), block)) throw NotApart{};
}

std::uint32_t bytes_between(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t below = end >= kSector ? 0xffffffffu : (std::uint64_t{1} << end) - 1;
  return static_cast<std::uint32_t>(below & ~((std::uint64_t{1} << first) - 1));
}

}  // namespace

/// An allocation and what lies beside it.
struct WatchedRegion {
  struct Page {
    std::array<Touch, kPage / kSector> sectors;
    std::mutex mutex;  ///< of what follows
    std::atomic<bool> kept = false;
    std::vector<std::byte> content;  ///< before the launch, once kept
  };

  explicit WatchedRegion(const Allocation& of) : place(of), pages((of.bytes + kPage - 1) / kPage) {}
  ~WatchedRegion() {
    for (std::atomic<Page*>& page : pages) delete page.load();
  }

  Page& page(std::uint64_t number) {
    Page* known = pages[number].load();
    if (known != nullptr) return *known;
    auto made = std::make_unique<Page>();
    if (pages[number].compare_exchange_strong(known, made.get())) return *made.release();
    return *known;
  }
  /// Before the first store to the page.
  void keep(Page& page, std::uint64_t number) {
    if (page.kept.load()) return;
    const std::lock_guard lock(page.mutex);
    if (page.kept.load()) return;
    const std::byte* const from = place.host + number * kPage;
    page.content.assign(from, from + std::min(kPage, place.bytes - number * kPage));
    page.kept.store(true);
  }
  void touch(std::uint32_t block, std::uint64_t first, std::uint64_t end, bool load, bool store) {
    for (std::uint64_t sector = first / kSector; sector * kSector < end; ++sector) {
      const std::uint64_t number = sector * kSector / kPage, begins = sector * kSector;
      Page& at = page(number);
      Touch& touch = at.sectors[sector % at.sectors.size()];
      if (load) check_load(touch, block);
      if (!store) continue;
      keep(at, number);
      check_store(touch, block, bytes_between(std::max(first, begins) - begins, end - begins));
    }
  }

  /// Whether all of it is read and written by the same launch. Of a reader and a writer, at least one sees the other.
  bool both(bool load, bool store) {
    if (load && !loaded.load()) loaded.store(true);
    if (store && !stored.load()) stored.store(true);
    return loaded.load() && stored.load();
  }

  Allocation place;
  std::vector<std::atomic<Page*>> pages;
  std::atomic<bool> loaded = false, stored = false;
};

WatchedRegion& ApartWatch::region(const DeviceMemory& memory, std::uint64_t address, std::uint64_t bytes) {
  const std::optional<Allocation> found = memory.region(address, bytes);
  if (!found || found->gaps != nullptr) throw NotApart{};
  const std::lock_guard lock(mutex_);
  std::shared_ptr<WatchedRegion>& region = regions_[found->address];
  if (!region) region = std::make_shared<WatchedRegion>(*found);
  return *region;
}

void ApartWatch::Thread::access(const DeviceMemory& memory, BlockId id, const Access& access) {
  const std::uint32_t block = access.reduction ? kReducers : static_cast<std::uint32_t>(id.value + 1);
  const auto of = [&](std::uint64_t address, std::uint64_t bytes) -> WatchedRegion& {
    for (WatchedRegion* recent : recent_)
      if (recent != nullptr && recent->place.contains(address, bytes)) return *recent;
    WatchedRegion& region = all_.region(memory, address, bytes);
    recent_[oldest_++ % recent_.size()] = &region;
    return region;
  };
  const auto touch = [&](std::uint64_t address, std::uint64_t bytes) {
    WatchedRegion& region = of(address, bytes);
    if (!all_.by_sectors_) {
      if (region.both(access.load, access.store)) throw NotApart{.look_closer = true};
      if (!access.store) return;
    }
    const std::uint64_t first = address - region.place.address;
    region.touch(block, first, first + bytes, access.load && all_.by_sectors_, access.store);
  };
  const std::uint64_t all = access.end - access.first;
  if (access.end > access.first &&
      all <= std::uint64_t{access.bytes} * static_cast<unsigned>(std::popcount(access.lanes)))
    return touch(access.first, all);
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
    touch(access.addresses.v[first_lane(rest)], access.bytes);
}

void ApartWatch::for_each_kept(const std::function<void(std::byte*, std::vector<std::byte>&)>& visit) {
  for (const auto& [address, region] : regions_)
    for (std::uint64_t number = 0; number < region->pages.size(); ++number)
      if (WatchedRegion::Page* page = region->pages[number].load(); page != nullptr && page->kept.load())
        visit(region->place.host + number * kPage, page->content);
}

void ApartWatch::undo() {
  for_each_kept([](std::byte* memory, const std::vector<std::byte>& before) {
    std::memcpy(memory, before.data(), before.size());
  });
  regions_.clear();
}

void ApartWatch::exchange() {
  for_each_kept([](std::byte* memory, std::vector<std::byte>& before) {
    std::swap_ranges(before.begin(), before.end(), memory);
  });
}

}  // namespace sassim::emu
