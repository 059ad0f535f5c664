// SPDX-License-Identifier: Apache-2.0
// The slice at which a request enters the L2. If the home of its line is in the other half, this may be the twin in the
// sender's own half: reads look for a copy there, and requests that change the line are passed on to the home.
#pragma once

#include "arch/network/messages.h"
#include "arch/network/slice_map.h"
#include "arch/network/topology.h"

namespace sassim::arch {

class EntrySlice {
 public:
  /// `map` and `topology` must outlive this object. `copies`: halves keep copies of each other's lines.
  EntrySlice(const SliceMap& map, const Topology& topology, bool copies)
      : map_(map), topology_(topology), copies_(copies) {}

  Endpoint of(Endpoint from, RequestKind kind, std::uint64_t address) const {
    return towards(from, kind, map_.place(address).slice);
  }
  /// The same for a line whose home is the slice `home`.
  Endpoint towards(Endpoint from, RequestKind kind, SliceId home) const {
    const bool direct = !copies_ && !changes_line(kind);
    const bool here = direct || !topology_.apart(from, Endpoint::of_slice(home));
    return Endpoint::of_slice(here ? home : topology_.twin(home));
  }

 private:
  const SliceMap& map_;
  const Topology& topology_;
  bool copies_;
};

}  // namespace sassim::arch
