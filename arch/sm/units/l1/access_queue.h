// SPDX-License-Identifier: Apache-2.0
// The queue of the L1's tag stage: each instruction with the lines and sectors that its lanes access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/common/ring.h"
#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/l1_core.h"
#include "sim/config/groups/sm.h"

namespace sassim::arch {

/// The kind of access as which the L1 counts an instruction.
inline L1Traffic traffic_of(const UnitOp& op, L1Mode mode) {
  const bool local = op.space == isa::Space::local;
  if (op.space == isa::Space::texture)
    return mode == L1Mode::store ? L1Traffic::surface_store : L1Traffic::texture_load;
  switch (mode) {
    case L1Mode::load:
      return local ? L1Traffic::local_load : L1Traffic::global_load;
    case L1Mode::store:
      return local ? L1Traffic::local_store : L1Traffic::global_store;
    case L1Mode::atomic:
      return L1Traffic::global_atomic;
    case L1Mode::reduction:
      return L1Traffic::global_reduction;
    case L1Mode::async:
      break;
  }
  return L1Traffic::async_copy;
}

class AccessQueue {
 public:
  explicit AccessQueue(const config::Sm& sm)
      : coalescer_(sm.l1, sm.shared), capacity_(std::max(sm.memory_io.stage_queue, 1u)), order_(capacity_) {}

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return order_.size(); }
  bool empty() const { return order_.empty(); }
  bool full() const { return order_.size() >= capacity_; }
  L1Access& front() { return slots_[order_.front()]; }
  const L1Access& front() const { return slots_[order_.front()]; }

  /// Adds an instruction, whose number in the DataReturn the caller fills in. Requires a queue that is not full.
  L1Access& push(const UnitOp& op, L1Mode mode, Cycle now);
  void pop() {
    free_.push_back(order_.front());
    order_.pop();
  }
  /// The L1 has lost its contents.
  void clear_lines() { bytes_written_ = false; }

  template <class Archive>
  void state(Archive& archive) {
    archive(slots_, free_, order_, bytes_written_);
  }

 private:
  Coalescer coalescer_;
  std::size_t capacity_;
  std::vector<L1Access> slots_;  ///< which order_ names by index
  std::vector<std::uint32_t> free_;
  Ring<std::uint32_t> order_;
  bool bytes_written_ = false;  ///< a store has written a sector in part: loads must know their bytes
};

inline L1Access& AccessQueue::push(const UnitOp& op, L1Mode mode, Cycle now) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  order_.push(free_.back());
  L1Access& access = slots_[free_.back()];
  free_.pop_back();
  access.pc = op.pc;
  access.mode = mode;
  access.traffic = traffic_of(op, mode);
  access.bypass = op.decoded->bypasses_l1;
  access.system_scope = op.decoded->system_scope;
  access.evicts_first = op.decoded->evicts_first;
  access.access_bytes = op.decoded->access_bytes;
  access.floating = op.decoded->floating;
  access.compares = op.decoded->compares;
  access.position = 0;
  access.ready = now + 1;
  coalescer_.coalesce(op, op.decoded->access_bytes, access.accesses, bytes_written_);
  access.which_bytes = bytes_written_;
  if (mode == L1Mode::store)
    for (std::uint32_t i = 0; i < access.accesses.count; ++i)
      bytes_written_ = bytes_written_ || access.accesses.lines[i].partial != 0;
  return access;
}

}  // namespace sassim::arch
