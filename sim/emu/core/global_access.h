// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory of warps that run when they are timed: an instruction says what it wants when it issues,
// the memory performs it later.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "sim/emu/core/machine.h"
#include "sim/emu/core/memory_access.h"
#include "sim/trace/live.h"

namespace sassim::emu {

class AccessPool;

class GlobalAccess final : public trace::LiveAccess {
 public:
  void perform(LaneMask which) override;
  void done() override;

  const MicroOp* op = nullptr;
  Warp* warp = nullptr;             ///< only `finish` may use it: a warp does not wait for its stores
  std::uint32_t mask = 0;           ///< of the instruction; lanes outside of `lanes` have been dealt with
  std::array<std::byte*, 32> at{};  ///< stores, atomic operations: in memory. Copies: where they go in shared memory
  std::array<std::uint64_t, 32> compare{};
  std::array<std::uint8_t, 32> zeroed{};  ///< copies: so many of the last bytes become zero instead
  void (*perform_lane)(GlobalAccess&, int lane) = nullptr;
  void (*finish)(GlobalAccess&) = nullptr;  ///< what done() does; nullptr: nothing
  AccessPool* pool = nullptr;
};

/// The accesses of an SM's warps.
class AccessPool {
 public:
  GlobalAccess& take(trace::LiveAccess::Kind kind, Context& c, const MicroOp& op, const Lanes64& addresses,
                     std::uint32_t mask);
  void give_back(GlobalAccess& access) { free_.push_back(&access); }
  /// The access that the last instruction has begun, if it has.
  GlobalAccess* begun() { return std::exchange(begun_, nullptr); }
  /// A warp of the SM has changed memory, of whatever kind: it is not one that only waits.
  void changed() { ++changes_; }
  std::uint64_t changes() const { return changes_; }

 private:
  std::deque<GlobalAccess> all_;
  std::vector<GlobalAccess*> free_;
  GlobalAccess* begun_ = nullptr;
  std::uint64_t changes_ = 0;
};

}  // namespace sassim::emu
