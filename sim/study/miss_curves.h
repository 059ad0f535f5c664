// SPDX-License-Identifier: Apache-2.0
// Hit rates of an LRU cache of every size, from one simulation.
//
// The accesses are those that reach the L1s and the L2 slices of the simulated GPU, in the order in which they do. The
// curve is exact for these accesses and fully associative LRU caches that have a missing sector at once. What it does
// not know: other sizes would change the order a little, a smaller L1 would send the L2 more, sets and other policies
// hit less.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/lru_stack.h"

namespace sassim::study {

class MissCurve {
 public:
  struct Step {
    std::uint64_t bytes = 0;  ///< from this capacity on
    double rate = 0;          ///< sectors found, of all
  };

  MissCurve() = default;
  /// A line more per cache is `bytes_per_line` more of capacity.
  MissCurve(const HitCounts& counts, std::uint64_t bytes_per_line);

  /// Rising; empty when nothing was accessed.
  const std::vector<Step>& steps() const { return steps_; }
  double rate(std::uint64_t bytes) const;
  std::uint64_t sectors() const { return sectors_; }
  std::uint64_t granule() const { return bytes_per_line_; }

 private:
  std::vector<Step> steps_;
  std::uint64_t sectors_ = 0, bytes_per_line_ = 1;
};

struct MissCurves {
  MissCurve l1;  ///< of the L1s together; capacity of one, beside shared memory
  MissCurve l2;  ///< capacity of all slices
};

/// The result of a point of kind "miss_curves". Throws InputError starting with `place`.
MissCurves read_miss_curves(const std::string& json, const std::string& place);

}  // namespace sassim::study
