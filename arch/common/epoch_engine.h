// SPDX-License-Identifier: Apache-2.0
// Advances components epoch by epoch, on any number of threads. Within an epoch nobody hears of anybody else; an epoch
// is at most as long as the fastest message takes, so nothing is lost, and the result is the same bit for bit for any
// number of threads and any shorter epoch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/common/component.h"

namespace sassim::arch {

class ThreadTeam;

class EpochEngine {
 public:
  /// `epoch` must not exceed the lookahead: the least time between sending a message and its effect.
  EpochEngine(Cycle epoch, unsigned threads);
  ~EpochEngine();
  EpochEngine(const EpochEngine&) = delete;
  EpochEngine& operator=(const EpochEngine&) = delete;

  void add(Component& component);
  void add(Exchange& exchange);

  /// One epoch: jumps to the next event of anybody, advances those that have work before the epoch's end, exchanges.
  /// False, and nothing done, when nobody has any event left.
  bool step();
  /// An epoch that would go beyond this cycle is done in two parts, until another cycle is named. Changes no result.
  void cut(Cycle at) { cut_ = at; }
  /// The start of the next epoch that step() would do; kNever when nobody has work.
  Cycle next() const;
  /// Everything before this has happened.
  Cycle now() const { return now_; }
  /// The end of the epoch, uncut, that was begun last.
  Cycle whole_end() const { return whole_end_; }
  /// Only a part of it is done.
  bool partial() const { return now_ < whole_end_; }
  Cycle epoch() const { return epoch_; }
  std::uint64_t epochs() const { return epochs_; }
  /// Between two epochs.
  template <class Archive>
  void state(Archive& archive) {
    archive(now_, whole_end_, epochs_);
  }

 private:
  Cycle epoch_;
  Cycle now_{0};
  Cycle cut_ = kNever, whole_end_{0};
  std::uint64_t epochs_ = 0;
  std::vector<Component*> components_;
  std::vector<Exchange*> exchanges_;
  std::unique_ptr<ThreadTeam> team_;
};

}  // namespace sassim::arch
