// SPDX-License-Identifier: Apache-2.0
#include "sim/config/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/config/units.h"

namespace sassim::config {

namespace {

std::string size_text(std::uint64_t bytes) { return format_quantity(bytes, Unit::bytes); }

class Checker {
 public:
  explicit Checker(LoadedConfig& loaded) : loaded_(loaded) {}

  int level(std::string_view key) const {
    const auto found = loaded_.provenance.find(key);
    return found == loaded_.provenance.end() ? 0 : found->second.level;
  }
  void refuse(std::string_view key, const std::string& why) {
    const auto found = loaded_.provenance.find(key);
    loaded_.problems.push_back(
        fmt::format("{}: {}: {}", found == loaded_.provenance.end() ? "default" : found->second.place, key, why));
  }
  void note(std::string text) { loaded_.notes.push_back(std::move(text)); }

  void power_of_two(std::string_view key, std::uint64_t value) {
    if (!std::has_single_bit(value)) refuse(key, fmt::format("{} is not a power of two", size_text(value)));
  }
  /// `what` says what `unit` is made of: "128B lines x 16 ways".
  void whole_number(std::string_view key, std::uint64_t value, std::uint64_t unit, const std::string& what) {
    if (unit == 0 || value % unit == 0) return;
    const std::uint64_t below = value / unit * unit;
    const std::string nearest =
        below == 0 ? size_text(unit) : fmt::format("{} or {}", size_text(below), size_text(below + unit));
    refuse(key, fmt::format("{} is not a whole number of {} = {}; nearest: {}", size_text(value), what, size_text(unit),
                            nearest));
  }

 private:
  LoadedConfig& loaded_;
};

void check_cache(Checker& c, const std::string& path, const CacheGeometry& cache) {
  c.power_of_two(path + ".line", cache.line);
  c.whole_number(path + ".size", cache.size, std::uint64_t{cache.line} * cache.ways,
                 fmt::format("{}-byte lines x {} ways", cache.line, cache.ways));
}

void check_sectors(Checker& c, const std::string& path, std::uint32_t line, std::uint32_t sector) {
  constexpr std::uint32_t kMostSectors = 8;  // sector masks are eight bits
  c.power_of_two(path + ".line", line);
  c.power_of_two(path + ".sector", sector);
  if (sector > line || line / sector > kMostSectors)
    c.refuse(path + ".sector", fmt::format("a line of {} bytes must have 1 to {} sectors; this makes {}", line,
                                           kMostSectors, sector > line ? 0 : line / sector));
}

void check_tlb(Checker& c, const std::string& path, const TlbConfig& tlb) {
  c.power_of_two(path + ".page", tlb.page);
  if (tlb.ways != 0 && tlb.entries % tlb.ways != 0)
    c.refuse(path + ".entries", fmt::format("{} is not a whole number of sets of {} ways", tlb.entries, tlb.ways));
}

constexpr const char* kCarveouts = "sm.occupancy.carveouts";
constexpr const char* kPerBlock = "sm.occupancy.shared_per_block";
constexpr const char* kL1Size = "sm.l1.size";

/// By 1, 2, 4, 8, 16 and 32 lanes.
void check_atomic_hold(Checker& c, const std::vector<std::uint64_t>& hold) {
  if (hold.size() != 6 || !std::is_sorted(hold.begin(), hold.end()))
    c.refuse("sm.shared.atomic_hold",
             "expected six numbers of cycles that do not fall, for 1, 2, 4, 8, 16 and 32 lanes on one word");
}

/// What must be left of the array for the L1 to hold a line in every set.
std::uint64_t least_l1(const L1Config& l1) {
  const std::uint64_t way = std::uint64_t{l1.line} * l1.sets;
  return way + (l1.detected_loss + way - 1) / way * way;
}

/// Shared memory is part of the array: an l1.size set after the carve-outs limits them.
void fit_carveouts(Checker& c, GpuConfig& config) {
  auto& carveouts = config.sm.occupancy.carveouts;
  const L1Config& l1 = config.sm.l1;
  const std::uint64_t least = least_l1(l1);
  const auto too_large = [&](std::uint64_t carveout) { return carveout + least > l1.size; };
  if (c.level(kL1Size) <= c.level(kCarveouts) || std::none_of(carveouts.begin(), carveouts.end(), too_large)) return;
  if (std::all_of(carveouts.begin(), carveouts.end(), too_large)) return;
  std::erase_if(carveouts, too_large);
  c.note(fmt::format("{} = {} leaves carve-outs up to {}", kL1Size, size_text(l1.size), size_text(carveouts.back())));
}

void fit_shared_per_block(Checker& c, GpuConfig& config) {
  Occupancy& o = config.sm.occupancy;
  if (o.carveouts.empty()) return;
  const std::uint64_t largest = *std::max_element(o.carveouts.begin(), o.carveouts.end());
  if (o.shared_per_block + o.shared_reserved <= largest) return;
  const bool follows = std::max(c.level(kL1Size), c.level(kCarveouts)) > c.level(kPerBlock);
  if (!follows)
    return c.refuse(
        kPerBlock, fmt::format("{} and {} reserved do not fit the largest carve-out, {}", size_text(o.shared_per_block),
                               size_text(o.shared_reserved), size_text(largest)));
  o.shared_per_block = largest - std::min(largest, o.shared_reserved);
  c.note(fmt::format("{} follows: {}", kPerBlock, size_text(o.shared_per_block)));
}

void check_carveouts(Checker& c, const GpuConfig& config) {
  const auto& carveouts = config.sm.occupancy.carveouts;
  const L1Config& l1 = config.sm.l1;
  const std::uint64_t one_way = std::uint64_t{l1.line} * l1.sets, least = least_l1(l1);
  const std::string what = fmt::format("{}-byte lines x {} sets", l1.line, l1.sets);
  if (carveouts.empty()) c.refuse(kCarveouts, "expected at least one size, such as [0]");
  for (std::size_t i = 0; i < carveouts.size(); ++i) {
    c.whole_number(kCarveouts, carveouts[i], one_way, what);
    if (i > 0 && carveouts[i] <= carveouts[i - 1]) c.refuse(kCarveouts, "the sizes must rise");
    if (carveouts[i] + least > l1.size)
      c.refuse(kCarveouts,
               fmt::format("{} leaves no L1 in {} = {}; the largest that fits is {}", size_text(carveouts[i]), kL1Size,
                           size_text(l1.size), size_text(l1.size - std::min(l1.size, least))));
  }
}

void check_sm(Checker& c, const Sm& sm) {
  check_cache(c, "sm.front_end.l0", sm.front_end.l0);
  check_cache(c, "sm.front_end.l1", sm.front_end.l1);
  check_cache(c, "sm.constant.fixed", sm.constant.fixed);
  check_cache(c, "sm.constant.indexed", sm.constant.indexed);
  check_cache(c, "sm.constant.variable", sm.constant.variable);
  check_sectors(c, "sm.l1", sm.l1.line, sm.l1.sector);
  check_tlb(c, "sm.tlb", sm.tlb);
  check_tlb(c, "sm.gpc_tlb", sm.gpc_tlb);
  c.whole_number(kL1Size, sm.l1.size, std::uint64_t{sm.l1.line} * sm.l1.sets,
                 fmt::format("{}-byte lines x {} sets", sm.l1.line, sm.l1.sets));
  if (sm.occupancy.warps % sm.processing_blocks != 0)
    c.refuse("sm.occupancy.warps", fmt::format("{} warps do not divide among {} processing blocks", sm.occupancy.warps,
                                               sm.processing_blocks));
  if (sm.occupancy.threads > sm.occupancy.warps * 32)
    c.refuse("sm.occupancy.threads", fmt::format("{} threads are more than {} warps hold ({})", sm.occupancy.threads,
                                                 sm.occupancy.warps, sm.occupancy.warps * 32));
  if (sm.occupancy.registers % sm.processing_blocks != 0)
    c.refuse("sm.occupancy.registers", fmt::format("{} registers do not divide among {} processing blocks",
                                                   sm.occupancy.registers, sm.processing_blocks));
}

/// Each slice has channels of its own, or each channel slices of its own: lines are dealt out evenly only then.
void check_slices(Checker& c, const Memory& memory) {
  const std::uint32_t slices = memory.l2.slices, channels = memory.dram.channels;
  if (slices % channels == 0 || channels % slices == 0) return;
  const std::uint32_t below = slices / channels * channels;
  const std::string nearest =
      below == 0 ? fmt::format("{}", channels) : fmt::format("{} or {}", below, below + channels);
  const char* key =
      c.level("memory.dram.channels") > c.level("memory.l2.slices") ? "memory.dram.channels" : "memory.l2.slices";
  c.refuse(key, fmt::format("lines cannot be dealt out evenly from memory.l2.slices = {} to memory.dram.channels = {}; "
                            "nearest for these channels: {} slices",
                            slices, channels, nearest));
}

void check_memory(Checker& c, const Memory& memory) {
  check_sectors(c, "memory.l2", memory.l2.line, memory.l2.sector);
  check_tlb(c, "memory.l2_tlb", memory.l2_tlb);
  const L2Config& l2 = memory.l2;
  c.whole_number("memory.l2.size", l2.size, std::uint64_t{l2.slices} * l2.ways * l2.line,
                 fmt::format("{} slices x {} ways x {}-byte lines", l2.slices, l2.ways, l2.line));
  check_slices(c, memory);
  if (l2.slices % l2.partitions != 0)
    c.refuse("memory.l2.slices", fmt::format("{} slices do not divide among {} halves", l2.slices, l2.partitions));
  const DramConfig& dram = memory.dram;
  c.power_of_two("memory.dram.row_bytes", dram.row_bytes);
  const auto at_least = [&](const char* key, std::uint32_t value, const char* other, std::uint32_t least) {
    if (value < least)
      c.refuse(fmt::format("memory.dram.{}", key), fmt::format("{} is below {} = {}", value, other, least));
  };
  at_least("tRC", dram.tRC, "tRAS", dram.tRAS);
  at_least("tCCDL", dram.tCCDL, "tCCDS", dram.tCCDS);
  at_least("tRRDL", dram.tRRDL, "tRRDS", dram.tRRDS);
  at_least("tWTRL", dram.tWTRL, "tWTRS", dram.tWTRS);
  if (dram.tREFI != 0 && dram.tRFC >= dram.tREFI)
    c.refuse("memory.dram.tRFC",
             fmt::format("{} leaves no time between refreshes (tREFI = {})", dram.tRFC, dram.tREFI));
}

}  // namespace

void check(LoadedConfig& loaded) {
  Checker checker(loaded);
  fit_carveouts(checker, loaded.config);
  fit_shared_per_block(checker, loaded.config);
  check_carveouts(checker, loaded.config);
  check_atomic_hold(checker, loaded.config.sm.shared.atomic_hold);
  check_sm(checker, loaded.config.sm);
  check_memory(checker, loaded.config.memory);
}

}  // namespace sassim::config
