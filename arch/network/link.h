// SPDX-License-Identifier: Apache-2.0
// A link of limited width, at an SM, a slice or elsewhere: bytes that do not fit into a cycle use the next one. Exact
// for packets that end within a cycle. Also the sizes of packets on the links of the network.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/network/messages.h"
#include "sim/config/groups/crossbar.h"

namespace sassim::arch {

/// `Time` is the type of the link's cycles.
template <class Time>
class Link {
 public:
  explicit Link(std::uint32_t bytes_per_cycle) : width_(bytes_per_cycle) {}

  /// The first cycle in which a new packet can start.
  Time free_at() const { return Time(busy_until_ / width_); }
  /// Sends a packet at `now`, or as soon as the link is free; returns the cycle by which all of it has passed.
  Time occupy(Time now, std::uint32_t bytes) {
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

/// The sizes of packets: a header and its payload, in whole flits.
struct Packets {
  explicit Packets(const config::CrossbarConfig& config)
      : flit(config.flit), header(config.header), whole_store_header(config.whole_store_header) {}

  std::uint32_t flit;
  std::uint32_t header;
  bool whole_store_header;  ///< true if stores of whole sectors have a header too
  std::uint32_t padded(std::uint32_t payload) const { return (payload + flit - 1) / flit * flit; }
  std::uint32_t bytes(std::uint32_t payload) const { return padded(header + payload); }
  /// The bytes of a request on a link.
  std::uint32_t bytes(const MemRequest& request) const {
    const bool bare = request.kind == RequestKind::store && request.partial == 0 && !whole_store_header;
    return bare ? padded(request.data_bytes) : bytes(request.data_bytes);
  }
};

}  // namespace sassim::arch
