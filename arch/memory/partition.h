// SPDX-License-Identifier: Apache-2.0
// A memory partition: some L2 slices and the DRAM channels behind them. Within an epoch it is independent of the
// others.
#pragma once

#include <memory>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/activity.h"
#include "arch/common/clock_ratio.h"
#include "arch/common/component.h"
#include "arch/common/state_parts.h"
#include "arch/memory/address_map.h"
#include "arch/memory/dram/dram.h"
#include "arch/memory/l2_slice.h"
#include "arch/network/network.h"

namespace sassim::arch {

/// Slices and channels are distributed evenly over as many partitions as both numbers allow.
struct PartitionShape {
  std::uint32_t count, slices, channels;  ///< number of partitions; slices and pseudo channels of each
  explicit PartitionShape(const config::Memory& memory);
};

class Partition final : public Component, private L2Slice::Links, private Dram::Reader {
 public:
  Partition(const config::GpuConfig& config, const SliceMap& map, Network& network, std::uint32_t index);

  void advance(Cycle until) override;
  Cycle next_event() const override { return next_; }

  // between epochs
  void settle(Cycle now) {
    if (network_.settle(now)) plan();
  }

  void start_kernel(bool keep_caches);
  void fill_with_written();
  /// Lines of other programs, of which each `apart`th is dirty.
  void fill_with_others(std::uint64_t apart, bool full);
  // between kernels
  void hold(std::uint32_t slice, std::uint64_t line, bool from_host) { slices_[local(slice)].hold(line, from_host); }
  /// The sectors of the line that had to come from DRAM.
  std::uint32_t bring(std::uint32_t slice, std::uint64_t line);
  void forget_copy(std::uint32_t slice, std::uint64_t line) { slices_[local(slice)].forget_copy(line); }
  /// The observer of requests that arrive at the slices; nullptr: none.
  void observe(AccessObserver* observer) { observer_ = observer; }
  bool idle() const;
  void check_conservation() const;
  void report(stats::MetricSet& metrics) const;
  void add_activity(Activity& sum) const;
  void describe_waits(WaitGraph& graph) const;
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, slices_);
    for (auto& channel : dram_) state_of_part(archive, *channel);
    archive(fills_, fill_order_, reads_, free_reads_);
    state_of_fixed(archive, sequence_);
    archive(request_sequence_, next_);
  }

 private:
  struct Fill {
    L2Cycle time;
    std::uint64_t order;
    std::uint32_t slice, pending;
    std::uint16_t sectors;
    bool operator>(const Fill& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct Read {
    std::uint32_t slice, pending;
    std::uint16_t sectors;
  };

  void plan();
  L2Cycle next_l2() const;
  DramCycle next_dram(std::size_t& channel) const;
  void step_l2(L2Cycle now);
  void step_dram(std::size_t channel, DramCycle now);
  void take(const MemRequest& request, L2Cycle now);
  void observe(std::uint32_t slice, const SliceRequest& r);
  void take(const MemReply& fill, L2Cycle now);
  void access(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, bool write, std::uint32_t tag,
              L2Cycle time);
  void send_to_twin(std::uint32_t slice, const MemRequest& request, L2Cycle now);
  MemRequest own_request(std::uint32_t slice, const MemRequest& cause, RequestKind kind);
  std::uint32_t local(std::uint32_t slice) const { return slice - first_slice_; }

  // L2Slice::Links
  void reply(std::uint32_t slice, const MemRequest& request, L2Cycle time) override;
  void credit(const MemRequest& request, L2Cycle time) override;
  void fetch(std::uint32_t slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
             L2Cycle time) override;
  void write_back(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, L2Cycle time) override;
  void pass_on(std::uint32_t slice, const SliceRequest& cause, L2Cycle now) override;
  bool can_write_back(std::uint32_t slice) const override;
  void invalidate_copy(std::uint32_t slice, const SliceRequest& cause, L2Cycle time) override;
  // Dram::Reader
  void read_done(std::uint32_t tag, DramCycle end) override;

  const SliceMap& map_;
  config::Memory config_;
  const Topology& topology_;
  NetworkPort& network_;
  std::uint32_t index_, first_slice_;
  DramMap dram_map_;
  ClockRatio<Cycle, L2Cycle> sm_to_l2_;
  ClockRatio<L2Cycle, Cycle> l2_to_sm_;
  ClockRatio<L2Cycle, DramCycle> l2_to_dram_;
  ClockRatio<DramCycle, L2Cycle> dram_to_l2_;
  std::uint32_t burst_bytes_;
  std::vector<L2Slice> slices_;
  std::vector<std::unique_ptr<Dram>> dram_;
  std::vector<Fill> fills_;  ///< a heap, the earliest first
  std::uint64_t fill_order_ = 0;
  std::vector<Read> reads_;  ///< DRAM reads in flight, by tag
  std::vector<std::uint32_t> free_reads_;
  std::vector<std::uint32_t> sequence_;  ///< numbers the replies of each slice
  std::uint32_t request_sequence_ = 0;
  Cycle next_ = kNever;
  AccessObserver* observer_ = nullptr;
};

}  // namespace sassim::arch
