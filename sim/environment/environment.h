// SPDX-License-Identifier: Apache-2.0
// What is no hardware of the GPU but shows in a kernel's results: lines that copies, other programs and a profiler
// leave in the L2 before it starts, and sectors that a launch, the driver and a profiler add to its counters. None of
// it takes simulated time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"
#include "sim/config/forward.h"
#include "sim/config/groups/environment.h"
#include "sim/environment/cache_contents.h"
#include "sim/stats/counter_values.h"

namespace sassim::environment {

/// How a launch finds the caches: flushed, as the launch before left them, or otherwise, to which nothing is added.
enum class Caches : std::uint8_t { flushed, kept, other };

class Environment {
 public:
  /// The chip has this many GPCs, and its L2 this many halves.
  Environment(const config::GpuConfig& config, std::uint32_t gpcs, std::uint32_t halves);

  /// What a copy (from the host or on the device) or a fill of these bytes leaves in the L2.
  CacheContents written(std::uint64_t address, std::uint64_t bytes, bool from_host) const;
  /// What the L2 holds beside that when the program's next launch starts, in the order in which it got there.
  std::vector<CacheContents> before_launch(Caches caches);
  /// Records that the launch reads so many `sectors` of code and description, of which DRAM delivered `from_dram`.
  void launch_reads(std::uint64_t sectors, std::uint64_t from_dram);

  /// Adds what the L2 of a GPU has counted up to `elapsed` cycles of the launch beside what the kernel does, to the
  /// counts of an L2.
  void report(Cycle elapsed, stats::CounterValues& values) const;
  /// Adds the hits that a profiler counts in another pass, at the end of the launch: a timeline has the kernel's alone.
  void report_profiler(stats::CounterValues& values) const;

  template <class Archive>
  void state(Archive& archive) {
    archive(launched_, pieces_written_, described_, from_dram_);
  }

 private:
  struct LaunchReads {
    std::uint64_t all = 0, link = 0, misses = 0;
  };
  LaunchReads launch() const;
  /// Whether launches or profilers add to the counters.
  bool launches() const {
    return (keys_.launch_barriers | keys_.launch_sectors | keys_.launch_gpc_sectors | keys_.cold_sectors |
            keys_.cold_gpc_sectors | keys_.profiled_hits) != 0;
  }
  std::uint64_t background(Cycle elapsed) const { return elapsed.value * keys_.background_writes / 1000; }

  config::Environment keys_;
  std::uint64_t line_, page_;
  std::uint32_t gpcs_, halves_;
  bool launched_ = false;                        ///< the program has launched a kernel
  std::uint64_t pieces_written_ = 0;             ///< pieces of memory that a profiler has written
  std::uint64_t described_ = 0, from_dram_ = 0;  ///< sectors of code and description; those read from DRAM
};

}  // namespace sassim::environment
