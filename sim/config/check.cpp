// SPDX-License-Identifier: Apache-2.0
// Checks the keys of a GPU's caches, shared memory, occupancy and launches against each other.
#include "sim/config/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/config/checker.h"

namespace sassim::config {

namespace {

void check_cache(Checker& c, const std::string& path, const CacheGeometry& cache) {
  c.power_of_two(path + ".line", cache.line);
  c.whole_number(path + ".size", cache.size, std::uint64_t{cache.line} * cache.ways,
                 fmt::format("{}-byte lines x {} ways", cache.line, cache.ways));
}

constexpr const char* kCarveouts = "sm.occupancy.carveouts";
constexpr const char* kPerBlock = "sm.occupancy.shared_per_block";
constexpr const char* kL1Size = "sm.l1.size";

/// The list has one value for each of 1, 2, 4, 8, 16 and 32 lanes.
void check_atomic_hold(Checker& c, const std::vector<std::uint64_t>& hold) {
  if (hold.size() != 6 || !std::is_sorted(hold.begin(), hold.end()))
    c.refuse(
        "sm.shared.atomic_hold",
        "expected six numbers of cycles, none below the one before it, for 1, 2, 4, 8, 16 and 32 lanes on one word");
}

/// The smallest L1 that has a line in every set.
std::uint64_t least_l1(const L1Config& l1) {
  const std::uint64_t way = std::uint64_t{l1.line} * l1.sets;
  return way + (l1.detected_loss + way - 1) / way * way;
}

/// The L1 and shared memory divide one array: an l1.size that is set after the carve-outs limits them.
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
    return c.refuse(kPerBlock,
                    fmt::format("{} and sm.occupancy.shared_reserved = {} do not fit the largest carve-out, {}",
                                size_text(o.shared_per_block), size_text(o.shared_reserved), size_text(largest)));
  o.shared_per_block = largest - std::min(largest, o.shared_reserved);
  c.note(fmt::format("{} follows: {}", kPerBlock, size_text(o.shared_per_block)));
}

void check_carveouts(Checker& c, const GpuConfig& config) {
  const auto& carveouts = config.sm.occupancy.carveouts;
  const L1Config& l1 = config.sm.l1;
  const std::uint64_t one_way = std::uint64_t{l1.line} * l1.sets, least = least_l1(l1);
  const std::string what = fmt::format("{}-byte lines x {} sets (sm.l1.line, sm.l1.sets)", l1.line, l1.sets);
  if (carveouts.empty()) c.refuse(kCarveouts, "expected at least one size, such as [0]");
  for (std::size_t i = 0; i < carveouts.size(); ++i) {
    c.whole_number(kCarveouts, carveouts[i], one_way, what);
    if (i > 0 && carveouts[i] <= carveouts[i - 1])
      c.refuse(kCarveouts, "each size must be larger than the one before it");
    if (carveouts[i] + least > l1.size)
      c.refuse(kCarveouts,
               fmt::format("{} leaves no L1 in {} = {}, of which sm.l1.detected_loss = {} is lost, with sm.l1.sets = "
                           "{}; the largest that fits is {}",
                           size_text(carveouts[i]), kL1Size, size_text(l1.size), size_text(l1.detected_loss), l1.sets,
                           size_text(l1.size - std::min(l1.size, least))));
  }
}

/// The tag array keeps a row for each bank, and a bank's number has only as many bits as the number of banks needs.
void check_tag_masks(Checker& c, const L1Config& l1) {
  constexpr std::size_t kMostBankBits = 16, kMostRowBits = 8;
  const auto at_most = [&](const char* key, const std::vector<std::uint64_t>& masks, std::size_t most) {
    if (masks.size() > most) c.refuse(key, fmt::format("{} masks; expected at most {}", masks.size(), most));
  };
  at_most("sm.l1.tag_masks", l1.tag_masks, kMostBankBits);
  at_most("sm.l1.sweep_masks", l1.sweep_masks, kMostRowBits);
}

void check_launch(Checker& c, const Launch& launch) {
  constexpr std::uint64_t kAlignment = 128;  // alignment of functions
  if (launch.code_start % kAlignment != 0)
    c.refuse("launch.code_start", fmt::format("{} is not a multiple of {}", launch.code_start, kAlignment));
}

/// The limits of the SM model, where a key's range is wider.
void check_parts(Checker& c, const Sm& sm) {
  const Pipes& p = sm.pipes;
  const std::pair<const char*, const PipeConfig*> own[] = {{"fma", &p.fma},       {"alu", &p.alu},
                                                           {"fp16", &p.fp16},     {"uniform", &p.uniform},
                                                           {"branch", &p.branch}, {"mio", &p.mio}};
  for (const auto& [name, pipe] : own)
    if (pipe->shared_by_sm)
      c.refuse(fmt::format("sm.pipes.{}.shared_by_sm", name),
               "each processing block has this unit: expected false; only fp64, tensor, xu and adu can be shared");
  if (p.fma.lanes > 32 && !sm.issue.pairs)
    c.refuse(
        "sm.pipes.fma.lanes",
        fmt::format("{} lanes, of which those beyond 32 execute the second instruction of a pair: expected at most "
                    "32, or sm.issue.pairs = true",
                    p.fma.lanes));
  if (p.fma.lanes > 32 && p.fma.queue != 0)
    c.refuse("sm.pipes.fma.queue", "a pipe with more than 32 lanes has no queue: expected 0");
}

void check_sm(Checker& c, const Sm& sm) {
  check_parts(c, sm);
  check_cache(c, "sm.front_end.l0", sm.front_end.l0);
  check_cache(c, "sm.front_end.l1", sm.front_end.l1);
  check_cache(c, "sm.constant.fixed", sm.constant.fixed);
  check_cache(c, "sm.constant.indexed", sm.constant.indexed);
  check_cache(c, "sm.constant.variable", sm.constant.variable);
  check_sectors(c, "sm.l1", sm.l1.line, sm.l1.sector);
  check_tag_masks(c, sm.l1);
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

}  // namespace

void check_sectors(Checker& c, const std::string& path, std::uint32_t line, std::uint32_t sector) {
  constexpr std::uint32_t kMostSectors = 8;  // a sector mask has eight bits
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

void check(LoadedConfig& loaded) {
  Checker checker(loaded);
  fit_carveouts(checker, loaded.config);
  fit_shared_per_block(checker, loaded.config);
  check_carveouts(checker, loaded.config);
  check_atomic_hold(checker, loaded.config.sm.shared.atomic_hold);
  check_sm(checker, loaded.config.sm);
  check_memory(checker, loaded.config);
  check_launch(checker, loaded.config.launch);
  for (const std::string& part : ConfigChecks::instance().names())
    ConfigChecks::instance().make(part)->check(checker, loaded.config);
  if (loaded.problems.empty()) check_storage(checker, loaded.config);
}

}  // namespace sassim::config
