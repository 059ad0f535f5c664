// SPDX-License-Identifier: Apache-2.0
// The memory instructions of a processing block from issue until their last event.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/common/indices.h"
#include "arch/sm/common/live_accesses.h"
#include "sim/base/types.h"

namespace sassim::arch {

struct Operation {
  static constexpr std::uint32_t kNoEpoch = ~0u;  ///< no fence waits for it
  static constexpr std::uint32_t kNoBulk = ~0u;
  static constexpr std::uint32_t kNoLoad = ~0u;
  std::uint8_t warp = 0;
  bool sources_read = false, finished = false, departed = false;
  bool left = false;             ///< a store that has left the SM: its warp may end before the acknowledgement
  std::uint16_t generation = 0;  ///< generation of the warp, which may have ended before its stores are acknowledged
  std::uint32_t epoch = 0;       ///< epoch of the FenceUnit, for stores with active lanes
  std::uint32_t group = 0;       ///< group of the warp's AsyncGroups, for copies to shared memory
  CodeLine line = {};            ///< line of the code
  std::uint32_t bulk = kNoBulk;  ///< the bulk copy of which it is a piece
  std::uint32_t older = kNoLoad, newer = kNoLoad;  ///< loads of its warp that return before it and after it
  bool returned = false;                           ///< its data wait for an older load
  Cycle issued;
  LiveId live;  ///< the access of a live warp to global memory
};

class Operations {
 public:
  std::uint32_t add(const Operation& operation) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    all_[index] = operation;
    return index;
  }
  void remove(std::uint32_t index) { free_.push_back(index); }
  Operation& operator[](std::uint32_t index) { return all_[index]; }
  const Operation& operator[](std::uint32_t index) const { return all_[index]; }
  std::size_t size() const { return all_.size(); }
  std::size_t in_flight() const { return all_.size() - free_.size(); }

  /// Calls `visit(index, Operation)` for all instructions in flight; for reports.
  template <class Visit>
  void each(Visit visit) const {
    std::vector<bool> live(all_.size(), true);
    for (const std::uint32_t index : free_) live[index] = false;
    for (std::uint32_t i = 0; i < all_.size(); ++i)
      if (live[i]) visit(i, all_[i]);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(all_, free_);
  }

 private:
  std::vector<Operation> all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sassim::arch
