// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/end_barriers.h"

#include <algorithm>
#include <bit>

namespace sassim::arch {

namespace {

/// A barrier to a slice of the SM's own half is looked up there. One to the other half is looked up in the slice at
/// which it enters, and twice on the link between the halves.
constexpr std::uint64_t kNear = 1, kFar = 3, kFarOnLink = 2;

}  // namespace

EndBarriers::EndBarriers(const config::GpuConfig& config, const Topology& topology)
    : config_(config.memory.l2),
      topology_(topology),
      words_per_sm_((config.memory.l2.slices + 63) / 64),
      words_(config.memory.l2.end_barriers ? config.sm.count * words_per_sm_ : 0) {}

void EndBarriers::start_kernel() {
  std::fill(words_.begin(), words_.end(), 0);
  fences_ = {};
  described_ = from_dram_ = 0;
}

/// Each GPC reads the code and the description through a cache of its own. Half of the GPCs find a sector in the other
/// half of the L2: it crosses the link once, and is then a copy in their half.
EndBarriers::Sectors EndBarriers::launch() const {
  const bool cold = from_dram_ != 0;
  const std::uint64_t more = config_.cold_gpc_sectors;
  const std::uint64_t each = !cold ? config_.launch_gpc_sectors : more != 0 ? described_ + more : 0;
  Sectors sum;
  sum.link = topology_.halves() > 1 ? each : 0;
  sum.all = topology_.gpcs() * each + sum.link + config_.launch_sectors + (cold ? config_.cold_sectors : 0);
  if (cold && each != 0) sum.misses = from_dram_ + sum.link;
  return sum;
}

/// Adds a barrier of the SM to each slice that it has used.
void EndBarriers::add(Sectors& sum, SmId id) const {
  const Endpoint sm = Endpoint::of_sm(id);
  for (std::size_t i = 0; i < words_per_sm_; ++i) {
    for (std::uint64_t left = words_[id.value * words_per_sm_ + i]; left != 0; left &= left - 1) {
      const auto slice = static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
      const bool far = topology_.apart(sm, Endpoint::of_slice(slice));
      sum.all += far ? kFar : kNear;
      sum.link += far ? kFarOnLink : 0;
    }
  }
}

void EndBarriers::of_fences(std::uint32_t near, std::uint32_t far) {
  if (words_.empty()) return;
  fences_.all += kNear * near + kFar * far;
  fences_.link += kFarOnLink * far;
}

EndBarriers::Sectors EndBarriers::barriers() const {
  Sectors sum{fences_.all + config_.launch_barriers, fences_.link, 0};
  for (std::size_t sm = 0; sm * words_per_sm_ < words_.size(); ++sm) add(sum, SmId(static_cast<std::uint16_t>(sm)));
  return sum;
}

void EndBarriers::add_activity(Activity& sum) const {
  const std::uint64_t all = barriers().all + launch().all;
  sum.l2_sectors += all;
  sum.l2_hits += all - launch().misses;
}

/// Adds to what the slices count.
void EndBarriers::report(stats::MetricSet& m) const {
  const bool launches = (config_.launch_barriers | config_.launch_sectors | config_.launch_gpc_sectors |
                         config_.cold_sectors | config_.cold_gpc_sectors | config_.profiled_hits) != 0;
  if (words_.empty() && !launches) return;
  const Sectors launch = this->launch();
  const Sectors barriers = this->barriers();
  m.sum("lts__t_sectors_op_membar.sum", "sector",
        "sectors of memory barriers: of the launch, of fences, and of each SM to the slices that it used",
        barriers.all);
  m.sum("sassim__lts_sectors_launch.sum", "sector", "sectors that the launch reads from L2", launch.all);
  m.more("lts__t_sectors.sum", barriers.all + launch.all);
  m.sum("sassim__lts_sectors_profiled_hit.sum", "sector",
        "hits that the profiler counts beside those of the sectors, because it counts them in another pass",
        config_.profiled_hits);
  m.more("lts__t_sectors_lookup_hit.sum", barriers.all + launch.all - launch.misses + config_.profiled_hits);
  m.more("lts__t_sectors_lookup_miss.sum", launch.misses);
  m.more("lts__t_sectors_op_read.sum", launch.all);
  m.more("lts__t_sectors_op_read_lookup_hit.sum", launch.all - launch.misses);
  m.more("lts__t_sectors_op_read_lookup_miss.sum", launch.misses);
  m.more("lts__t_sectors_srcunit_ltcfabric.sum", barriers.link + launch.link);
  m.more("lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum", barriers.link + launch.link);
}

}  // namespace sassim::arch
