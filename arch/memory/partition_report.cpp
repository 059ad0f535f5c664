// SPDX-License-Identifier: Apache-2.0
// What a partition reports about itself: counters, conservation, and waits.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/common/wait_names.h"
#include "arch/memory/partition.h"

namespace sassim::arch {

void Partition::start_kernel(bool keep_caches) {
  for (L2Slice& slice : slices_) {
    if (!keep_caches) slice.clear();
    slice.clear_counters();
  }
  for (auto& channel : dram_) channel->clear_counters();
}

std::uint32_t Partition::bring(std::uint32_t slice, std::uint64_t line) {
  const std::uint32_t missing = slices_[local(slice)].bring(line);
  const std::uint32_t bytes = missing * static_cast<std::uint32_t>(kSectorBytes);
  dram_[dram_map_.place(local(slice), line).channel]->count_read((bytes + burst_bytes_ - 1) / burst_bytes_);
  return missing;
}

void Partition::fill_with_written() {
  const std::uint64_t beyond = config_.size / config_.l2.line;  // a number that no line has
  for (L2Slice& slice : slices_) slice.fill_with_written(beyond);
}

void Partition::fill_with_others(std::uint64_t apart, bool full) {
  const std::uint64_t beyond = config_.size / config_.l2.line;  // a number that no line has
  for (L2Slice& slice : slices_) slice.fill_with_others(beyond, apart, full);
}

bool Partition::idle() const {
  const bool slices = std::all_of(slices_.begin(), slices_.end(), [](const L2Slice& slice) { return slice.idle(); });
  const bool dram = std::all_of(dram_.begin(), dram_.end(), [](const auto& d) { return d->accesses_waiting() == 0; });
  return slices && dram && fills_.empty() && network_.requests().empty() && network_.replies().empty();
}

void Partition::check_conservation() const {
  std::uint64_t fetched = 0, written = 0, read_bytes = 0, write_bytes = 0;
  for (const L2Slice& slice : slices_) {
    const L2Counters& c = slice.counters();
    if (c.replies != c.expected)
      throw std::logic_error(
          fmt::format("partition {}: {} requests need a reply, {} replies left", index_, c.expected, c.replies));
    if (const std::uint64_t by_operation = c.total().sectors, by_sender = c.sources().sectors;
        by_operation != by_sender)
      throw std::logic_error(
          fmt::format("partition {}: {} sectors by operation, {} by sender", index_, by_operation, by_sender));
    if (c.filled != c.fetched)
      throw std::logic_error(
          fmt::format("partition {}: {} sectors requested, {} arrived", index_, c.fetched, c.filled));
    fetched += c.fetched - c.fetched_other_half;
    written += c.written_back;
  }
  for (const auto& channel : dram_) {
    read_bytes += channel->counters().read_bursts * burst_bytes_;
    write_bytes += channel->counters().write_bursts * burst_bytes_;
  }
  // Long bursts also move sectors that no request needs, so that the bytes differ.
  if (burst_bytes_ <= kSectorBytes && (read_bytes != fetched * kSectorBytes || write_bytes != written * kSectorBytes))
    throw std::logic_error(
        fmt::format("partition {}: L2 fetched {} and wrote {} sectors, DRAM read {} and wrote {} bytes", index_,
                    fetched, written, read_bytes, write_bytes));
}

void Partition::report(stats::MetricSet& m) const {
  for (const L2Slice& slice : slices_) {
    slice.counters().report(m);
    m.sum("sassim__lts_cycles_busy.sum", "cycle", "cycles in which the slices' data arrays were occupied",
          slice.counters().busy_bytes / config_.l2.bytes_per_cycle);
  }
  for (const auto& channel : dram_) {
    const DramCounters& c = channel->counters();
    const std::uint64_t read = c.read_bursts * burst_bytes_, write = c.write_bursts * burst_bytes_;
    m.sum("dram__bytes_read.sum", "byte", "bytes read from DRAM", read);
    m.sum("dram__bytes_write.sum", "byte", "bytes written to DRAM", write);
    m.sum("dram__bytes.sum", "byte", "bytes read from and written to DRAM", read + write);
    m.sum("dram__sectors_read.sum", "sector", "sectors read from DRAM", read / kSectorBytes);
    m.sum("dram__sectors_write.sum", "sector", "sectors written to DRAM", write / kSectorBytes);
    m.sum("sassim__dram_accesses_read.sum", "access", "reads that DRAM channels served", c.reads);
    m.sum("sassim__dram_accesses_write.sum", "access", "writes that DRAM channels served", c.writes);
    m.sum("sassim__dram_bytes_check.sum", "byte", "bytes of check bits (ECC) read and written with the data",
          c.check_bursts * burst_bytes_);
    m.sum("sassim__dram_row_hits.sum", "access", "accesses that found their row open", c.row_hits);
    m.sum("sassim__dram_row_misses.sum", "access", "accesses that opened their row", c.row_misses);
    m.sum("sassim__dram_row_conflicts.sum", "row", "rows closed for another one", c.row_conflicts);
    m.sum("sassim__dram_refreshes.sum", "refresh", "refresh commands", c.refreshes);
    m.sum("sassim__dram_turnarounds.sum", "event", "changes between reading and writing", c.turnarounds);
    m.sum("sassim__dram_read_wait.sum", "cycle", "command cycles from a read's arrival to its data, summed",
          c.queue_wait);
    m.sum("sassim__dram_cycles_busy.sum", "cycle", "command cycles with data on the bus, summed over channels", c.busy);
  }
}

void Partition::add_activity(Activity& sum) const {
  for (const L2Slice& slice : slices_) {
    const L2Counters::Lookups all = slice.counters().total();
    sum.l2_sectors += all.sectors;
    sum.l2_hits += all.hits;
  }
  for (const auto& channel : dram_) {
    sum.dram_read += channel->counters().read_bursts * burst_bytes_;
    sum.dram_written += channel->counters().write_bursts * burst_bytes_;
  }
}

void Partition::describe_waits(WaitGraph& graph) const {
  const auto channel = [&](std::size_t i) { return fmt::format("DRAM channel {}", index_ * dram_.size() + i); };
  for (std::size_t i = 0; i < dram_.size(); ++i)
    if (dram_[i]->accesses_waiting() != 0)
      graph.describe(graph.node(channel(i)), fmt::format("{} accesses outstanding", dram_[i]->accesses_waiting()));
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const L2Slice& slice = slices_[i];
    if (slice.idle()) continue;
    const WaitGraph::Node self = graph.node(fmt::format("L2 slice {}", first_slice_ + i));
    graph.describe(self,
                   fmt::format("{} requests are queued, {} lines wait for fills", slice.queued(), slice.pending()));
    graph.waits(graph.node(kNetworkName), self, "requests that it holds");
    const char* why = slice.waits_for_writes() ? "the oldest request waits for room in a write queue" : "fills";
    for (std::size_t c = 0; c < dram_.size(); ++c)
      if (dram_[c]->accesses_waiting() != 0) graph.waits(self, graph.node(channel(c)), why);
  }
}

}  // namespace sassim::arch
