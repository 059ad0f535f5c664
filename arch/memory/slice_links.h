// SPDX-License-Identifier: Apache-2.0
// What the slices of a partition send, and where to: replies and credits to the network, requests to the other half of
// the chip, reads and writes to the partition's DRAM channels.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/clock_ratio.h"
#include "arch/common/indices.h"
#include "arch/common/state_parts.h"
#include "arch/memory/l2_slice.h"
#include "arch/memory/memory_channels.h"
#include "arch/network/network.h"
#include "arch/network/slice_map.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class SliceLinks final : public L2Slice::Links {
 public:
  /// `slices`: those of the partition, which are made later; the first one has number `first` on the chip.
  SliceLinks(const config::GpuConfig& config, const SliceMap& map, const Topology& topology, NetworkPort& network,
             MemoryChannels& channels, std::vector<L2Slice>& slices, std::uint32_t first);

  void reply(SliceId slice, const MemRequest& request, L2Cycle time) override;
  void credit(const MemRequest& request, L2Cycle time) override;
  void fetch(SliceId slice, const SliceRequest& cause, std::uint16_t sectors, std::uint32_t pending,
             L2Cycle time) override;
  void write_back(SliceId slice, LineAddress line, std::uint16_t sectors, L2Cycle time) override {
    channels_.write(slice.value - first_, line, sectors, time);
  }
  bool can_write_back(SliceId) const override { return channels_.can_write(); }
  void pass_on(SliceId slice, const SliceRequest& cause, L2Cycle now) override;
  void invalidate_copy(SliceId slice, const SliceRequest& cause, L2Cycle time) override;

  template <class Archive>
  void state(Archive& archive) {
    state_of_fixed(archive, sequence_);
    archive(request_sequence_);
  }

 private:
  void send_to_twin(SliceId slice, const MemRequest& request, L2Cycle now);
  MemRequest own_request(SliceId slice, const MemRequest& cause, RequestKind kind);
  L2Slice& at(SliceId slice) { return slices_[slice.value - first_]; }

  const SliceMap& map_;
  const Topology& topology_;
  NetworkPort& network_;
  MemoryChannels& channels_;
  std::vector<L2Slice>& slices_;
  ClockRatio<L2Cycle, Cycle> l2_to_sm_;
  std::uint32_t first_, latency_, mask_bytes_;
  bool near_copies_;
  std::vector<std::uint32_t> sequence_;  ///< numbers the replies of each slice
  std::uint32_t request_sequence_ = 0;
};

}  // namespace sassim::arch
