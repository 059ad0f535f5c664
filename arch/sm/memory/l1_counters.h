// SPDX-License-Identifier: Apache-2.0
// What the L1's tag stage counts, per kind of access.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arch/common/activity.h"
#include "sim/stats/metrics.h"

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
    std::uint64_t instructions = 0;  ///< accepted, with lanes or without
    std::uint64_t requests = 0;      ///< instructions that touched at least one line
    std::uint64_t tags = 0;          ///< lines looked up
    std::uint64_t passes = 0;        ///< of the tag stage
    std::uint64_t wavefronts = 0;    ///< of the data stage
    std::uint64_t sectors = 0, hits = 0, pending_hits = 0, misses = 0;

    void add(const PerTraffic& other) {
      requests += other.requests, passes += other.passes, sectors += other.sectors;
      hits += other.hits, pending_hits += other.pending_hits, misses += other.misses;
    }
  };
  std::array<PerTraffic, static_cast<std::size_t>(L1Traffic::count_)> of;
  std::uint64_t fills = 0;          ///< sectors that came from the L2
  std::uint64_t stores_merged = 0;  ///< sectors of stores that merged with an earlier store of the same sector

  PerTraffic& operator[](L1Traffic traffic) { return of[static_cast<std::size_t>(traffic)]; }
  const PerTraffic& operator[](L1Traffic traffic) const { return of[static_cast<std::size_t>(traffic)]; }
  /// Of the data stage, of loads and stores: atomics pass the L1 by.
  std::uint64_t wavefronts() const;
  void report(stats::MetricSet& metrics) const;
  void add_activity(Activity& sum) const {
    for (const PerTraffic& own : of) sum.l1_sectors += own.sectors, sum.l1_hits += own.hits + own.pending_hits;
  }
};

}  // namespace sassim::arch
