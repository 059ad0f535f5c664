// SPDX-License-Identifier: Apache-2.0
// Passes reads and writes of L2 slices to the DRAM channels of their partition; the DRAM's counters and waits.
#include "arch/memory/memory_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "sim/base/error.h"
#include "sim/config/gpu_config.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

namespace {

/// What DRAM channels count.
const struct DramMetrics {
  stats::Count bytes_read{"dram__bytes_read.sum", "byte", "bytes read from DRAM"};
  stats::Count bytes_written{"dram__bytes_write.sum", "byte", "bytes written to DRAM"};
  stats::Count bytes{"dram__bytes.sum", "byte", "bytes read from and written to DRAM"};
  stats::Count sectors_read{"dram__sectors_read.sum", "sector", "sectors read from DRAM"};
  stats::Count sectors_written{"dram__sectors_write.sum", "sector", "sectors written to DRAM"};
  stats::Count reads{"sassim__dram_accesses_read.sum", "access", "reads that DRAM channels served"};
  stats::Count writes{"sassim__dram_accesses_write.sum", "access", "writes that DRAM channels served"};
  stats::Count check_bytes{"sassim__dram_bytes_check.sum", "byte",
                           "bytes of check bits (ECC) read and written with the data"};
  stats::Count row_hits{"sassim__dram_row_hits.sum", "access", "accesses that found their row open"};
  stats::Count row_misses{"sassim__dram_row_misses.sum", "access", "accesses that opened their row"};
  stats::Count row_conflicts{"sassim__dram_row_conflicts.sum", "row", "rows closed for another one"};
  stats::Count refreshes{"sassim__dram_refreshes.sum", "refresh", "refresh commands"};
  stats::Count turnarounds{"sassim__dram_turnarounds.sum", "event", "changes between reading and writing"};
  stats::Count read_wait{"sassim__dram_read_wait.sum", "cycle",
                         "command cycles from a read's arrival to its data, summed"};
  stats::Count busy{"sassim__dram_cycles_busy.sum", "cycle",
                    "command cycles with data on the bus, summed over channels"};
} kDram;

}  // namespace

PartitionShape::PartitionShape(const config::Memory& memory)
    : count(std::gcd(memory.l2.slices, memory.dram.channels)),
      slices(memory.l2.slices / std::max(count, 1u)),
      channels(memory.dram.channels / std::max(count, 1u) * memory.dram.pseudo_channels) {
  if (memory.l2.slices == 0) throw InputError("memory.l2.slices is 0; a GPU has at least one");
  if (channels == 0) throw InputError("memory.dram.channels or pseudo_channels is 0; a GPU has at least one");
  if (memory.halves.parts != 1 && (memory.halves.parts != 2 || count % 2 != 0))
    throw InputError(
        "memory.halves.parts is {}; expected 1, or 2 when memory.l2.slices and memory.dram.channels ({} and {}) can be "
        "divided between two halves",
        memory.halves.parts, memory.l2.slices, memory.dram.channels);
}

MemoryChannels::MemoryChannels(const config::GpuConfig& config, std::uint32_t partition)
    : config_(config.memory.dram),
      map_(config.memory.dram, config.memory.l2, partition * PartitionShape(config.memory).slices,
           PartitionShape(config.memory).slices, PartitionShape(config.memory).channels),
      l2_to_dram_(config.clock.l2, config.clock.dram),
      dram_to_l2_(l2_to_dram_.inverse()),
      burst_bytes_(config_.bus_bits / 8 * config_.burst),
      first_(std::size_t{partition} * PartitionShape(config.memory).channels) {
  if (burst_bytes_ == 0 || (burst_bytes_ % kSectorBytes != 0 && kSectorBytes % burst_bytes_ != 0))
    throw InputError("memory.dram: a burst of {} x {} bits is {} bytes; expected a divisor or multiple of a sector",
                     config_.burst, config_.bus_bits, burst_bytes_);
  channels_.resize(PartitionShape(config.memory).channels);
  renew(L2Cycle{});
  outside_ = channels_.front()->outside();
}

void MemoryChannels::renew(L2Cycle at) {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    channels_[i] =
        Drams::instance().make(config_.model, config_, {static_cast<std::uint32_t>(first_ + i), l2_to_dram_.down(at)});
}

DramCycle MemoryChannels::next_event(std::size_t& channel) const {
  DramCycle next = kNeverDram;
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]->next_event() < next) {
      next = channels_[i]->next_event();
      channel = i;
    }
  return next;
}

void MemoryChannels::read(std::uint32_t slice, LineAddress line, std::uint16_t sectors, std::uint32_t pending,
                          L2Cycle time) {
  if (free_reads_.empty()) {
    free_reads_.push_back(static_cast<std::uint32_t>(reads_.size()));
    reads_.emplace_back();
  }
  const std::uint32_t tag = free_reads_.back();
  free_reads_.pop_back();
  reads_[tag] = {slice, pending, sectors};
  access(slice, line, sectors, false, tag, time);
}

std::uint32_t MemoryChannels::bursts_for(std::uint16_t sectors) const {
  if (burst_bytes_ <= kSectorBytes)
    return static_cast<std::uint32_t>(std::popcount(sectors)) * (kSectorBytes / burst_bytes_);
  const std::uint32_t step = std::min(burst_bytes_ / kSectorBytes, 16u);  // one burst for all sectors of a line
  std::uint32_t bursts = 0;
  for (std::uint32_t left = sectors; left != 0; left = left >> step) bursts += (left & ((1u << step) - 1)) != 0;
  return bursts;
}

void MemoryChannels::access(std::uint32_t slice, LineAddress line, std::uint16_t sectors, bool write, std::uint32_t tag,
                            L2Cycle time) {
  const DramMap::Place place = map_.place(slice, line);
  DramAccess access{.row = place.row, .bank = place.bank, .tag = tag, .write = write};
  access.bursts = bursts_for(sectors);
  access.checks = config_.ecc == "inline" ? 1 : 0;
  if (config_.check_span != 0) {
    if (!write) access.checks *= access.bursts;  // a line that is written is complete when it comes
    access.piece = map_.byte_of_channel(slice, line) / config_.check_span;
  }
  if (outside_)
    access.column = map_.column(slice, line) + static_cast<std::uint32_t>(std::countr_zero(sectors) * kSectorBytes);
  channels_[place.channel]->accept(access, l2_to_dram_.up(time));
}

bool MemoryChannels::can_write() const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [this](const auto& channel) { return channel->writes_waiting() < config_.write_queue; });
}

void MemoryChannels::read_done(std::uint32_t tag, DramCycle end) {
  const Read& read = reads_[tag];
  fills_.push_back({dram_to_l2_.up(end) + config_.latency, fill_order_++, read.slice, read.pending, read.sectors});
  std::push_heap(fills_.begin(), fills_.end(), std::greater<>{});
  free_reads_.push_back(tag);
}

MemoryChannels::Fill MemoryChannels::pop_fill() {
  std::pop_heap(fills_.begin(), fills_.end(), std::greater<>{});
  const Fill fill = fills_.back();
  fills_.pop_back();
  return fill;
}

void MemoryChannels::count_read(std::uint32_t slice, LineAddress line, std::uint32_t sectors) {
  const std::uint32_t bytes = sectors * static_cast<std::uint32_t>(kSectorBytes);
  channels_[map_.place(slice, line).channel]->count_read((bytes + burst_bytes_ - 1) / burst_bytes_);
}

bool MemoryChannels::idle() const {
  return fills_.empty() && std::all_of(channels_.begin(), channels_.end(),
                                       [](const auto& channel) { return channel->accesses_waiting() == 0; });
}

std::uint64_t MemoryChannels::bytes_read() const {
  std::uint64_t bytes = 0;
  for (const auto& channel : channels_) bytes += channel->counters().read_bursts * burst_bytes_;
  return bytes;
}

std::uint64_t MemoryChannels::bytes_written() const {
  std::uint64_t bytes = 0;
  for (const auto& channel : channels_) bytes += channel->counters().write_bursts * burst_bytes_;
  return bytes;
}

void MemoryChannels::report(stats::CounterValues& m) const {
  for (const auto& channel : channels_) {
    const DramCounters& c = channel->counters();
    const std::uint64_t read = c.read_bursts * burst_bytes_, write = c.write_bursts * burst_bytes_;
    m.sum(kDram.bytes_read, read);
    m.sum(kDram.bytes_written, write);
    m.sum(kDram.bytes, read + write);
    m.sum(kDram.sectors_read, read / kSectorBytes);
    m.sum(kDram.sectors_written, write / kSectorBytes);
    m.sum(kDram.reads, c.reads);
    m.sum(kDram.writes, c.writes);
    m.sum(kDram.check_bytes, c.check_bursts * burst_bytes_);
    m.sum(kDram.row_hits, c.row_hits);
    m.sum(kDram.row_misses, c.row_misses);
    m.sum(kDram.row_conflicts, c.row_conflicts);
    m.sum(kDram.refreshes, c.refreshes);
    m.sum(kDram.turnarounds, c.turnarounds);
    m.sum(kDram.read_wait, c.queue_wait);
    m.sum(kDram.busy, c.busy);
  }
}

WaitGraph::Node MemoryChannels::node(WaitGraph& graph, std::size_t channel) const {
  return graph.node(fmt::format("DRAM channel {}", first_ + channel));
}

void MemoryChannels::describe_waits(WaitGraph& graph) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]->accesses_waiting() != 0)
      graph.describe(node(graph, i), fmt::format("{} accesses outstanding", channels_[i]->accesses_waiting()));
}

void MemoryChannels::describe_waits_for(WaitGraph& graph, WaitGraph::Node waits, const char* why) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]->accesses_waiting() != 0) graph.waits(waits, node(graph, i), why);
}

}  // namespace sassim::arch
