// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory, and waits at barriers in shared memory, of warps that execute while they are timed: an
// instruction describes its access when it issues, and the timing model performs it later.
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
  trace::LiveAccess* piece(std::uint32_t number) override { return begin_piece ? begin_piece(*this, number) : nullptr; }
  void done() override;

  const MicroOp* op = nullptr;
  Warp* warp = nullptr;    ///< only `finish` may use it: a warp may end before its stores are performed
  std::uint32_t mask = 0;  ///< the instruction's lanes; those outside of `lanes` have already been handled
  /// Stores and atomics: address in memory. Copies: destination in shared memory. Barriers: the barrier.
  std::array<std::byte*, 32> at{};
  std::array<std::uint64_t, 32> compare{};  ///< also the phases of checks of barriers
  std::array<std::uint8_t, 32> zeroed{};    ///< copies: how many of the last bytes become zero instead
  void (*perform_lane)(GlobalAccess&, int lane) = nullptr;
  WordTakers* takers = nullptr;  ///< compare-and-swap and exchange: who changes a word is noted here
  Dim3 ctaid{0, 0, 0};           ///< of `taker`
  std::uint32_t taker = 0;       ///< the warp's number in its block
  std::byte* barrier = nullptr;  ///< bulk copies: who waits for the bytes
  trace::LiveAccess* (*begin_piece)(GlobalAccess&, std::uint32_t number) = nullptr;
  void (*finish)(GlobalAccess&) = nullptr;  ///< called by done(); nullptr: nothing to do
  AccessPool* pool = nullptr;
};

/// Storage for the accesses in flight of an SM's warps. Objects of finished accesses are used again.
class AccessPool {
 public:
  GlobalAccess& take(trace::LiveAccess::Kind kind, Context& c, const MicroOp& op, const Lanes64& addresses,
                     std::uint32_t mask);
  void give_back(GlobalAccess& access) { free_.push_back(&access); }
  /// The access that the last instruction began, or nullptr.
  GlobalAccess* begun() { return std::exchange(begun_, nullptr); }
  /// Counts that a warp of the SM has changed memory of any kind, so that a warp that only waits can be recognised.
  void changed() { ++changes_; }
  std::uint64_t changes() const { return changes_; }

 private:
  std::deque<GlobalAccess> all_;
  std::vector<GlobalAccess*> free_;
  GlobalAccess* begun_ = nullptr;
  std::uint64_t changes_ = 0;
};

}  // namespace sassim::emu
