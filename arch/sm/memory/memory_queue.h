// SPDX-License-Identifier: Apache-2.0
// The connection of a processing block to the memory stage that the SM shares: a short queue, and an address stage that
// passes one instruction every few cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/fetch/static_code.h"
#include "arch/sm/issue/pipe.h"
#include "arch/sm/memory/load_store_unit.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class MemoryQueue {
 public:
  /// `constants`: how many LDC may be in the queue; 0: as many as there are entries.
  explicit MemoryQueue(const config::MemoryIo& config, std::uint32_t constants = 0)
      : pipeline_(config.pipeline),
        vector_address_(config.vector_address),
        interval_(config.address_interval),
        entries_(std::max(1u, config.queue)),
        most_constants_(constants == 0 ? entries_.size() : constants) {}

  Occupied& input() { return input_; }
  const Occupied& input() const { return input_; }
  /// The input of LDC: it refuses when the queue is full, and when it holds as many LDC as it may.
  Occupied& constants() { return constants_; }

  /// Adds an instruction that issues at `now`; the caller fills in the returned entry. `vector_address`: its global,
  /// local or generic address comes from vector registers. `constant`: it is an LDC.
  LsuOp& push(bool vector_address, bool constant, Cycle now) {
    Entry& entry = entries_[(head_ + size_) % entries_.size()];
    const Cycle arrived = now + pipeline_ + (vector_address ? vector_address_ : 0);
    entry.ready = std::max(arrived, last_ready_ + interval_);
    last_ready_ = entry.ready;
    if (constant) ++waiting_constants_;
    if (++size_ == entries_.size()) input_.refuse(now + 1, kNever);
    if (!constants_fit() && !constants_.busy(now + 1)) constants_.refuse(now + 1, kNever);
    return entry.op;
  }

  /// The instruction that was pushed last occupies the address stage for `cycles` further cycles.
  void occupy(std::uint32_t cycles) { last_ready_ = last_ready_ + cycles; }

  bool empty() const { return size_ == 0; }
  /// When the oldest instruction may be accepted; kNever if the queue is empty.
  Cycle ready_at() const { return size_ == 0 ? kNever : entries_[head_].ready; }
  const LsuOp& front() const { return entries_[head_].op; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return entries_.size(); }
  /// The instruction that will be taken as number i, from 0.
  const LsuOp& operator[](std::size_t i) const { return entries_[(head_ + i) % entries_.size()].op; }
  void pop(Cycle now) {
    const bool fitted = constants_fit();
    if (entries_[head_].op.space == isa::Space::constant) --waiting_constants_;
    if (size_-- == entries_.size()) input_.release(now);
    if (!fitted && constants_fit()) constants_.release(now);
    head_ = (head_ + 1) % entries_.size();
    if (size_ != 0) entries_[head_].ready = std::max(entries_[head_].ready, now + 1);
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(entries_, head_, size_, last_ready_, input_, waiting_constants_, constants_);
  }
  /// After loading: what the instructions decode to.
  void attach(const StaticCode& code) {
    for (std::size_t i = 0; i < size_; ++i) {
      LsuOp& op = entries_[(head_ + i) % entries_.size()].op;
      op.decoded = &code.decoded(op.pc / kInstructionBytes);
    }
  }

 private:
  struct Entry {
    Cycle ready;
    LsuOp op;
  };
  bool constants_fit() const { return size_ < entries_.size() && waiting_constants_ < most_constants_; }

  std::uint32_t pipeline_, vector_address_, interval_;
  std::vector<Entry> entries_;
  std::size_t head_ = 0, size_ = 0;
  Cycle last_ready_;
  Occupied input_;
  std::size_t most_constants_, waiting_constants_ = 0;
  Occupied constants_;
};

}  // namespace sassim::arch
