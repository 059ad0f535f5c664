// SPDX-License-Identifier: Apache-2.0
// Sums the stall cycles of all lines of SASS into the warp-state counters of a kernel.
#include "arch/sm/common/stall_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace sassim::arch {

namespace {

std::vector<stats::Count> reason_counts() {
  std::vector<stats::Count> all;
  for (std::size_t i = 0; i < kStallReasons; ++i)
    if (const StallRow& row = stall_row(static_cast<StallReason>(i)); row.reason != StallReason::no_warp)
      all.emplace_back(fmt::format("sassim__warp_cycles_{}.sum", row.name), "cycle",
                       fmt::format("warp cycles: {}", row.meaning));
  return all;
}
static_assert(index(StallReason::no_warp) == kStallReasons - 1, "the reasons of warps have the places before it");

const struct LineCounters {
  std::vector<stats::Count> cycles = reason_counts();
  stats::Count threads{"smsp__thread_inst_executed.sum", "inst",
                       "thread instructions: active lanes of all warp instructions"};
  stats::Count executed{"smsp__thread_inst_executed_pred_on.sum", "inst",
                        "thread instructions with a true guard predicate, as far as the trace records predicates"};
} kLines;

}  // namespace

void report_lines(const std::vector<LineStalls>& lines, const StallCycles& open, stats::CounterValues& values) {
  StallCycles sums = open;
  std::uint64_t threads = 0, executed = 0;
  for (const LineStalls& line : lines) {
    threads += line.threads;
    executed += line.threads_executed;
    for (std::size_t r = 0; r < kStallReasons; ++r) sums[r] += line.cycles[r];
  }
  for (std::size_t r = 0; r < kLines.cycles.size(); ++r) values.sum(kLines.cycles[r], sums[r]);
  values.sum(kLines.threads, threads);
  values.sum(kLines.executed, executed);
}

void StallTable::add(CodeLine line, const LineTraffic& traffic) {
  std::size_t place = kTraffic;
  for (const std::uint64_t more :
       {traffic.requests, traffic.sectors, traffic.ideal_sectors, traffic.passes, traffic.ideal_passes}) {
    if (const std::uint64_t rest = add(line, place, more)) carry(line, place, rest);
    ++place;
  }
}

void StallTable::carry(CodeLine line, std::size_t place, std::uint64_t rest) { high_[line][place] += rest << kBits; }

void StallTable::add_to(std::vector<LineStalls>& total) const {
  total.resize(std::max(total.size(), low_.size()));
  const auto each = [&](std::uint32_t line, const auto& counts) {
    std::size_t place = 0;
    total[line].each({}, [&](std::uint64_t& here, std::uint64_t) { here += counts[place++]; });
  };
  const Counts none{};
  for (std::uint32_t line = 0; line < low_.size(); ++line)
    if (low_[line] != none) each(line, low_[line]);
  for (const auto& [line, counts] : high_) each(line, counts);
}

stats::Counter warp_cycles(StallReason reason) { return kLines.cycles.at(index(reason)); }

bool counted_by_line(stats::Counter counter) {
  return counter == kLines.threads || counter == kLines.executed ||
         std::find(kLines.cycles.begin(), kLines.cycles.end(), counter) != kLines.cycles.end();
}

}  // namespace sassim::arch
