// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/common/request_kind.h"
#include "sim/stats/metrics.h"

namespace sassim::arch {

/// What a slice counts; summed over all slices in the report.
struct L2Counters {
  struct Lookups {
    std::uint64_t requests = 0, sectors = 0;
    std::uint64_t hits = 0;  ///< sectors
    std::uint64_t misses() const { return sectors - hits; }
    void add(const Lookups& more) {
      requests += more.requests;
      sectors += more.sectors;
      hits += more.hits;
    }
  };
  Lookups read, write, atomic, reduction;  ///< by what they do
  Lookups tex, code, walker;               ///< by who asks: L1s; instruction and constant caches; page walks
  Lookups tex_read, tex_write;             ///< of tex: loads, and stores
  Lookups fabric;                          ///< the other half, for itself or passing on what its SMs ask
  std::uint64_t sectors_instruction = 0, sectors_constant = 0;  ///< of code
  std::uint64_t fetched = 0;                                    ///< sectors asked for from below
  std::uint64_t fetched_other_half = 0;                         ///< of them from the other half
  std::uint64_t filled = 0;                                     ///< sectors that came
  std::uint64_t written_back = 0;                               ///< sectors
  std::uint64_t written_back_partial = 0;                       ///< of them with some bytes only
  std::uint64_t pending_hits = 0;                               ///< sectors that another request had asked for
  std::uint64_t merged = 0;                                     ///< requests that joined a fill under way
  std::uint64_t blocked = 0;                                    ///< times that the head could not be served
  std::uint64_t replies = 0, expected = 0;
  std::uint64_t busy_bytes = 0;  ///< what the data array could have moved while it was taken
  std::uint64_t bytes_out = 0;   ///< replies, with headers and padding
  std::uint64_t atomic_operations = 0, atomic_busy = 0;
  std::uint64_t invalidations = 0;

  /// The lookups of requests of a kind, by what they do.
  Lookups& of(RequestKind kind);
  /// A request counts again where it passes from one half to the other.
  Lookups total() const;    ///< by operation
  Lookups sources() const;  ///< the same by who asks
  void report(stats::MetricSet& metrics) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(read, write, atomic, reduction, tex, code, walker, tex_read, tex_write, fabric);
    archive(sectors_instruction, sectors_constant, fetched, fetched_other_half, filled, written_back,
            written_back_partial, pending_hits, merged, blocked, replies, expected, busy_bytes, bytes_out,
            atomic_operations, atomic_busy, invalidations);
  }
};

}  // namespace sassim::arch
