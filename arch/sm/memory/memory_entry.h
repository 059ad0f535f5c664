// SPDX-License-Identifier: Apache-2.0
// The entry from the queues of the processing blocks into the memory stage that the SM shares: one instruction at a
// time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/memory/load_store_unit.h"
#include "arch/sm/memory/memory_queue.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class MemoryEntry {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// What the instructions go to: the memory stage, the address divergence unit or the texture unit.
  enum class To : std::uint8_t { memory, adu, textures };

  /// `interval`: cycles between two instructions.
  MemoryEntry(std::uint32_t interval, LoadStoreUnit& stage, To to = To::memory)
      : interval_(std::max(1u, interval)), to_(to), stage_(stage) {}

  MemoryEntry(const MemoryEntry&) = delete;
  MemoryEntry& operator=(const MemoryEntry&) = delete;

  void connect(MemoryQueue& queue) {
    queues_.push_back({&queue, Cycle{}});
    queue.count_in(waiting_);
  }
  void start_kernel(Cycle now) {
    free_ = now;
    accepted_ = 0;
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
          (to_ != To::adu || stage_.adu_ready(queues_[i].from->front(), now) <= now))
        first = i;
    if (first == kNone || (to_ != To::adu && room(now) > now)) return kNone;
    MemoryQueue& queue = *queues_[first].from;
    if (to_ == To::adu)
      stage_.accept_adu(queue.front(), now);
    else if (to_ == To::textures)
      stage_.accept_texture(queue.front(), now);
    else
      stage_.accept(queue.front(), now);
    queue.pop(now);
    free_ = now + interval_;
    queues_[first].served = now;
    ++accepted_;
    return first;
  }
  /// The first cycle, from `now` on, in which accept() may accept an instruction.
  Cycle next_event(Cycle now) const {
    if (waiting_ == 0) return kNever;
    Cycle next = kNever;
    for (const Queue& queue : queues_) {
      const Cycle ready = queue.from->ready_at();
      if (ready >= next) continue;
      next =
          to_ == To::adu ? std::min(next, stage_.adu_ready(queue.from->front(), std::max({ready, free_, now}))) : ready;
    }
    if (next == kNever) return kNever;
    next = std::max({next, free_, now});
    return to_ == To::adu ? next : std::max(next, room(next));
  }

  void report(stats::MetricSet& metrics) const {
    metrics.sum("sassim__memory_stage_busy_cycles.sum", "cycle",
                "cycles in which the entry of the memory stage was busy", accepted_ * interval_);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(free_, accepted_, waiting_);
    for (Queue& queue : queues_) archive(queue.served);
  }

 private:
  /// The first cycle, from `now` on, in which the unit may have room for an instruction, whichever it is.
  Cycle room(Cycle now) const {
    if (to_ == To::textures) return stage_.texture_ready(now);
    return stage_.can_accept(now) ? now : std::max(now + 1, stage_.accept_ready(now));
  }

  struct Queue {
    MemoryQueue* from;
    Cycle served;  ///< when the memory stage last accepted one of its instructions
  };
  std::uint32_t interval_;
  To to_;
  LoadStoreUnit& stage_;
  std::vector<Queue> queues_;
  Cycle free_;
  std::uint64_t accepted_ = 0;
  std::uint32_t waiting_ = 0;  ///< in all queues
};

}  // namespace sassim::arch
