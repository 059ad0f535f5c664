// SPDX-License-Identifier: Apache-2.0
// How long messages are under way, in SM cycles: the only place that knows the latencies of the network. What a message
// waits for (wires, credits) comes on top.
#pragma once

#include <cstdint>

#include "arch/network/topology.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class Paths {
 public:
  /// `topology` must outlive it.
  Paths(const config::GpuConfig& config, const Topology& topology);

  /// A request's whole way. To a slice in the other half it takes longer.
  Cycle request(Endpoint from, Endpoint to) const {
    if (from.is_slice()) return Cycle{between_halves_};
    if (to.is_walker()) return Cycle{request_};
    const Cycle way = Cycle{request_ + (topology_.apart(from, to) ? between_halves_ : 0)};
    return from.is_sm() ? way + topology_.distance(from.sm(), to.slice()) : way;
  }
  /// The first part of it: from an SM to where the requests of its GPC meet.
  Cycle request_to_gpc() const { return Cycle{to_gpc_}; }
  /// A reply's way to where the replies for a GPC part, the whole way to others. Of several sectors the later ones come
  /// behind the first.
  Cycle reply(Endpoint from, Endpoint to, std::uint32_t data_bytes) const {
    if (to.is_slice()) return Cycle{between_halves_};
    const std::uint32_t way = reply_ + (topology_.apart(from, to) ? between_halves_ : 0);
    return Cycle{way + (data_bytes > kSectorBytes ? further_sectors(data_bytes / kSectorBytes - 1) : 0)};
  }
  /// The rest of it, to one of the GPC's SMs.
  Cycle reply_from_gpc(Endpoint from, SmId to) const {
    return from.is_slice() ? topology_.distance(to, from.slice()) : Cycle{0};
  }
  Cycle credit() const { return Cycle{reply_}; }

  /// No message takes less than this from its sender to whoever handles it next.
  Cycle lookahead() const;

 private:
  std::uint64_t further_sectors(std::uint32_t sectors) const;

  const Topology& topology_;
  std::uint32_t request_, reply_, between_halves_, to_gpc_;
  double sector_;
  bool merges_;
};

}  // namespace sassim::arch
