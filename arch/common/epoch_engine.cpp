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

void EpochEngine::add(Component& component) { components_.push_back(&component); }
void EpochEngine::add(Exchange& exchange) { exchanges_.push_back(&exchange); }

Cycle EpochEngine::next() const {
  Cycle earliest = kNever;
  for (const Component* component : components_) earliest = std::min(earliest, component->next_event());
  for (const Exchange* exchange : exchanges_) earliest = std::min(earliest, exchange->next_event());
  return earliest == kNever ? kNever : std::max(earliest, now_);
}

bool EpochEngine::step() {
  const Cycle start = next();
  if (start == kNever) return false;
  if (start >= whole_end_) whole_end_ = start + epoch_;
  const Cycle end = cut_ > start ? std::min(whole_end_, cut_) : whole_end_;
  for (std::size_t i = 0; i < components_.size(); ++i)
    if (components_[i]->next_event() < end) team_->assign(i, *components_[i]);
  team_->advance(end);
  now_ = end;
  ++epochs_;
  for (Exchange* each : exchanges_) exchange(*each, end);
  return true;
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
