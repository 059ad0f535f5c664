// SPDX-License-Identifier: Apache-2.0
// When a channel refreshes. The refreshes of an idle period are made up for later, with the cycles in which they were
// due.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/memory/dram/dram.h"
#include "arch/memory/dram/refresh.h"
#include "sim/config/groups/dram.h"

namespace sassim::arch {

class RefreshClock {
 public:
  RefreshClock(const config::DramConfig& config, std::uint32_t index)
      : policy_(DramRefreshes::instance().make(config.refresh, config, index)),
        next_(policy_->interval() == 0 ? kNeverDram : DramCycle(policy_->first())) {}

  DramCycle next() const { return next_; }
  /// Calls `block(bank, cycle in which it was due, duration)` for what is due at `now`. Returns the number of
  /// refreshes.
  template <class Block>
  std::uint64_t advance(DramCycle now, Block block) {
    if (now < next_) return 0;
    const std::uint64_t before = done_, interval = policy_->interval();
    const std::uint64_t missed = (now - next_).value / interval;
    if (missed > policy_->round()) {  // only the last round can still delay an access
      const std::uint64_t skipped = missed - policy_->round();
      next_ += DramCycle(skipped * interval);
      done_ += skipped;
    }
    for (; next_ <= now; next_ += DramCycle(interval)) {
      banks_.clear();
      policy_->choose(done_++, banks_);
      for (const std::size_t bank : banks_) block(bank, next_, policy_->duration());
    }
    return done_ - before;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(next_, done_);
  }

 private:
  std::unique_ptr<DramRefresh> policy_;
  DramCycle next_;
  std::uint64_t done_ = 0;
  std::vector<std::size_t> banks_;  ///< of one refresh
};

}  // namespace sassim::arch
