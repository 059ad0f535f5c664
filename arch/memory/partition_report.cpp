// SPDX-License-Identifier: Apache-2.0
// The part of a memory partition that is used between kernels and at their ends: fills its L2, and reports counters,
// conservation of what was sent, and waits.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/common/wait_names.h"
#include "arch/memory/partition.h"

namespace sassim::arch {

namespace {

/// Beside the counters of L2Counters.
const struct SliceCounters {
  stats::Count busy{"sassim__lts_cycles_busy.sum", "cycle", "cycles in which the slices' data arrays were occupied"};
} kSlices;

}  // namespace

void Partition::start_kernel(bool keep_caches) {
  for (L2Slice& slice : slices_) {
    if (!keep_caches) slice.clear();
    slice.clear_counters();
  }
  channels_.clear_counters();
}

std::uint32_t Partition::read_line(SliceId slice, LineAddress line) {
  const std::uint32_t missing = slices_[local(slice)].read_line(line);
  channels_.count_read(local(slice), line, missing);
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
  return slices && channels_.idle() && network_.requests().empty() && network_.replies().empty();
}

void Partition::check_conservation() const {
  std::uint64_t fetched = 0, written = 0;
  for (const L2Slice& slice : slices_) {
    const L2Counters& c = slice.counters();
    if (c.requests.replies != c.requests.expected)
      throw std::logic_error(fmt::format("partition {}: {} requests need a reply, {} replies left", index_,
                                         c.requests.expected, c.requests.replies));
    if (const std::uint64_t by_operation = c.total().sectors, by_sender = c.sources().sectors;
        by_operation != by_sender)
      throw std::logic_error(
          fmt::format("partition {}: {} sectors by operation, {} by sender", index_, by_operation, by_sender));
    if (c.sectors.filled != c.sectors.fetched)
      throw std::logic_error(
          fmt::format("partition {}: {} sectors requested, {} arrived", index_, c.sectors.fetched, c.sectors.filled));
    fetched += c.sectors.fetched - c.sectors.fetched_other_half;
    written += c.sectors.written_back;
  }
  const std::uint64_t read_bytes = channels_.bytes_read(), write_bytes = channels_.bytes_written();
  if (channels_.moves_single_sectors() &&
      (read_bytes != fetched * kSectorBytes || write_bytes != written * kSectorBytes))
    throw std::logic_error(
        fmt::format("partition {}: L2 fetched {} and wrote {} sectors, DRAM read {} and wrote {} bytes", index_,
                    fetched, written, read_bytes, write_bytes));
}

std::uint64_t Partition::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const L2Slice& slice : slices_) bytes += slice.held_bytes();
  return bytes;
}

void Partition::report(stats::CounterValues& m) const {
  for (const L2Slice& slice : slices_) {
    slice.counters().report(m);
    m.sum(kSlices.busy, slice.counters().busy_bytes / config_.l2.bytes_per_cycle);
  }
  channels_.report(m);
}

void Partition::describe_waits(WaitGraph& graph) const {
  channels_.describe_waits(graph);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const L2Slice& slice = slices_[i];
    if (slice.idle()) continue;
    const WaitGraph::Node self = graph.node(fmt::format("L2 slice {}", first_slice_ + i));
    graph.describe(self,
                   fmt::format("{} requests are queued, {} lines wait for fills", slice.queued(), slice.pending()));
    graph.waits(graph.node(kNetworkName), self, "requests that it holds");
    const char* why = slice.waits_for_writes() ? "the oldest request waits for room in a write queue" : "fills";
    channels_.describe_waits_for(graph, self, why);
  }
}

}  // namespace sassim::arch
