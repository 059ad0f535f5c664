// SPDX-License-Identifier: Apache-2.0
// The part of Environment that adds to the counters of the L2 what a launch, the driver and a profiler cause, beside
// the sectors of the kernel's instructions.
#include "sim/environment/environment.h"

namespace sassim::environment {

namespace {

/// Counters of the L2 to which an environment adds.
const struct L2Names {
  stats::CountName sectors{"lts__t_sectors.sum"}, hits{"lts__t_sectors_lookup_hit.sum"},
      misses{"lts__t_sectors_lookup_miss.sum"};
  stats::CountName read{"lts__t_sectors_op_read.sum"}, read_hits{"lts__t_sectors_op_read_lookup_hit.sum"},
      read_misses{"lts__t_sectors_op_read_lookup_miss.sum"};
  stats::CountName write{"lts__t_sectors_op_write.sum"}, write_hits{"lts__t_sectors_op_write_lookup_hit.sum"};
  stats::CountName fabric{"lts__t_sectors_srcunit_ltcfabric.sum"},
      fabric_hits{"lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum"};
  stats::CountName barriers{"lts__t_sectors_op_membar.sum"};
} kL2;
const stats::Count kLaunchSectors("sassim__lts_sectors_launch.sum", "sector", "sectors that the launch reads from L2");
const stats::Count kProfiledHits(
    "sassim__lts_sectors_profiled_hit.sum", "sector",
    "hits that the profiler counts beside those of the sectors, because it counts them in another pass");

}  // namespace

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

void Environment::report(Cycle elapsed, stats::CounterValues& m) const {
  if (const std::uint64_t written = background(elapsed); written != 0)
    for (const stats::CountName* counter : {&kL2.sectors, &kL2.hits, &kL2.write, &kL2.write_hits})
      m.more(*counter, written);
  if (!launches()) return;
  const LaunchReads reads = launch();
  const std::uint64_t hits = reads.all - reads.misses;
  m.sum(kL2.barriers, keys_.launch_barriers);
  m.sum(kLaunchSectors, reads.all);
  m.more(kL2.sectors, keys_.launch_barriers + reads.all);
  m.more(kL2.hits, keys_.launch_barriers + hits);
  m.more(kL2.misses, reads.misses);
  m.more(kL2.read, reads.all);
  m.more(kL2.read_hits, hits);
  m.more(kL2.read_misses, reads.misses);
  m.more(kL2.fabric, reads.link);
  m.more(kL2.fabric_hits, reads.link);
}

void Environment::report_profiler(stats::CounterValues& m) const {
  if (!launches()) return;
  m.sum(kProfiledHits, keys_.profiled_hits);
  m.more(kL2.hits, keys_.profiled_hits);
}

}  // namespace sassim::environment
