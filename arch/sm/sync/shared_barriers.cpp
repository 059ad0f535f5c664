// SPDX-License-Identifier: Apache-2.0
// Counts arrivals and transactions at each mbarrier of a thread block, ends its phase, and wakes the warps that wait.
#include "arch/sm/sync/shared_barriers.h"

#include <algorithm>

namespace sassim::arch {

void SharedBarriers::start_block(std::uint32_t place) {
  if (blocks_.size() <= place) blocks_.resize(place + 1);
  blocks_[place].clear();
}

SharedBarriers::Barrier* SharedBarriers::find(std::uint32_t place, std::uint32_t address) {
  std::vector<Barrier>& barriers = blocks_[place];
  const auto found =
      std::find_if(barriers.begin(), barriers.end(), [&](const Barrier& b) { return b.address == address; });
  return found == barriers.end() ? nullptr : &*found;
}

void SharedBarriers::init(std::uint32_t place, std::uint32_t address, std::uint32_t expected) {
  invalidate(place, address);
  Barrier barrier;
  barrier.address = address;
  barrier.expected = barrier.pending = static_cast<std::int32_t>(expected);
  blocks_[place].push_back(std::move(barrier));
}

void SharedBarriers::invalidate(std::uint32_t place, std::uint32_t address) {
  std::erase_if(blocks_[place], [&](const Barrier& b) { return b.address == address; });
}

void SharedBarriers::change(std::uint32_t place, std::uint32_t address, const Change& change, Cycle at) {
  Barrier* barrier = find(place, address);
  if (barrier == nullptr) return;
  barrier->pending -= change.arrivals;
  barrier->transactions += change.transactions;
  if (change.leave) barrier->expected -= change.arrivals;
  barrier->latest = std::max(barrier->latest, at);
  if (barrier->pending <= 0 && barrier->transactions == 0) end_phase(*barrier);
}

void SharedBarriers::end_phase(Barrier& barrier) {
  barrier.phase = !barrier.phase;
  barrier.pending += barrier.expected;
  barrier.over = barrier.latest;
  Cycle result = barrier.over + std::max(1u, wake_);
  for (const Waiter& waiter : barrier.waiting) {
    releases_.add(result, waiter);
    result = result + interval_;
  }
  barrier.waiting.clear();
}

Cycle SharedBarriers::wait(std::uint32_t place, std::uint32_t address, bool phase, const Waiter& waiter) {
  Barrier* barrier = find(place, address);
  if (barrier == nullptr) return Cycle{};
  if (barrier->phase != phase) return barrier->over + wake_;
  barrier->waiting.push_back(waiter);
  return kNever;
}

std::uint32_t SharedBarriers::leave(std::uint32_t place, const Waiter& waiter) {
  std::size_t left = 0;
  for (Barrier& barrier : blocks_[place])
    left += std::erase_if(barrier.waiting,
                          [&](const Waiter& w) { return w.warp == waiter.warp && w.check == waiter.check; });
  return static_cast<std::uint32_t>(left);
}

}  // namespace sassim::arch
