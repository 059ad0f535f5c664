// SPDX-License-Identifier: Apache-2.0
// Hit rates of LRU caches of every size, from one simulation.
//
// The accesses are those that reach the L1s and L2 slices of the simulated GPU, in their simulated order. For them, the
// curve is exact for fully associative LRU caches whose misses are filled at once. It neglects that another size would
// change the order of accesses slightly, that a smaller L1 would send more to the L2, and that sets and other policies
// hit less.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/explore/lru_stack.h"

namespace sassim::explore {

class MissCurve {
 public:
  struct Step {
    std::uint64_t bytes = 0;  ///< the lowest capacity with this rate
    double rate = 0;          ///< found sectors over all sectors
  };

  MissCurve() = default;
  /// One more line in each cache adds `bytes_per_line` of capacity.
  MissCurve(const HitCounts& counts, std::uint64_t bytes_per_line);

  /// Rising; empty if there were no accesses.
  const std::vector<Step>& steps() const { return steps_; }
  double rate(std::uint64_t bytes) const;
  std::uint64_t sectors() const { return sectors_; }
  std::uint64_t granule() const { return bytes_per_line_; }

 private:
  std::vector<Step> steps_;
  std::uint64_t sectors_ = 0, bytes_per_line_ = 1;
};

struct MissCurves {
  MissCurve l1;  ///< of all L1s; the capacity is that of one L1 without its shared memory
  MissCurve l2;  ///< the capacity is that of all slices
};

/// Reads the result of a point of kind "miss_curves". Throws InputError that begins with `place`.
MissCurves read_miss_curves(const std::string& json, const std::string& place);

}  // namespace sassim::explore
