// SPDX-License-Identifier: Apache-2.0
// Counters of the L1's tag stage per kind of access.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/stats/counter_values.h"

namespace sassim::arch {

enum class L1Traffic : std::uint8_t {
  global_load,
  global_store,
  global_atomic,
  global_reduction,
  local_load,
  local_store,
  async_copy,
  texture_load,
  surface_store,
  count_
};

struct L1Counters {
  struct PerTraffic {
    std::uint64_t instructions = 0;  ///< accepted instructions, also those without active lanes
    std::uint64_t requests = 0;      ///< instructions that access at least one line
    std::uint64_t tags = 0;          ///< lines looked up
    std::uint64_t passes = 0;        ///< passes of the tag stage
    std::uint64_t wavefronts = 0;    ///< passes of the data stage
    std::uint64_t sectors = 0, hits = 0, pending_hits = 0, misses = 0;

    void add(const PerTraffic& other) {
      requests += other.requests, passes += other.passes, sectors += other.sectors;
      hits += other.hits, pending_hits += other.pending_hits, misses += other.misses;
    }
  };
  std::array<PerTraffic, static_cast<std::size_t>(L1Traffic::count_)> of;
  std::uint64_t fills = 0;          ///< sectors that arrived from the L2
  std::uint64_t asked_again = 0;    ///< sectors of loads that were in flight and asked for again
  std::uint64_t stores_merged = 0;  ///< sectors of stores that merged with an earlier store to the same sector

  PerTraffic& operator[](L1Traffic traffic) { return of[static_cast<std::size_t>(traffic)]; }
  const PerTraffic& operator[](L1Traffic traffic) const { return of[static_cast<std::size_t>(traffic)]; }
  /// Passes of the data stage by loads and stores; atomics bypass it.
  std::uint64_t wavefronts() const;
  /// `parts`: whether loads may request sectors in flight again (sm.l1.join_parts is false).
  void report(stats::CounterValues& values, bool parts) const;
};

}  // namespace sassim::arch
