// SPDX-License-Identifier: Apache-2.0
// Outstanding misses: lines in flight from the L2, and the instructions that wait for them. The table is separate from
// the lines of the L1: arriving data go both to the registers and to the L1.
#pragma once

#include <cstdint>
#include <vector>

namespace sassim::arch {

class PendingRequests {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  struct Entry {
    std::uint64_t line = 0;
    std::uint8_t requested = 0, arrived = 0;
    bool fills = true;      ///< the L1 stores the data
    bool mergeable = true;  ///< later loads may wait for this entry
    std::uint16_t waiters = 0;
    std::uint32_t first_waiter = kNone, last_waiter = kNone;
    std::uint32_t next = kNone;  ///< next free entry
    std::uint32_t pc = 0;        ///< program counter of the load that missed first
  };

  PendingRequests(std::uint32_t entries, std::uint32_t merges);

  /// The entry that later loads of this line may join; kNone if there is none.
  std::uint32_t find(std::uint64_t line) const;
  const Entry& operator[](std::uint32_t entry) const { return entries_[entry]; }
  bool full() const { return free_ == kNone; }
  std::size_t room() const { return entries_.size() - in_use_; }
  bool can_merge(std::uint32_t entry) const { return entries_[entry].waiters < merges_; }

  std::uint32_t allocate(std::uint64_t line, bool fills, bool mergeable, std::uint32_t pc = 0);
  /// More sectors of the line are in flight.
  void request(std::uint32_t entry, std::uint8_t sectors) { entries_[entry].requested |= sectors; }
  void wait(std::uint32_t entry, std::uint32_t op, std::uint8_t sectors);

  /// Sectors have arrived: calls `ready(op)` in order for each waiter that now has all its sectors, and frees the entry
  /// when no sector is in flight.
  template <class Ready>
  void arrive(std::uint32_t index, std::uint8_t sectors, Ready ready) {
    Entry& entry = entries_[index];
    entry.arrived |= sectors;
    std::uint32_t previous = kNone;
    for (std::uint32_t w = entry.first_waiter; w != kNone;) {
      const std::uint32_t following = waiters_[w].next;
      if ((waiters_[w].sectors & ~entry.arrived) == 0) {
        ready(waiters_[w].op);
        (previous == kNone ? entry.first_waiter : waiters_[previous].next) = following;
        if (entry.last_waiter == w) entry.last_waiter = previous;
        --entry.waiters;
        release_waiter(w);
      } else {
        previous = w;
      }
      w = following;
    }
    if (entry.arrived == entry.requested) release(index);
  }

  /// Separates all entries from the L1: their loads still get the data, but later loads do not merge with them, and the
  /// L1 does not keep the lines.
  void part();

  std::uint32_t in_use() const { return in_use_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(entries_, waiters_, index_, free_, free_waiter_, in_use_);
  }

 private:
  struct Waiter {
    std::uint32_t op = 0;
    std::uint32_t next = kNone;
    std::uint8_t sectors = 0;
  };

  std::uint32_t home(std::uint64_t line) const {
    return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15ull) >> shift_);
  }
  std::uint32_t after(std::uint32_t i) const { return (i + 1) & static_cast<std::uint32_t>(index_.size() - 1); }
  void release(std::uint32_t entry);
  void release_waiter(std::uint32_t waiter);

  std::uint32_t merges_;
  std::vector<Entry> entries_;
  std::vector<Waiter> waiters_;
  std::vector<std::uint32_t> index_;  ///< open-addressing hash table from line to the entry that loads may join
  std::uint32_t free_ = kNone, free_waiter_ = kNone;
  std::uint32_t shift_ = 0;
  std::uint32_t in_use_ = 0;
};

}  // namespace sassim::arch
