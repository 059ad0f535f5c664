// SPDX-License-Identifier: Apache-2.0
// The data array that shared memory and the L1 share: it serves one access at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/base/types.h"
#include "sim/config/groups/memory_io.h"
#include "sim/config/groups/shared_memory.h"
#include "sim/isa/opcode.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Cycles to move 128 bytes, one register of a warp, from the data stage to the register file.
inline std::uint32_t return_cycles(const config::MemoryIo& io) {
  return std::max(1u, 128u / std::max(io.return_bytes_per_cycle, 1u));
}

/// Cycles of one pass of the data stage, which serves all banks once: whichever of them the lanes use, and also if all
/// lanes are off. A stage that is narrower than the banks needs several.
inline std::uint32_t pass_cycles(const config::SharedMemory& shared, std::uint32_t bytes_per_cycle) {
  return std::max(1u, shared.banks * shared.bank_width / std::max(bytes_per_cycle, 1u));
}

/// Cycles for which the data of a store or LDGSTS, `bytes` per lane, occupy shared memory without conflicts.
inline std::uint32_t cycles_without_conflicts(const config::SharedMemory& shared, std::uint32_t bytes) {
  return std::max(1u, kWarpSize * bytes / shared.bytes_per_cycle);
}

/// Cycles from accept() until the data of a store have left the registers: wider data occupy the path out of the
/// register file for longer.
inline std::uint32_t store_release(const config::MemoryIo& io, std::uint32_t bytes, bool uniform_address) {
  const std::uint32_t narrow = std::max(1u, kWarpSize * 4 / io.store_bytes_per_cycle);
  const std::uint32_t needed = std::max(narrow, kWarpSize * bytes / io.store_bytes_per_cycle);
  return io.store_release + (uniform_address ? 0 : io.store_vector_release) + (needed - narrow);
}

class DataStage {
 public:
  /// Reserves the array for `cycles`, from the first free cycle at or after `now`, and returns that cycle.
  Cycle reserve(Cycle now, std::uint64_t cycles) {
    settle(now);
    const Cycle start = std::max(now, free_);
    const std::uint64_t owed = std::min(owed_, cycles);
    owed_ -= owed;
    free_ = start + cycles + owed;
    busy_ += cycles;
    return start;
  }
  /// `cycles` of the array for data that arrive at `now` from the memory, and the first of these cycles. They take the
  /// array while it is free, and turns with what reserve() serves, so that misses do not hold up hits.
  Cycle arrive(Cycle now, std::uint64_t cycles) {
    settle(now);
    free_ = std::max(now, free_);
    const Cycle start = free_ + owed_;
    owed_ += cycles;
    busy_ += cycles;
    return start;
  }
  /// reserve() for a load or store of a warp, whose loads and stores follow one another: the next one starts at least
  /// `held` cycles later. Other warps wait for the array only.
  Cycle reserve_in_order(WarpSlot warp, Cycle now, std::uint64_t cycles, std::uint64_t held) {
    Cycle& before = in_order_[warp.value];
    const Cycle start = std::max(reserve(now, cycles), before);
    before = start + held;
    return start;
  }
  /// When the next load or store of a warp may start, as far as those before it are concerned.
  Cycle in_order(WarpSlot warp) const { return in_order_[warp.value]; }
  Cycle free() const { return free_; }
  std::uint64_t busy() const { return busy_; }

  /// Counts passes: of shared memory, of a cache, or of instructions that access neither, such as shuffles.
  void count_shared(std::uint64_t passes) { shared_passes_ += passes; }
  void count_other(std::uint64_t passes) { other_passes_ += passes; }
  void count_cache(std::uint64_t passes) { cache_passes_ += passes; }
  void clear_counters() { busy_ = shared_passes_ = other_passes_ = cache_passes_ = 0; }
  void report(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(free_, owed_, in_order_, busy_, shared_passes_, other_passes_, cache_passes_);
  }

 private:
  /// Until `now` the array served data that had arrived.
  void settle(Cycle now) {
    if (now <= free_ || owed_ == 0) return;
    const std::uint64_t served = std::min(owed_, (now - free_).value);
    owed_ -= served;
    free_ = free_ + served;
  }

  Cycle free_;
  std::uint64_t owed_ = 0;  ///< cycles for data that have arrived
  std::array<Cycle, 256> in_order_{};
  std::uint64_t busy_ = 0, shared_passes_ = 0, other_passes_ = 0, cache_passes_ = 0;
};

}  // namespace sassim::arch
