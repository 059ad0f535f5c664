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

void EndBarriers::start_kernel(bool cold) {
  std::fill(words_.begin(), words_.end(), 0);
  cold_ = cold;
}

EndBarriers::Sectors EndBarriers::barriers() const {
  Sectors sum{config_.launch_barriers, config_.launch_link_sectors};
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Endpoint sm = Endpoint::of_sm(SmId(static_cast<std::uint16_t>(i / words_per_sm_)));
    for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
      const auto slice =
          static_cast<std::uint32_t>(i % words_per_sm_ * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
      const bool far = topology_.apart(sm, Endpoint::of_slice(slice));
      sum.all += far ? kFar : kNear;
      sum.link += far ? kFarOnLink : 0;
    }
  }
  return sum;
}

void EndBarriers::add_activity(Activity& sum) const {
  const std::uint64_t all = barriers().all;
  sum.l2_sectors += all + launch();
  sum.l2_hits += all;
}

/// Adds to what the slices count.
void EndBarriers::report(stats::MetricSet& m) const {
  if (words_.empty() && config_.launch_barriers == 0 && launch() == 0) return;
  const auto [barriers, link] = this->barriers();
  m.sum("lts__t_sectors_op_membar.sum", "sector",
        "sectors of memory barriers: of the launch, and of each SM to the slices that it used", barriers);
  m.sum("sassim__lts_sectors_launch.sum", "sector", "sectors that the launch reads from L2", launch());
  m.more("lts__t_sectors.sum", barriers + launch());
  m.more("lts__t_sectors_lookup_hit.sum", barriers);
  m.more("lts__t_sectors_lookup_miss.sum", launch());
  m.more("lts__t_sectors_op_read.sum", launch());
  m.more("lts__t_sectors_op_read_lookup_miss.sum", launch());
  m.more("lts__t_sectors_srcunit_ltcfabric.sum", link);
  m.more("lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum", link);
}

}  // namespace sassim::arch
