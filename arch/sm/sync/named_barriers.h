// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "arch/sm/warps/instruction_buffer.h"
#include "sim/base/types.h"

namespace sassim::arch {

/// The barriers in shared memory that the lanes of a warp's next instruction address, and for each barrier the number
/// of lanes with the same detail. The instruction buffer must not advance while this object exists.
struct NamedBarriers {
  struct One {
    std::uint32_t address = 0;
    int lane = 0;  ///< the first of these lanes
    std::uint32_t lanes = 0;
  };
  std::array<One, kWarpSize> all;
  std::uint32_t count = 0;
  const trace::Detail& detail;  ///< what the trace says about each lane

  explicit NamedBarriers(const InstructionBuffer& buffer) : detail(buffer.front_detail()) {
    const InstructionBuffer::Entry& entry = buffer.front();
    if (!entry.has_addresses) return;
    trace::LaneAddresses::Array addresses;
    buffer.front_addresses(addresses);
    for (std::uint32_t left = entry.lanes.bits; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto address = static_cast<std::uint32_t>(addresses[static_cast<std::size_t>(lane)]);
      const auto end = all.begin() + count;
      const auto found = std::find_if(all.begin(), end, [&](const One& one) {
        return one.address == address && detail.raw(one.lane) == detail.raw(lane);
      });
      if (found == end) all[count++] = {address, lane, 0};
      ++found->lanes;
    }
  }
  const One* begin() const { return all.data(); }
  const One* end() const { return all.data() + count; }
};

}  // namespace sassim::arch
