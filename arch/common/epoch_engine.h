// SPDX-License-Identifier: Apache-2.0
// Advances components epoch by epoch, on any number of threads. Within an epoch components exchange no messages. An
// epoch is not longer than the fastest message takes, so no message is late, and results are the same bit for bit for
// any number of threads and any shorter epoch.
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
  /// Shares threads with engines that step at other times.
  EpochEngine(Cycle epoch, std::shared_ptr<ThreadTeam> team);
  ~EpochEngine();
  EpochEngine(const EpochEngine&) = delete;
  EpochEngine& operator=(const EpochEngine&) = delete;

  void add(Component& component);
  void add(Exchange& exchange);

  /// Performs one epoch: jumps to the next event of any component or exchange, advances the components that have work
  /// before the end of the epoch, then exchanges messages. Returns false, and does nothing, if there is no event.
  bool step();
  /// Ends the threads between two steps (ThreadTeam::rest()).
  void rest(bool for_good);
  /// Splits an epoch that would pass this cycle into two parts, until another cycle is set. Changes no result.
  void cut(Cycle at) { cut_ = at; }
  /// The start of the epoch that step() would perform; kNever if there is no event.
  Cycle next() const;
  /// Everything before this cycle has been simulated.
  Cycle now() const { return now_; }
  /// The end of the epoch that was started last, without cuts.
  Cycle whole_end() const { return whole_end_; }
  /// True if only a part of that epoch has been simulated.
  bool partial() const { return now_ < whole_end_; }
  Cycle epoch() const { return epoch_; }
  std::uint64_t epochs() const { return epochs_; }
  /// Between two epochs.
  template <class Archive>
  void state(Archive& archive) {
    archive(now_, whole_end_, epochs_);
  }

 private:
  /// A thread's share of an exchange; its advance() is a step of it.
  struct Sharer final : Component {
    void advance(Cycle until) override { ((*of).*step)(share, until); }
    Cycle next_event() const override { return kNever; }
    Exchange* of = nullptr;
    void (Exchange::*step)(Share, Cycle) = nullptr;
    Share share;
  };
  void exchange(Exchange& of, Cycle end);

  Cycle epoch_;
  Cycle now_{0};
  Cycle cut_ = kNever, whole_end_{0};
  std::uint64_t epochs_ = 0;
  std::vector<Component*> components_;
  std::vector<Exchange*> exchanges_;
  std::shared_ptr<ThreadTeam> team_;
  std::vector<Sharer> sharers_;  ///< one for each thread
};

}  // namespace sassim::arch
