// SPDX-License-Identifier: Apache-2.0
// A memory partition: some L2 slices and the DRAM channels behind them, on their own within an epoch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/clock_ratio.h"
#include "arch/common/component.h"
#include "arch/common/timed_inbox.h"
#include "arch/memory/address_map.h"
#include "arch/memory/dram.h"
#include "arch/memory/l2_slice.h"
#include "arch/memory/topology.h"

namespace sassim::arch {

/// Slices and channels are dealt out evenly to as many partitions as both their numbers allow.
struct PartitionShape {
  std::uint32_t count, slices, channels;  ///< partitions; slices and pseudo channels of each
  explicit PartitionShape(const config::Memory& memory);
};

class Partition final : public Component, private L2Slice::Links, private Dram::Reader {
 public:
  struct Credit {
    SmId sm;
    Cycle time;
    std::uint32_t write_sectors = 0;
  };

  Partition(const config::GpuConfig& config, const SliceMap& map, const Topology& topology, std::uint32_t index);

  void advance(Cycle until) override;
  Cycle next_event() const override { return next_; }

  // between epochs
  void deliver(const MemRequest& request) {
    requests_.add(request);
    delivered_ = true;
  }
  void deliver(const MemReply& fill) {
    fills_far_.add(fill);
    delivered_ = true;
  }
  void settle(Cycle now);
  /// What was sent since the last clear(): to SMs, walker and other partitions; `time` is of arrival.
  std::vector<MemReply>& replies() { return replies_; }
  std::vector<MemRequest>& sent() { return sent_; }
  std::vector<Credit>& credits() { return credits_; }

  void start_kernel(bool keep_caches);
  void fill_with_written();
  // between kernels
  void hold(std::uint32_t slice, std::uint64_t line, bool dirty) { slices_[local(slice)].hold(line, dirty); }
  void forget(std::uint32_t slice, std::uint64_t line) { slices_[local(slice)].forget(line); }
  void bring(std::uint32_t slice, std::uint64_t line);
  void forget_copy(std::uint32_t slice, std::uint64_t line) { slices_[local(slice)].forget_copy(line); }
  /// Whom to tell of what arrives at the slices; nullptr: nobody.
  void observe(AccessObserver* observer) { observer_ = observer; }
  bool idle() const;
  void check_conservation() const;
  void report(stats::MetricSet& metrics) const;
  std::string waiting() const;

 private:
  struct Fill {
    std::uint64_t time;  ///< L2 cycle
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
  std::uint64_t next_l2() const;
  std::uint64_t next_dram(std::size_t& channel) const;
  void step_l2(std::uint64_t now);
  void step_dram(std::size_t channel, std::uint64_t now);
  void take(const MemRequest& request, std::uint64_t now);
  void observe(std::uint32_t slice, const SliceRequest& r);
  void take(const MemReply& fill, std::uint64_t now);
  void pass_on(std::uint32_t slice, const SliceRequest& cause, std::uint64_t now);
  std::uint64_t to_other_half(std::uint32_t slice, std::uint64_t now, std::uint32_t bytes);
  void access(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, bool write, std::uint32_t tag,
              std::uint64_t time);
  bool is_far(std::uint32_t slice, SmId sm) const;
  std::uint32_t local(std::uint32_t slice) const { return slice - first_slice_; }

  // L2Slice::Links
  void reply(std::uint32_t slice, const MemRequest& request, std::uint64_t time) override;
  void credit(const MemRequest& request, std::uint64_t time) override;
  void fetch(std::uint32_t slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
             std::uint64_t time) override;
  void write_back(std::uint32_t slice, std::uint64_t line, std::uint16_t sectors, std::uint64_t time) override;
  bool can_write_back(std::uint32_t slice) const override;
  void invalidate_copy(std::uint32_t slice, const SliceRequest& cause, std::uint64_t time) override;
  // Dram::Reader
  void read_done(std::uint32_t tag, std::uint64_t end) override;

  const SliceMap& map_;
  config::Memory config_;
  const Topology& topology_;
  std::uint32_t index_, first_slice_;
  DramMap dram_map_;
  ClockRatio sm_to_l2_, l2_to_sm_, l2_to_dram_, dram_to_l2_;
  std::uint32_t burst_bytes_;
  std::vector<L2Slice> slices_;
  std::vector<Link> far_links_;  ///< from each slice to the other half; none where any amount passes
  std::vector<std::unique_ptr<Dram>> dram_;
  TimedInbox<MemRequest, RequestOrder> requests_;
  TimedInbox<MemReply, ReplyOrder> fills_far_;
  std::vector<Fill> fills_;  ///< a heap, the earliest first
  std::uint64_t fill_order_ = 0;
  std::vector<Read> reads_;  ///< DRAM reads under way, by tag
  std::vector<std::uint32_t> free_reads_;
  std::vector<MemReply> replies_;
  std::vector<MemRequest> sent_;
  std::vector<Credit> credits_;
  std::vector<std::uint32_t> sequence_;  ///< of replies, per slice
  std::uint32_t request_sequence_ = 0;
  Cycle next_ = kNever;
  bool delivered_ = false;
  AccessObserver* observer_ = nullptr;
};

}  // namespace sassim::arch
