// SPDX-License-Identifier: Apache-2.0
// The queues, one for each SM, in which ended thread blocks wait until the GPU hears of them and frees their places.
#include "arch/gpu/block_ends.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sassim::arch {

BlockEnds::BlockEnds(std::vector<std::size_t> turns, double interval)
    : turns_(std::move(turns)), interval_(interval), waiting_(turns_.size()), turn_of_(turns_.size()) {
  for (std::size_t turn = 0; turn < turns_.size(); ++turn) turn_of_[turns_[turn]] = turn;
}

void BlockEnds::clear() {
  for (auto& queue : waiting_) queue.clear();
  count_ = turn_ = 0;
  free_ = 0;
}

void BlockEnds::add(std::size_t sm, Cycle time, LaunchIndex launch) {
  waiting_[turn_of_[sm]].push_back({time, launch});
  ++count_;
}

double BlockEnds::due() const {
  Cycle first = kNever;
  for (const auto& queue : waiting_)
    if (!queue.empty()) first = std::min(first, queue.front().time);
  return std::max(free_, static_cast<double>(first.value));
}

Cycle BlockEnds::next() const { return count_ == 0 ? kNever : Cycle(static_cast<std::uint64_t>(due())); }

std::optional<BlockEnd> BlockEnds::dequeue(Cycle known) {
  if (count_ == 0) return {};
  const double at = due();
  if (at >= static_cast<double>(known.value)) return {};
  while (waiting_[turn_].empty() || static_cast<double>(waiting_[turn_].front().time.value) > at)
    turn_ = (turn_ + 1) % waiting_.size();
  const Waiting end = waiting_[turn_].front();
  waiting_[turn_].pop_front();
  --count_;
  const std::size_t sm = turns_[turn_];
  turn_ = (turn_ + 1) % waiting_.size();
  free_ = at + interval_;
  return BlockEnd{end.time, sm, end.launch, Cycle(static_cast<std::uint64_t>(std::ceil(at)))};
}

}  // namespace sassim::arch
