// SPDX-License-Identifier: Apache-2.0
// What the L2 counts beside the sectors of a kernel's instructions.
#include "sim/environment/environment.h"

namespace sassim::environment {

void Environment::launch_reads(std::uint64_t sectors, std::uint64_t from_dram) {
  described_ += sectors;
  from_dram_ += from_dram;
}

/// Each GPC reads the code and the description through a cache of its own. Half of the GPCs find a sector in the other
/// half of the L2: it crosses the link once, and is then a copy in their half.
Environment::LaunchReads Environment::launch() const {
  const bool cold = from_dram_ != 0;
  const std::uint64_t more = keys_.cold_gpc_sectors;
  const std::uint64_t each = !cold ? keys_.launch_gpc_sectors : more != 0 ? described_ + more : 0;
  LaunchReads sum;
  sum.link = halves_ > 1 ? each : 0;
  sum.all = gpcs_ * each + sum.link + keys_.launch_sectors + (cold ? keys_.cold_sectors : 0);
  if (cold && each != 0) sum.misses = from_dram_ + sum.link;
  return sum;
}

Sectors Environment::counted(Cycle elapsed) const {
  const LaunchReads reads = launch();
  const std::uint64_t others = keys_.launch_barriers + background(elapsed);
  return {reads.all + others, reads.all - reads.misses + others};
}

void Environment::report(Cycle elapsed, stats::MetricSet& m) const {
  if (const std::uint64_t written = background(elapsed); written != 0)
    for (const char* name : {"lts__t_sectors.sum", "lts__t_sectors_lookup_hit.sum", "lts__t_sectors_op_write.sum",
                             "lts__t_sectors_op_write_lookup_hit.sum"})
      m.more(name, written);
  const bool launches = (keys_.launch_barriers | keys_.launch_sectors | keys_.launch_gpc_sectors | keys_.cold_sectors |
                         keys_.cold_gpc_sectors | keys_.profiled_hits) != 0;
  if (!launches) return;
  const LaunchReads reads = launch();
  const std::uint64_t hits = reads.all - reads.misses;
  m.sum("lts__t_sectors_op_membar.sum", "sector",
        "sectors of memory barriers: of the launch, of fences, and of each SM to the slices that it used",
        keys_.launch_barriers);
  m.sum("sassim__lts_sectors_launch.sum", "sector", "sectors that the launch reads from L2", reads.all);
  m.more("lts__t_sectors.sum", keys_.launch_barriers + reads.all);
  m.sum("sassim__lts_sectors_profiled_hit.sum", "sector",
        "hits that the profiler counts beside those of the sectors, because it counts them in another pass",
        keys_.profiled_hits);
  m.more("lts__t_sectors_lookup_hit.sum", keys_.launch_barriers + hits + keys_.profiled_hits);
  m.more("lts__t_sectors_lookup_miss.sum", reads.misses);
  m.more("lts__t_sectors_op_read.sum", reads.all);
  m.more("lts__t_sectors_op_read_lookup_hit.sum", hits);
  m.more("lts__t_sectors_op_read_lookup_miss.sum", reads.misses);
  m.more("lts__t_sectors_srcunit_ltcfabric.sum", reads.link);
  m.more("lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum", reads.link);
}

}  // namespace sassim::environment
