// SPDX-License-Identifier: Apache-2.0
// What copies, other programs, the driver and a profiler leave in the L2 and in its counters. fields_environment.cpp
// says what each member means.
#pragma once

#include <cstdint>

namespace sassim::config {

struct Environment {
  std::uint64_t upload = 0;
  std::uint32_t upload_ways = 0;
  std::uint64_t upload_inline = 0;
  std::uint64_t others_written = 0;
  bool others_full = false;
  std::uint64_t flushed = 0, profiled = 0, profiled_written = 0, profiled_each = 0;
  std::uint32_t profiled_hits = 0, background_writes = 0;
  std::uint32_t launch_barriers = 0, launch_sectors = 0, launch_gpc_sectors = 0;
  std::uint32_t cold_sectors = 0, cold_gpc_sectors = 0;
};

}  // namespace sassim::config
