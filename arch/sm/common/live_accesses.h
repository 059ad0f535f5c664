// SPDX-License-Identifier: Apache-2.0
// The accesses of an SM's live warps that have begun and not ended. Whoever handles one knows it by its name: an
// instruction in a queue or in a unit, a line of the L1, a copy.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/trace/live.h"

namespace sassim::arch {

/// The name of an access; 0: none, as for every instruction of a replay.
struct LiveId {
  std::uint32_t number = 0;
  explicit operator bool() const { return number != 0; }
  friend bool operator==(LiveId, LiveId) = default;
};

class LiveAccesses {
 public:
  void start_kernel() {
    all_.clear();
    free_.clear();
  }
  /// Another access, which lasts until end(); nullptr: none.
  LiveId add(trace::LiveAccess* access) {
    if (access == nullptr) return {};
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.push_back(nullptr);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    all_[place] = access;
    return {place + 1};
  }
  trace::LiveAccess& operator[](LiveId id) const { return *all_[id.number - 1]; }
  /// The access, if there is one, is done.
  void end(LiveId& id) {
    if (!id) return;
    (*this)[id].done();
    drop(id);
  }
  /// Nobody needs the result of the access, if there is one.
  void drop(LiveId& id) {
    if (id) free_.push_back(id.number - 1);
    id = {};
  }

 private:
  std::vector<trace::LiveAccess*> all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sassim::arch
