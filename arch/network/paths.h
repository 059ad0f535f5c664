// SPDX-License-Identifier: Apache-2.0
// How long messages take on the network, in SM cycles; no other file has latencies of the network. Waiting for links
// and credits is added elsewhere.
#pragma once

#include <cstdint>

#include "arch/network/messages.h"
#include "arch/network/topology.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class Paths {
 public:
  /// `topology` must outlive this object.
  Paths(const config::GpuConfig& config, const Topology& topology);

  /// The whole path of a request. It is longer to a slice in the other half.
  Cycle request(Endpoint from, Endpoint to, RequestKind kind) const {
    if (from.is_slice()) return Cycle{between_halves_ + (changes_line(kind) ? change_ : 0)};
    if (to.is_walker()) return Cycle{request_};
    const Cycle way = Cycle{request_ + (topology_.apart(from, to) ? between_halves_ : 0)};
    return from.is_sm() ? way + topology_.distance(from.sm(), to.slice()) : way;
  }
  /// The first part of that path: from an SM to the place where the requests of its GPC meet.
  Cycle request_to_gpc() const { return Cycle{to_gpc_}; }
  /// The path of a reply to the place where the replies of a GPC separate, or the whole path to other receivers. After
  /// the first sector, the others need more cycles.
  Cycle reply(Endpoint from, Endpoint to, const MemReply& reply) const {
    if (to.is_slice()) return Cycle{between_halves_};
    const std::uint32_t far = between_halves_ + (reply.kind == RequestKind::atomic ? result_ : 0);
    const std::uint32_t way = reply_ + (topology_.apart(from, to) ? far : 0);
    const std::uint32_t sectors = reply.data_bytes / kSectorBytes;
    return Cycle{way + (sectors > 1 ? further_sectors(sectors - 1) : 0)};
  }
  /// The rest of the path, to one of the GPC's SMs.
  Cycle reply_from_gpc(Endpoint from, SmId to) const {
    return from.is_slice() ? topology_.distance(to, from.slice()) : Cycle{0};
  }
  Cycle credit() const { return Cycle{reply_}; }

  /// Every message takes at least this long from its sender to the component that handles it next.
  Cycle lookahead() const;

 private:
  std::uint64_t further_sectors(std::uint32_t sectors) const;

  const Topology& topology_;
  std::uint32_t request_, reply_, between_halves_, change_, result_, to_gpc_;
  double sector_;
  bool merges_;
};

}  // namespace sassim::arch
