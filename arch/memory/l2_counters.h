// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "arch/common/request_kind.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

/// Counters of an L2 slice; the report sums them over all slices.
struct L2Counters {
  /// Hits and misses do not add up to the sectors: a hit is a sector that need not be fetched, because it is present or
  /// in flight, and a miss is one that is fetched, wanted or not (validation/measured/h200/l2.md#hit-rates).
  struct Lookups {
    std::uint64_t requests = 0, sectors = 0;
    std::uint64_t hits = 0, misses = 0;  ///< in sectors
    void add(const Lookups& more) {
      requests += more.requests;
      sectors += more.sectors;
      hits += more.hits;
      misses += more.misses;
    }
  };
  Lookups read, write, atomic, reduction;  ///< by operation
  Lookups tex, code, walker;               ///< by sender: L1s; instruction and constant caches; page walks
  Lookups tex_read, tex_write;             ///< the parts of `tex` that are loads and stores
  Lookups fabric;      ///< requests from the other half: its own, and those that it passes on for its SMs
  Lookups completion;  ///< the slice's own reads of what partly written sectors lack; they count as writes
  Lookups notice;      ///< of the other half that a line was written, of which this half had a copy
  struct {
    std::uint64_t instruction = 0, constant = 0;  ///< the parts of `code`
    std::uint64_t fetched = 0;                    ///< requested from DRAM or from the other half
    std::uint64_t fetched_other_half = 0;         ///< those from the other half
    std::uint64_t filled = 0;                     ///< that arrived
    std::uint64_t written_back = 0;
    std::uint64_t written_back_partial = 0;  ///< those of which only some bytes were written
    std::uint64_t pending_hits = 0;          ///< that another request had already requested
  } sectors;
  struct {
    std::uint64_t merged = 0;   ///< that joined an outstanding miss
    std::uint64_t blocked = 0;  ///< times that the oldest one could not be served
    std::uint64_t replies = 0, expected = 0;
  } requests;
  struct {
    std::uint64_t operations = 0, busy = 0;
  } atomics;
  std::uint64_t busy_bytes = 0;  ///< bytes that the data array could have moved while it was occupied
  std::uint64_t bytes_out = 0;   ///< of replies, with headers and padding
  std::uint64_t invalidations = 0;

  /// The lookups of requests of a kind, by operation.
  Lookups& of(RequestKind kind);
  /// Sums by operation and by sender. A request that is passed from one half to the other counts in both.
  Lookups total() const;    ///< by operation
  Lookups sources() const;  ///< by sender
  void report(stats::CounterValues& values) const;
  template <class Archive>
  void state(Archive& archive) {
    archive(read, write, atomic, reduction, tex, code, walker, tex_read, tex_write, fabric, completion, notice);
    archive(sectors.instruction, sectors.constant, sectors.fetched, sectors.fetched_other_half, sectors.filled,
            sectors.written_back, sectors.written_back_partial, sectors.pending_hits);
    archive(requests.merged, requests.blocked, requests.replies, requests.expected, busy_bytes, bytes_out,
            atomics.operations, atomics.busy, invalidations);
  }
};

}  // namespace sassim::arch
