// SPDX-License-Identifier: Apache-2.0
// Where instructions enter the units of the SM from the queues of its processing blocks: one instruction at a time, the
// blocks in turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/memory/memory_queue.h"
#include "arch/sm/units/units.h"

namespace sassim::arch {

class MemoryEntry {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// `interval`: cycles between two instructions; those of the memory stage differ (Units::interval).
  MemoryEntry(UnitQueue which, std::uint32_t interval, Units& units)
      : which_(which), interval_(std::max(1u, interval)), units_(units) {}

  MemoryEntry(const MemoryEntry&) = delete;
  MemoryEntry& operator=(const MemoryEntry&) = delete;

  void connect(MemoryQueue& queue) {
    queues_.push_back({&queue, Cycle{}});
    queue.count_in(waiting_);
  }
  void start_kernel(Cycle now) {
    free_ = now;
    busy_ = 0;
    for (Queue& queue : queues_) queue.served = now;
  }

  /// Accepts an instruction if one is ready and there is room; returns its processing block, or kNone. Among the blocks
  /// with a ready instruction, the one that was served longest ago comes first. With a fixed rotation, a block that is
  /// limited by its own address stage would delay the others, and all would run at the rate of the slowest.
  std::size_t accept(Cycle now) {
    if (waiting_ == 0 || now < free_) return kNone;
    std::size_t first = kNone;
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (queues_[i].from->ready_at() <= now && (first == kNone || queues_[i].served < queues_[first].served) &&
          (!overtakes() || room(queues_[i], now) <= now))
        first = i;
    if (first == kNone || (!overtakes() && room(queues_[first], now) > now)) return kNone;
    MemoryQueue& queue = *queues_[first].from;
    const std::uint32_t interval = which_ == UnitQueue::memory ? units_.interval(queue.front()) : interval_;
    // A barrier moves no data: Nsight Compute does not count it among the cycles of the memory pipes.
    if (queue.front().decoded->op != isa::OpClass::barrier) busy_ += interval;
    units_.accept(which_, queue.front(), now);
    queue.pop(now);
    free_ = now + interval;
    queues_[first].served = now;
    return first;
  }
  /// True if an instruction waits that accept() looks at.
  bool is_asked(Cycle now) const {
    return waiting_ != 0 && now >= free_ &&
           std::any_of(queues_.begin(), queues_.end(), [now](const Queue& q) { return q.from->ready_at() <= now; });
  }
  /// A cycle from `now` on in which accept() may accept an instruction: of the one that is ready first.
  Cycle next_event(Cycle now) const {
    if (waiting_ == 0) return kNever;
    Cycle next = kNever;
    const Queue* first = nullptr;
    for (const Queue& queue : queues_) {
      Cycle ready = queue.from->ready_at();
      if (ready >= next) continue;
      if (overtakes()) ready = room(queue, std::max({ready, free_, now}));
      if (ready >= next) continue;
      next = ready;
      first = &queue;
    }
    if (first == nullptr) return kNever;
    next = std::max({next, free_, now});
    return overtakes() ? next : room(*first, next);
  }

  /// Cycles in which it was busy.
  std::uint64_t busy() const { return busy_; }

  template <class Archive>
  void state(Archive& archive) {
    archive(free_, busy_, waiting_);
    for (Queue& queue : queues_) archive(queue.served);
  }

 private:
  struct Queue {
    MemoryQueue* from;
    Cycle served;  ///< when one of its instructions was accepted last
  };

  /// In the ADU, an instruction that a unit is ready for overtakes those of other blocks that wait for their unit.
  bool overtakes() const { return which_ == UnitQueue::adu; }
  /// The first cycle, from `now` on, in which there may be room for the queue's oldest instruction.
  Cycle room(const Queue& queue, Cycle now) const { return units_.ready(which_, queue.from->front(), now); }

  UnitQueue which_;
  std::uint32_t interval_;
  Units& units_;
  std::vector<Queue> queues_;
  Cycle free_;
  std::uint64_t busy_ = 0;
  std::uint32_t waiting_ = 0;  ///< in all queues
};

}  // namespace sassim::arch
