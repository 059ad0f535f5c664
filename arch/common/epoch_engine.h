// SPDX-License-Identifier: Apache-2.0
// Advances components epoch by epoch, on any number of threads. Within an epoch components exchange no messages. An
// epoch is not longer than the fastest message takes, so no message is late, and results are the same bit for bit for
// any number of threads and any shorter epoch.
//
// SMs and memory may advance in turn: the memory by one epoch, then the SMs by two, then the memory by the second. An
// SM has then all replies that reach it in two epochs, and its state is brought into the host's caches half as often.
// In the memory, whose parts send messages to each other, each epoch ends as usual.
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

  /// A component that gets messages from those of add_ahead() alone: an SM.
  void add(Component& component);
  /// A component that advances first where two sides advance in turn: a part of the memory.
  void add_ahead(Component& component);
  /// The exchange that carries the messages of both sides is added before others.
  void add(Exchange& exchange);
  /// The two sides never advance in turn.
  void stay_single() { single_ = true; }

  /// Performs one epoch: jumps to the next event of any component or exchange, advances the components that have work
  /// before the end of the epoch, then exchanges messages. Returns false, and does nothing, if there is no event.
  bool step() { return step_before(Cycle{}); }
  /// The same, or two epochs with the two sides in turn if both end at `limit` or before, and before any cut. The
  /// second one is performed only if the launch cannot end with the first.
  bool step_before(Cycle limit);
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
  /// True if a cut has ended that part.
  bool was_cut() const { return partial() && now_ == cut_; }
  Cycle epoch() const { return epoch_; }
  /// How many have begun.
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
  /// A component of which the other side is ahead.
  struct Follower final : Component {
    explicit Follower(Component& component) : of(&component) {}
    /// Advances to `middle`, and on if the launch lasts longer.
    void advance(Cycle until) override;
    Cycle next_event() const override { return of->next_event(); }
    Component* of;
    Cycle middle{}, at_middle{};  ///< the end of the first epoch, and the next event then
    bool holds = false;           ///< the launch, at that time
  };

  void exchange(Exchange& of, Cycle end);
  void begin(Cycle start);
  void one(Cycle start);
  void two();
  void advance_ahead(Cycle until);
  void assign_followers(Cycle middle, Cycle end);
  Cycle next_at_middle() const;

  Cycle epoch_;
  Cycle now_{0};
  Cycle cut_ = kNever, whole_end_{0};
  std::uint64_t epochs_ = 0;
  std::vector<Component*> components_;  ///< of both sides
  std::vector<Component*> ahead_;
  std::vector<Follower> followers_;
  bool single_ = false;
  std::vector<Exchange*> exchanges_;
  std::shared_ptr<ThreadTeam> team_;
  std::vector<Sharer> sharers_;  ///< one for each thread
};

}  // namespace sassim::arch
