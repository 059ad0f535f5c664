// SPDX-License-Identifier: Apache-2.0
// Tells a DRAM channel which refreshes are due. Those of an idle period are made up for later, with the cycles in which
// they were due. A channel begins as in a machine that runs: its refreshes have gone on for two rounds (a round
// refreshes each bank once).
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
  RefreshClock(const config::DramConfig& config, const DramStart& start)
      : policy_(DramRefreshes::instance().make(config.refresh, config, start.channel)), begin_(start.begin) {
    const std::uint64_t interval = policy_->interval();
    if (interval == 0) return;
    before_ = 2 * policy_->round() * interval;
    const std::uint64_t first = policy_->first();
    done_ = first < before_ ? (before_ - first + interval - 1) / interval : 0;
    next_ = begin_ + (first + done_ * interval - before_);
  }

  const DramRefresh& policy() const { return *policy_; }
  DramCycle next() const { return next_; }
  /// Right after construction: calls `block(bank, end)` for each bank that a refresh blocks in the first cycle.
  template <class Block>
  void in_progress(Block block) {
    for (std::uint64_t number = 0; number < done_; ++number) {
      const std::uint64_t end = policy_->first() + number * policy_->interval() + policy_->duration();
      if (end <= before_) continue;
      banks_.clear();
      policy_->choose(number, banks_);
      for (const std::size_t bank : banks_) block(bank, begin_ + (end - before_));
    }
  }
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
  DramCycle begin_, next_ = kNeverDram;
  std::uint64_t before_ = 0;  ///< cycles of refreshes before `begin_`
  std::uint64_t done_ = 0;
  std::vector<std::size_t> banks_;  ///< of one refresh
};

}  // namespace sassim::arch
