// SPDX-License-Identifier: Apache-2.0
// A check of configurations: refuses caches and TLBs that are too large for the simulator, which needs about 50 bytes
// of memory for each cache line and each TLB entry, even if a kernel never uses them.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/config/checker.h"

namespace sassim::config {

namespace {

/// About 600 MiB. An H200 has 1.2 million lines.
constexpr std::uint64_t kMostLines = 12u << 20;

struct Store {
  std::string key;           ///< the key that sets the size
  std::uint64_t size, line;  ///< a TLB counts as a cache with lines of one byte
  std::uint64_t unit;        ///< the size must be a multiple of this
  std::uint64_t copies;
  const char* copies_of;
  Unit written;
  std::uint64_t lines() const { return size / std::max<std::uint64_t>(line, 1) * copies; }
};

std::vector<Store> stores_of(const GpuConfig& config) {
  const Sm& sm = config.sm;
  const Memory& memory = config.memory;
  const std::uint64_t sms = sm.count, blocks = sms * sm.processing_blocks;
  std::vector<Store> all;
  const auto cache = [&](const char* path, const CacheGeometry& c, std::uint64_t copies, const char* of) {
    all.push_back(
        {fmt::format("{}.size", path), c.size, c.line, std::uint64_t{c.line} * c.ways, copies, of, Unit::bytes});
  };
  const auto tlb = [&](const char* path, const TlbConfig& t, std::uint64_t copies, const char* of) {
    all.push_back({fmt::format("{}.entries", path), t.entries, 1, std::max(t.ways, 1u), copies, of, Unit::count});
  };
  constexpr const char* kSms = "sm.count";
  constexpr const char* kBlocks = "sm.count x sm.processing_blocks";
  cache("sm.front_end.l0", sm.front_end.l0, blocks, kBlocks);
  cache("sm.front_end.l1", sm.front_end.l1, sms, kSms);
  cache("sm.constant.fixed", sm.constant.fixed, blocks, kBlocks);
  cache("sm.constant.indexed", sm.constant.indexed, blocks, kBlocks);
  cache("sm.constant.variable", sm.constant.variable, sms, kSms);
  all.push_back({"sm.l1.size", sm.l1.size, sm.l1.line, std::uint64_t{sm.l1.line} * sm.l1.sets, sms, kSms, Unit::bytes});
  tlb("sm.tlb", sm.tlb, sms, kSms);
  tlb("sm.gpc_tlb", sm.gpc_tlb, sms, kSms);
  tlb("memory.l2_tlb", memory.l2_tlb, 1, "the chip");
  const L2Config& l2 = memory.l2;
  all.push_back(
      {"memory.l2.size", l2.size, l2.line, std::uint64_t{l2.slices} * l2.ways * l2.line, 1, "the chip", Unit::bytes});
  return all;
}

}  // namespace

void check_storage(Checker& c, const GpuConfig& config) {
  const std::vector<Store> all = stores_of(config);
  std::uint64_t lines = 0;
  for (const Store& store : all) lines += store.lines();
  if (lines <= kMostLines) return;
  const Store& largest =
      *std::max_element(all.begin(), all.end(), [](const Store& a, const Store& b) { return a.lines() < b.lines(); });
  const std::uint64_t others = lines - largest.lines();
  const std::uint64_t room = others < kMostLines ? (kMostLines - others) / largest.copies * largest.line : 0;
  const std::uint64_t most = room / largest.unit * largest.unit;
  c.refuse(largest.key,
           fmt::format("{} for each of {} ({}) makes {} lines; the simulator has memory for {} in all caches and TLBs "
                       "together{}",
                       format_quantity(largest.size, largest.written), largest.copies, largest.copies_of,
                       largest.lines(), kMostLines,
                       most == 0 ? "" : fmt::format("; at most {} fits", format_quantity(most, largest.written))));
}

}  // namespace sassim::config
