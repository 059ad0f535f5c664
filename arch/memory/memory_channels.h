// SPDX-License-Identifier: Apache-2.0
// The DRAM channels of a memory partition, and the sectors on their way from them to the L2 slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/common/clock_ratio.h"
#include "arch/common/indices.h"
#include "arch/common/state_parts.h"
#include "arch/memory/dram/dram.h"
#include "arch/memory/dram_map.h"
#include "arch/memory/slice_request.h"
#include "sim/base/wait_graph.h"
#include "sim/config/forward.h"
#include "sim/config/groups/dram.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Slices and channels are distributed evenly over as many partitions as both numbers allow.
struct PartitionShape {
  std::uint32_t count, slices, channels;  ///< number of partitions; slices and pseudo channels of each
  explicit PartitionShape(const config::Memory& memory);
};

class MemoryChannels final : private Dram::Reader {
 public:
  /// Of the partition with this index. Throws InputError for a burst that does not fit sectors.
  MemoryChannels(const config::GpuConfig& config, std::uint32_t partition);

  /// Reads sectors of a line for a slice, counted from the partition's first; the fill returns `pending`.
  void read(std::uint32_t slice, LineAddress line, std::uint16_t sectors, std::uint32_t pending, L2Cycle time);
  void write(std::uint32_t slice, LineAddress line, std::uint16_t sectors, L2Cycle time) {
    access(slice, line, sectors, true, 0, time);
  }
  /// Between kernels: all rows are closed, and the refreshes are as in the first cycle of a simulation. `at` is an edge
  /// of both clocks.
  void renew(L2Cycle at);
  /// True if each channel has room for a write.
  bool can_write() const;

  /// The earliest cycle in which a channel has work, and its number; kNeverDram if none has.
  DramCycle next_event(std::size_t& channel) const;
  void work(std::size_t channel, DramCycle now) { channels_[channel]->work(now, *this); }

  /// Whether a memory outside the GPU answers the channels.
  bool outside() const { return outside_; }
  /// Adds to `to` what the channels have accepted before `end` for that memory, whose answers go to answer().
  void send(L2Cycle end, std::vector<OutsideAccess>& to) {
    for (auto& channel : channels_) channel->send(l2_to_dram_.up(end), to);
  }
  /// Whether a channel has accepted accesses that send() has not returned yet.
  bool unsent() const {
    return std::any_of(channels_.begin(), channels_.end(), [](const auto& channel) { return channel->unsent(); });
  }
  void answer(const OutsideAccess& access, DramCycle end) {
    channels_[access.channel - first_]->answer(access.tag, end);
  }

  /// Sectors that arrive at a slice.
  struct Fill {
    L2Cycle time;
    std::uint64_t order;
    std::uint32_t slice, pending;
    std::uint16_t sectors;
    bool operator>(const Fill& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  L2Cycle next_fill() const { return fills_.empty() ? kNeverL2 : fills_.front().time; }
  Fill pop_fill();

  /// Counts sectors that were read before a kernel started, which takes no time.
  void count_read(std::uint32_t slice, LineAddress line, std::uint32_t sectors);
  void clear_counters() {
    for (auto& channel : channels_) channel->clear_counters();
  }
  bool idle() const;
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_written() const;
  /// True if a burst moves no more than a sector. Longer ones also move sectors that no request needs.
  bool moves_single_sectors() const { return burst_bytes_ <= kSectorBytes; }
  void report(stats::CounterValues& values) const;
  void describe_waits(WaitGraph& graph) const;
  /// Adds that `node` waits for each channel with accesses, and why.
  void describe_waits_for(WaitGraph& graph, WaitGraph::Node node, const char* why) const;

  template <class Archive>
  void state(Archive& archive) {
    for (auto& channel : channels_) state_of_part(archive, *channel);
    archive(fills_, fill_order_, reads_, free_reads_);
  }

 private:
  struct Read {
    std::uint32_t slice, pending;
    std::uint16_t sectors;
  };

  void access(std::uint32_t slice, LineAddress line, std::uint16_t sectors, bool write, std::uint32_t tag,
              L2Cycle time);
  std::uint32_t bursts_for(std::uint16_t sectors) const;
  void read_done(std::uint32_t tag, DramCycle end) override;
  WaitGraph::Node node(WaitGraph& graph, std::size_t channel) const;

  config::DramConfig config_;
  DramMap map_;
  ClockRatio<L2Cycle, DramCycle> l2_to_dram_;
  ClockRatio<DramCycle, L2Cycle> dram_to_l2_;
  std::uint32_t burst_bytes_;
  std::size_t first_;  ///< number of the first channel on the GPU
  std::vector<std::unique_ptr<Dram>> channels_;
  bool outside_ = false;
  std::vector<Fill> fills_;  ///< a heap, the earliest first
  std::uint64_t fill_order_ = 0;
  std::vector<Read> reads_;  ///< in flight, by tag
  std::vector<std::uint32_t> free_reads_;
};

}  // namespace sassim::arch
