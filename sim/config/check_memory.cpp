// SPDX-License-Identifier: Apache-2.0
// Checks that values of the memory system fit each other. DRAM models check what they read: arch/memory/dram.
#include <fmt/format.h>

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

/// Lines that alternate between two bank groups need pairs of bank groups.
void check_map(Checker& c, const DramConfig& dram) {
  c.power_of_two("memory.dram.row_bytes", dram.row_bytes);
  if (dram.map == "row_column_bank_line" && dram.bank_groups % 2 != 0)
    c.refuse(
        "memory.dram.bank_groups",
        fmt::format("{} is odd, and memory.dram.map = row_column_bank_line needs pairs of bank groups; expected an "
                    "even number",
                    dram.bank_groups));
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
  if (l2.slices % memory.halves.parts != 0)
    c.refuse("memory.l2.slices",
             fmt::format("{} slices do not divide among {} halves", l2.slices, memory.halves.parts));
  check_map(c, memory.dram);
}

}  // namespace sassim::config
