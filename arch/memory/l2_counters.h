// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/stats/metrics.h"

namespace sassim::arch {

/// What a slice counts; summed over all slices in the report.
struct L2Counters {
  std::uint64_t requests = 0;
  std::uint64_t sectors_read = 0, sectors_write = 0, sectors_atomic = 0, sectors_reduction = 0;
  std::uint64_t sectors_instruction = 0, sectors_constant = 0, sectors_copy = 0;  ///< of those read
  std::uint64_t hits = 0, misses = 0;                                             ///< sectors
  std::uint64_t fetched = 0;                                                      ///< sectors asked for from below
  std::uint64_t fetched_far = 0;                                                  ///< of them from the other half
  std::uint64_t filled = 0;                                                       ///< sectors that came
  std::uint64_t written_back = 0;                                                 ///< sectors
  std::uint64_t written_back_partial = 0;                                         ///< of them with some bytes only
  std::uint64_t merged = 0;   ///< requests that joined a fill under way
  std::uint64_t blocked = 0;  ///< times that the head could not be served
  std::uint64_t replies = 0, expected = 0;
  std::uint64_t busy = 0;  ///< cycles of the data array
  std::uint64_t atomic_operations = 0, atomic_busy = 0;
  std::uint64_t invalidations = 0;

  void report(stats::MetricSet& metrics) const;
  std::uint64_t sectors() const { return sectors_read + sectors_write + sectors_atomic + sectors_reduction; }
};

}  // namespace sassim::arch
