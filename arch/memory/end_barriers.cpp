// SPDX-License-Identifier: Apache-2.0
// Counts the sectors of memory barriers that SMs send to L2 slices (lts__t_sectors_op_membar); they take no time.
#include "arch/memory/end_barriers.h"

#include <algorithm>
#include <bit>

#include "sim/config/gpu_config.h"
#include "sim/config/groups/l2.h"

namespace sassim::arch {

namespace {

const struct BarrierCounters {
  stats::Count sent{"lts__t_sectors_op_membar.sum", "sector",
                    "sectors of memory barriers: of the launch, of fences, and of each SM to the slices that it used"};
  stats::CountName sectors{"lts__t_sectors.sum"}, hits{"lts__t_sectors_lookup_hit.sum"};
  stats::CountName fabric{"lts__t_sectors_srcunit_ltcfabric.sum"},
      fabric_hits{"lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum"};
} kBarriers;

}  // namespace

namespace {

/// A barrier to a slice of the SM's own half is looked up there. One to the other half is looked up in the slice at
/// which it enters, and twice on the link between the halves.
constexpr std::uint64_t kNear = 1, kFar = 3, kFarOnLink = 2;

}  // namespace

EndBarriers::EndBarriers(const config::GpuConfig& config, const Topology& topology)
    : topology_(topology),
      words_per_sm_((config.memory.l2.slices + 63) / 64),
      words_(config.memory.l2.end_barriers ? config.sm.count * words_per_sm_ : 0) {}

void EndBarriers::start_kernel() {
  std::fill(words_.begin(), words_.end(), 0);
  fences_ = {};
}

/// Adds a barrier of the SM to each slice that it has used.
void EndBarriers::add(Sectors& sum, SmId id) const {
  const Endpoint sm = Endpoint::of_sm(id);
  for (std::size_t i = 0; i < words_per_sm_; ++i) {
    for (std::uint64_t left = words_[id.value * words_per_sm_ + i]; left != 0; left &= left - 1) {
      const SliceId slice(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left)));
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
  Sectors sum = fences_;
  for (std::size_t sm = 0; sm * words_per_sm_ < words_.size(); ++sm) add(sum, SmId(static_cast<std::uint16_t>(sm)));
  return sum;
}

void EndBarriers::report(stats::CounterValues& m) const {
  if (words_.empty()) return;
  const Sectors barriers = this->barriers();
  m.sum(kBarriers.sent, barriers.all);
  m.more(kBarriers.sectors, barriers.all);
  m.more(kBarriers.hits, barriers.all);
  m.more(kBarriers.fabric, barriers.link);
  m.more(kBarriers.fabric_hits, barriers.link);
}

}  // namespace sassim::arch
