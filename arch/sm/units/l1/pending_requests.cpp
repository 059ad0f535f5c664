// SPDX-License-Identifier: Apache-2.0
// The L1's table of outstanding misses (MSHRs): finds a line in flight, and lists the instructions that wait for it.
#include "arch/sm/units/l1/pending_requests.h"

#include <algorithm>
#include <bit>

namespace sassim::arch {

PendingRequests::PendingRequests(std::uint32_t entries, std::uint32_t merges)
    : merges_(std::max(merges, 1u)),
      entries_(std::max(entries, 1u)),
      index_(std::bit_ceil(2 * entries_.size()), kNone) {
  shift_ = 64 - static_cast<std::uint32_t>(std::countr_zero(index_.size()));
  for (auto i = static_cast<std::uint32_t>(entries_.size()); i-- > 0;) {
    entries_[i].next = free_;
    free_ = i;
  }
}

std::uint32_t PendingRequests::find(std::uint64_t line) const {
  for (std::uint32_t i = home(line); index_[i] != kNone; i = after(i))
    if (entries_[index_[i]].line == line) return index_[i];
  return kNone;
}

std::uint32_t PendingRequests::allocate(std::uint64_t line, bool fills, bool mergeable, std::uint32_t pc) {
  const std::uint32_t entry = free_;
  free_ = entries_[entry].next;
  entries_[entry] = Entry{};
  entries_[entry].line = line;
  entries_[entry].fills = fills;
  entries_[entry].mergeable = mergeable;
  entries_[entry].pc = pc;
  ++in_use_;
  if (mergeable) {
    std::uint32_t i = home(line);
    while (index_[i] != kNone) i = after(i);
    index_[i] = entry;
  }
  return entry;
}

void PendingRequests::wait(std::uint32_t index, std::uint32_t op, std::uint8_t sectors) {
  std::uint32_t waiter = free_waiter_;
  if (waiter == kNone) {
    waiter = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[waiter].next;
  }
  waiters_[waiter] = {op, kNone, sectors};
  Entry& entry = entries_[index];
  (entry.first_waiter == kNone ? entry.first_waiter : waiters_[entry.last_waiter].next) = waiter;
  entry.last_waiter = waiter;
  ++entry.waiters;
}

void PendingRequests::part() {
  for (std::uint32_t& place : index_) {
    if (place == kNone) continue;
    entries_[place].mergeable = entries_[place].fills = false;
    place = kNone;
  }
}

void PendingRequests::release_waiter(std::uint32_t waiter) {
  waiters_[waiter].next = free_waiter_;
  free_waiter_ = waiter;
}

void PendingRequests::release(std::uint32_t index) {
  Entry& entry = entries_[index];
  if (entry.mergeable) {
    const auto last = static_cast<std::uint32_t>(index_.size() - 1);  // the size is a power of two
    std::uint32_t hole = home(entry.line);
    while (index_[hole] != index) hole = after(hole);
    for (std::uint32_t i = after(hole); index_[i] != kNone; i = after(i)) {
      const std::uint32_t wanted = home(entries_[index_[i]].line);
      if (((i - wanted) & last) < ((i - hole) & last)) continue;
      index_[hole] = index_[i];
      hole = i;
    }
    index_[hole] = kNone;
  }
  entry.next = free_;
  free_ = index;
  --in_use_;
}

}  // namespace sassim::arch
