// SPDX-License-Identifier: Apache-2.0
// A queue of a processing block in front of units of the SM (the memory stage, the ADU or the texture unit): a few
// instructions, of which an address stage lets one pass every few cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/code/static_code.h"
#include "arch/sm/common/op.h"
#include "arch/sm/warps/pipe.h"
#include "sim/config/groups/memory_io.h"

namespace sassim::arch {

class MemoryQueue {
 public:
  /// `entries`: how many instructions may wait. `pipeline`: cycles from issue until one can leave the queue.
  MemoryQueue(const config::MemoryIo& config, std::uint32_t entries, std::uint32_t pipeline)
      : pipeline_(pipeline), vector_address_(config.vector_address), entries_(std::max(1u, entries)) {}

  /// `waiting` is kept equal to the number of instructions in all queues that count in it.
  void count_in(std::uint32_t& waiting) { waiting_ = &waiting; }

  Occupied& input() { return input_; }
  const Occupied& input() const { return input_; }

  /// Adds an instruction that issues at `now`; the caller fills in the returned entry. `vector_address`: its global,
  /// local or generic address comes from vector registers. `interval`: how long it occupies the address stage.
  UnitOp& push(bool vector_address, std::uint32_t interval, Cycle now) {
    Entry& entry = entries_[(head_ + size_) % entries_.size()];
    const Cycle arrived = now + pipeline_ + (vector_address ? vector_address_ : 0);
    entry.ready = std::max(arrived, next_ready_);
    next_ready_ = entry.ready + interval;
    if (++size_ == entries_.size()) input_.refuse(now + 1, kNever);
    if (waiting_ != nullptr) ++*waiting_;
    return entry.op;
  }

  /// The instruction that was pushed last occupies the address stage for `cycles` further cycles.
  void occupy(std::uint32_t cycles) { next_ready_ = next_ready_ + cycles; }

  bool empty() const { return size_ == 0; }
  /// When the oldest instruction may be accepted; kNever if the queue is empty.
  Cycle ready_at() const { return size_ == 0 ? kNever : entries_[head_].ready; }
  const UnitOp& front() const { return entries_[head_].op; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return entries_.size(); }
  /// The instruction that will be taken as number i, from 0.
  const UnitOp& operator[](std::size_t i) const { return entries_[(head_ + i) % entries_.size()].op; }
  void pop(Cycle now) {
    if (size_-- == entries_.size()) input_.release(now);
    if (waiting_ != nullptr) --*waiting_;
    head_ = (head_ + 1) % entries_.size();
    if (size_ != 0) entries_[head_].ready = std::max(entries_[head_].ready, now + 1);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(entries_, head_, size_, next_ready_, input_);
  }
  /// After loading: what the instructions decode to.
  void attach(const StaticCode& code) {
    for (std::size_t i = 0; i < size_; ++i) {
      UnitOp& op = entries_[(head_ + i) % entries_.size()].op;
      op.decoded = &code.decoded(code.line_at(op.pc));
    }
  }

 private:
  struct Entry {
    Cycle ready;
    UnitOp op;
  };

  std::uint32_t pipeline_, vector_address_;
  std::vector<Entry> entries_;
  std::size_t head_ = 0, size_ = 0;
  std::uint32_t* waiting_ = nullptr;
  Cycle next_ready_;  ///< when the address stage is free
  Occupied input_;
};

}  // namespace sassim::arch
