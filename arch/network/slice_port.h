// SPDX-License-Identifier: Apache-2.0
// The ends at one L2 slice of its links: from the SMs, to the SMs, and to the other half of the chip. It says when a
// message has passed them. Times are L2 cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "arch/network/link.h"
#include "sim/config/groups/memory.h"

namespace sassim::arch {

class SlicePort {
 public:
  explicit SlicePort(const config::Memory& config)
      : packets_(config.crossbar),
        in_(config.crossbar.slice_request_bytes_per_cycle),
        out_(config.crossbar.slice_reply_bytes_per_cycle) {
    if (config.halves.bytes_per_cycle != 0) other_half_.emplace(config.halves.bytes_per_cycle);
  }

  /// A request arrives from an SM; returns when all of it has passed.
  L2Cycle admit(const MemRequest& request, L2Cycle now) { return in_.occupy(now, packets_.bytes(request)); }
  /// The bytes of a reply with this payload on the link.
  std::uint32_t reply_bytes(std::uint32_t data_bytes) const { return packets_.bytes(data_bytes); }
  /// Sends bytes to an SM; returns when all of them have passed.
  L2Cycle leave(std::uint32_t bytes, L2Cycle now) { return out_.occupy(now, bytes); }
  /// Sends bytes to the other half from `now` on, after earlier data; returns when the first of them leaves. A message
  /// without data has no bytes.
  L2Cycle leave_for_other_half(std::uint32_t bytes, L2Cycle now) {
    if (!other_half_) return now;
    const L2Cycle start = std::max(now, other_half_->free_at());
    other_half_->occupy(now, bytes);
    return start;
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(in_, out_, other_half_);
  }

 private:
  Packets packets_;
  Link<L2Cycle> in_, out_;
  std::optional<Link<L2Cycle>> other_half_;  ///< absent: no limit
};

}  // namespace sassim::arch
