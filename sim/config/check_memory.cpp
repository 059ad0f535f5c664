// SPDX-License-Identifier: Apache-2.0
// Checks that values of the memory system fit each other.
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/types.h"
#include "sim/config/checker.h"

namespace sassim::config {

namespace {

/// Lines spread evenly only if each slice has its own channels, or each channel its own slices.
void check_slices(Checker& c, const Memory& memory) {
  const std::uint32_t slices = memory.l2.slices, channels = memory.dram.channels;
  if (slices % channels == 0 || channels % slices == 0) return;
  const std::uint32_t below = slices / channels * channels;
  const std::string nearest =
      below == 0 ? fmt::format("{}", channels) : fmt::format("{} or {}", below, below + channels);
  const char* key =
      c.level("memory.dram.channels") > c.level("memory.l2.slices") ? "memory.dram.channels" : "memory.l2.slices";
  c.refuse(key, fmt::format("lines cannot be spread evenly over memory.l2.slices = {} and memory.dram.channels = {}; "
                            "nearest for these channels: {} slices",
                            slices, channels, nearest));
}

/// Between two refreshes a bank needs time to open a row and use it, or it never replies.
void check_refresh(Checker& c, const GpuConfig& config) {
  const DramConfig& dram = config.memory.dram;
  if (dram.model != "ddr" || dram.refresh == "none" || dram.tREFI == 0) return;
  const bool all = dram.refresh == "all_bank";
  const std::uint64_t banks = std::uint64_t{dram.bank_groups} * dram.banks_per_group;
  const std::uint64_t between = all ? dram.tREFI : banks * std::max<std::uint64_t>(1, dram.tREFI / banks);
  const std::pair<const char*, std::uint64_t> parts[] = {{all ? "tRFC" : "tRFCpb", all ? dram.tRFC : dram.tRFCpb},
                                                         {"tRCD", dram.tRCD},
                                                         {"tRAS", dram.tRAS},
                                                         {"tRP", dram.tRP},
                                                         {"tRRDL", dram.tRRDL}};
  std::uint64_t sum = 0;
  const auto* longest = &parts[0];
  for (const auto& part : parts) {
    sum += part.second;
    if (part.second > longest->second) longest = &part;
  }
  if (sum < between) return;
  const std::uint64_t others = sum - longest->second;
  const std::string most = others < between ? fmt::format("at most {}, or ", between - 1 - others) : "";
  c.refuse(fmt::format("memory.dram.{}", longest->first),
           fmt::format("{} leaves no time between refreshes (tREFI = {}): {}, tRCD, tRAS, tRP and tRRDL take {} of {} "
                       "cycles at clock.dram = {}; expected {}memory.dram.tREFI = 0, which means no refresh",
                       longest->second, dram.tREFI, parts[0].first, sum, between,
                       format_quantity(config.clock.dram, Unit::hertz), most));
}

void check_banks(Checker& c, const DramConfig& dram) {
  constexpr std::uint32_t kMostBanks = 64;  // the channel keeps its banks in one 64-bit word
  if (dram.bank_groups * dram.banks_per_group <= kMostBanks) return;
  const bool groups = c.level("memory.dram.bank_groups") > c.level("memory.dram.banks_per_group");
  c.refuse(
      groups ? "memory.dram.bank_groups" : "memory.dram.banks_per_group",
      fmt::format("bank_groups x banks_per_group = {} x {} are more than {} banks; at most {} fit", dram.bank_groups,
                  dram.banks_per_group, kMostBanks, kMostBanks / (groups ? dram.banks_per_group : dram.bank_groups)));
}

/// Lines that alternate between two bank groups, and refreshes of pairs of banks, need pairs of bank groups.
void check_bank_pairs(Checker& c, const DramConfig& dram) {
  const bool lines = dram.map == "row_column_bank_line", refreshes = dram.refresh == "bank_pairs" && dram.tREFI != 0;
  if ((lines || refreshes) && dram.bank_groups % 2 != 0)
    c.refuse("memory.dram.bank_groups",
             fmt::format("{} is odd, and memory.dram.{} needs pairs of bank groups; expected an even number",
                         dram.bank_groups, lines ? "map = row_column_bank_line" : "refresh = bank_pairs"));
  const std::uint32_t pairs = std::max(1u, dram.bank_groups * dram.banks_per_group / 2), interval = dram.tREFI / pairs;
  if (refreshes && dram.refresh_skew > interval)
    c.refuse(
        "memory.dram.refresh_skew",
        fmt::format("{} is more than the {} cycles of clock.dram from one pair of banks to the next (tREFI / {}), so "
                    "that channels would not refresh the same banks together; expected at most {}",
                    dram.refresh_skew, interval, pairs, interval));
}

void check_dram(Checker& c, const GpuConfig& config) {
  const DramConfig& dram = config.memory.dram;
  c.power_of_two("memory.dram.row_bytes", dram.row_bytes);
  const auto at_least = [&](const char* key, std::uint32_t value, const char* other, std::uint32_t least) {
    if (value < least)
      c.refuse(fmt::format("memory.dram.{}", key),
               fmt::format("{} is below {} = {} (memory.dram.{}, at clock.dram = {})", value, other, least, other,
                           format_quantity(config.clock.dram, Unit::hertz)));
  };
  at_least("tRC", dram.tRC, "tRAS", dram.tRAS);
  at_least("tCCDL", dram.tCCDL, "tCCDS", dram.tCCDS);
  at_least("tRRDL", dram.tRRDL, "tRRDS", dram.tRRDS);
  at_least("tWTRL", dram.tWTRL, "tWTRS", dram.tWTRS);
  check_refresh(c, config);
  check_banks(c, dram);
  check_bank_pairs(c, dram);
}

}  // namespace

void check_memory(Checker& c, const GpuConfig& config) {
  const Memory& memory = config.memory;
  check_tlb(c, "memory.l2_tlb", memory.l2_tlb);
  const L2Config& l2 = memory.l2;
  constexpr std::uint32_t kMostSectors = 8;  // a sector mask has eight bits
  c.power_of_two("memory.l2.line", l2.line);
  if (l2.line / kSectorBytes > kMostSectors)
    c.refuse("memory.l2.line", fmt::format("{} bytes are {} sectors of {} bytes; at most {} fit", l2.line,
                                           l2.line / kSectorBytes, kSectorBytes, kMostSectors));
  c.whole_number("memory.l2.size", l2.size, std::uint64_t{l2.slices} * l2.ways * l2.line,
                 fmt::format("{} slices x {} ways x {}-byte lines", l2.slices, l2.ways, l2.line));
  if (config.environment.upload_ways > l2.ways)
    c.refuse("environment.upload_ways", fmt::format("{} is more than memory.l2.ways; expected at most {}",
                                                    config.environment.upload_ways, l2.ways));
  check_slices(c, memory);
  if (l2.slices % l2.partitions != 0)
    c.refuse("memory.l2.slices", fmt::format("{} slices do not divide among {} halves", l2.slices, l2.partitions));
  check_dram(c, config);
}

}  // namespace sassim::config
