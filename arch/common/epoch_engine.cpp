// SPDX-License-Identifier: Apache-2.0
// Performs one epoch of simulated time after another: all components that have work advance, then their messages are
// exchanged.
#include "arch/common/epoch_engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "arch/common/thread_team.h"

namespace sassim::arch {

namespace {

/// Messages from which on threads share an exchange: a message takes a third of a microsecond, and meeting twice a few.
constexpr std::size_t kShared = 64;

}  // namespace

EpochEngine::EpochEngine(Cycle epoch, unsigned threads) : EpochEngine(epoch, std::make_shared<ThreadTeam>(threads)) {}

EpochEngine::EpochEngine(Cycle epoch, std::shared_ptr<ThreadTeam> team) : epoch_(epoch), team_(std::move(team)) {
  if (epoch.value == 0) throw std::invalid_argument("an epoch is at least one cycle long");
}

EpochEngine::~EpochEngine() = default;

void EpochEngine::rest(bool for_good) { team_->rest(for_good); }

void EpochEngine::add(Component& component) {
  components_.push_back(&component);
  followers_.emplace_back(component);
}

void EpochEngine::add_ahead(Component& component) {
  components_.push_back(&component);
  ahead_.push_back(&component);
}

void EpochEngine::add(Exchange& exchange) { exchanges_.push_back(&exchange); }

Cycle EpochEngine::next() const {
  Cycle earliest = kNever;
  for (const Component* component : components_) earliest = std::min(earliest, component->next_event());
  for (const Exchange* exchange : exchanges_) earliest = std::min(earliest, exchange->next_event());
  return earliest == kNever ? kNever : std::max(earliest, now_);
}

bool EpochEngine::step_before(Cycle limit) {
  const Cycle start = next();
  if (start == kNever) return false;
  if (start >= whole_end_) begin(start);
  if (!single_ && whole_end_ + epoch_ <= (cut_ > start ? std::min(limit, cut_) : limit))
    two();
  else
    one(start);
  return true;
}

void EpochEngine::begin(Cycle start) {
  whole_end_ = start + epoch_;
  ++epochs_;
}

void EpochEngine::one(Cycle start) {
  const Cycle end = cut_ > start ? std::min(whole_end_, cut_) : whole_end_;
  for (std::size_t i = 0; i < components_.size(); ++i)
    if (components_[i]->next_event() < end) team_->assign(i, *components_[i]);
  team_->advance(end);
  now_ = end;
  for (Exchange* each : exchanges_) exchange(*each, end);
}

/// Ends as single epochs would: after the first one if the launch may end there, or if nothing happens in the second.
void EpochEngine::two() {
  const Cycle middle = whole_end_, end = middle + epoch_;
  advance_ahead(middle);
  exchange(*exchanges_.front(), middle);
  assign_followers(middle, end);
  team_->advance(end);
  for (Exchange* each : exchanges_) exchange(*each, middle);
  now_ = middle;
  const Cycle next = next_at_middle();
  const auto holds = [](const Follower& each) { return each.holds; };
  if (next >= end || std::none_of(followers_.begin(), followers_.end(), holds)) return;
  for (std::size_t i = 0; i < followers_.size(); ++i)
    if (!followers_[i].holds && followers_[i].next_event() < end) team_->assign(i, *followers_[i].of);
  begin(next);
  advance_ahead(end);
  now_ = end;
  for (Exchange* each : exchanges_) exchange(*each, end);
  // Of an epoch that began late, the rest may have no events; as a single one it would be over, or cut.
  if (const Cycle over = std::min(whole_end_, cut_); partial() && this->next() >= over) now_ = over;
}

void EpochEngine::advance_ahead(Cycle until) {
  for (std::size_t i = 0; i < ahead_.size(); ++i)
    if (ahead_[i]->next_event() < until) team_->assign(i, *ahead_[i]);
  team_->advance(until);
}

void EpochEngine::assign_followers(Cycle middle, Cycle end) {
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    Follower& each = followers_[i];
    each.middle = middle;
    each.at_middle = each.next_event();
    each.holds = each.of->holds_launch();
    if (each.at_middle < end) team_->assign(i, each);
  }
}

void EpochEngine::Follower::advance(Cycle until) {
  if (at_middle < middle) {
    of->advance(middle);
    at_middle = of->next_event();
    holds = of->holds_launch();
  }
  if (holds && at_middle < until) of->advance(until);
}

/// Where next() would have been after the first of two epochs. Messages of the second one do not matter: whoever sent
/// them had an event before.
Cycle EpochEngine::next_at_middle() const {
  Cycle earliest = kNever;
  for (const Follower& each : followers_) earliest = std::min(earliest, each.at_middle);
  for (const Component* each : ahead_) earliest = std::min(earliest, each->next_event());
  for (const Exchange* each : exchanges_) earliest = std::min(earliest, each->next_event());
  return earliest == kNever ? kNever : std::max(earliest, now_);
}

void EpochEngine::exchange(Exchange& of, Cycle end) {
  if (team_->size() < 2 || of.to_share() < kShared) return of.exchange(end);
  sharers_.resize(team_->size());
  for (const auto step : {&Exchange::deliver, &Exchange::settle}) {
    for (std::size_t i = 0; i < sharers_.size(); ++i) {
      sharers_[i].of = &of;
      sharers_[i].step = step;
      sharers_[i].share = {i, sharers_.size()};
      team_->assign(i, sharers_[i]);
    }
    team_->advance(end);
  }
  of.shared();
}

}  // namespace sassim::arch
