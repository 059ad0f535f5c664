// SPDX-License-Identifier: Apache-2.0
#include "sim/study/what_if.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim::study {

namespace {

/// More than can ever be under way: an SM's warps with all lanes in lines of their own, several loads deep.
std::string unlimited(const char* key, std::uint32_t configured, std::uint32_t enough) {
  return fmt::format("{}={}", key, std::max(configured, enough));
}

std::vector<std::string> request_tables(const config::GpuConfig& c) {
  constexpr std::uint32_t kPerSm = 16384, kPerSlice = 4096, kMerges = 4096;
  return {unlimited("sm.l1.pending_requests", c.sm.l1.pending_requests, kPerSm),
          unlimited("sm.l1.pending_merges", c.sm.l1.pending_merges, kMerges),
          unlimited("sm.l1.miss_queue", c.sm.l1.miss_queue, kPerSm),
          unlimited("memory.crossbar.credits", c.memory.crossbar.credits, kPerSm),
          unlimited("memory.l2.pending_requests", c.memory.l2.pending_requests, kPerSlice)};
}

}  // namespace

std::vector<Idealisation> idealisations(const config::GpuConfig& c) {
  std::vector<Idealisation> all = {
      {"perfect L1", "every load hits in the L1", {"sm.l1.perfect=true"}},
      {"no bank conflicts",
       "lanes with different words of one bank of shared memory or L1 go together",
       {"sm.shared.bank_conflicts=false"}},
      {"infinite request tables", "L1, crossbar and L2 always have room for another miss", request_tables(c)},
      {"double DRAM",
       "twice as many memory channels",
       {fmt::format("memory.dram.channels={}", 2 * c.memory.dram.channels)}},
      {"perfect instruction cache", "every fetch hits in the L0", {"sm.front_end.perfect=true"}},
      {"no register conflicts",
       "each bank reads four operands in a cycle, more than an instruction has",
       {"sm.register_file.read_ports=4"}},
  };
  Idealisation together{"all of these", "everything above together", {}};
  for (const Idealisation& one : all)
    together.overrides.insert(together.overrides.end(), one.overrides.begin(), one.overrides.end());
  all.push_back(std::move(together));
  return all;
}

}  // namespace sassim::study
