// SPDX-License-Identifier: Apache-2.0
// A memory partition: some L2 slices and the DRAM channels behind them. Within an epoch it is independent of other
// partitions. It takes L2 and DRAM through their cycles in order of time, and gives the slices what arrives for them;
// what the slices send goes through SliceLinks.
#pragma once

#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/clock_ratio.h"
#include "arch/common/component.h"
#include "arch/common/indices.h"
#include "arch/common/state_parts.h"
#include "arch/memory/l2_slice.h"
#include "arch/memory/memory_channels.h"
#include "arch/memory/slice_links.h"
#include "arch/network/network.h"
#include "arch/network/slice_map.h"
#include "sim/config/forward.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

class Partition final : public Component {
 public:
  Partition(const config::GpuConfig& config, const SliceMap& map, Network& network, std::uint32_t index);

  void advance(Cycle until) override;
  Cycle next_event() const override { return next_; }

  /// Between epochs: sorts the messages that have been delivered, none of which may be due before `now`.
  void settle(Share share, Cycle now) {
    if (share.has(network_.number()) && network_.settle(now)) plan();
  }

  MemoryChannels& channels() { return channels_; }
  /// Call after accesses to memory outside the GPU have been answered.
  void answered() { plan(); }

  void start_kernel(bool keep_caches);
  /// Between kernels: DRAM as in the first cycle of a simulation. `at` is an edge of all clocks.
  void renew_dram(Cycle at) { channels_.renew(sm_to_l2_.down(at)); }
  void fill_with_written();
  /// Lines of other programs, of which each `apart`th is dirty.
  void fill_with_others(std::uint64_t apart, bool full);
  // between kernels
  void preload(SliceId slice, LineAddress line, bool dirty, std::uint32_t ways) {
    slices_[local(slice)].preload(line, dirty, ways);
  }
  /// The sectors of the line that had to come from DRAM.
  std::uint32_t read_line(SliceId slice, LineAddress line);
  void invalidate_copy(SliceId slice, LineAddress line) { slices_[local(slice)].invalidate_copy(line); }
  /// The observer of requests that arrive at the slices; nullptr: none.
  void observe(AccessObserver* observer) { observer_ = observer; }
  bool idle() const;
  void check_conservation() const;
  void report(stats::CounterValues& values) const;
  /// MemorySystem::held_bytes() of its slices.
  std::uint64_t held_bytes() const;
  void describe_waits(WaitGraph& graph) const;
  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, slices_);
    archive(channels_, links_, next_);
  }

 private:
  void plan();
  L2Cycle next_l2() const;
  void step_l2(L2Cycle now);
  bool step_dram(std::size_t channel, DramCycle now);
  void accept(const MemRequest& request, L2Cycle now);
  void observe(SliceId slice, const SliceRequest& r);
  void accept(const MemReply& fill, L2Cycle now);
  std::uint32_t local(SliceId slice) const { return slice.value - first_slice_; }

  const SliceMap& map_;
  config::Memory config_;
  const Topology& topology_;
  NetworkPort& network_;
  std::uint32_t index_, first_slice_;
  bool code_by_gpc_;  ///< the SMs of a GPC read code and constants through one cache, so that each sector counts once
  ClockRatio<Cycle, L2Cycle> sm_to_l2_;
  ClockRatio<L2Cycle, Cycle> l2_to_sm_;
  ClockRatio<L2Cycle, DramCycle> l2_to_dram_;
  ClockRatio<DramCycle, L2Cycle> dram_to_l2_;
  std::vector<L2Slice> slices_;
  MemoryChannels channels_;
  SliceLinks links_;
  Cycle next_ = kNever;
  AccessObserver* observer_ = nullptr;
};

}  // namespace sassim::arch
