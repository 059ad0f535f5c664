// SPDX-License-Identifier: Apache-2.0
// A wire with a width: what does not fit this cycle goes in the next. Exact for packets that end within a cycle.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/network/messages.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

/// `Time` is the type of the cycles in which the wire is clocked.
template <class Time>
class Link {
 public:
  explicit Link(std::uint32_t bytes_per_cycle) : width_(bytes_per_cycle) {}

  /// The first cycle at which a new packet can start.
  Time free_at() const { return Time(busy_until_ / width_); }
  /// Sends a packet at `now` or as soon as the wire is free; returns the cycle by which it has passed wholly.
  Time take(Time now, std::uint32_t bytes) {
    busy_until_ = std::max(busy_until_, now.value * width_) + bytes;
    return Time((busy_until_ + width_ - 1) / width_);
  }
  template <class Archive>
  void state(Archive& archive) {
    archive(busy_until_);
  }

 private:
  std::uint64_t width_;
  std::uint64_t busy_until_ = 0;  ///< in bytes since cycle 0
};

/// A packet is a header and its payload in whole flits.
struct Packets {
  explicit Packets(const config::CrossbarConfig& config)
      : flit(config.flit), header(config.header), whole_store_header(config.whole_store_header) {}

  std::uint32_t flit;
  std::uint32_t header;
  bool whole_store_header;  ///< stores of whole sectors have one, too
  std::uint32_t padded(std::uint32_t payload) const { return (payload + flit - 1) / flit * flit; }
  std::uint32_t bytes(std::uint32_t payload) const { return padded(header + payload); }
  /// What a request takes of the wires.
  std::uint32_t bytes(const MemRequest& request) const {
    const bool bare = request.kind == RequestKind::store && request.partial == 0 && !whole_store_header;
    return bare ? padded(request.data_bytes) : bytes(request.data_bytes);
  }
};

}  // namespace sassim::arch
