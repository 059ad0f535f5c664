// SPDX-License-Identifier: Apache-2.0
// The queue in which the units of an SM answer its processing blocks: their events (results written, counters
// released), ordered by time; equal times keep the order of their creation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/common/op.h"

namespace sassim::arch {

class EventQueue {
 public:
  void push(Cycle time, OpToken token, UnitEvent::Kind kind) {
    heap_.push_back({{time, token, kind}, sequence_++});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool pop(Cycle now, UnitEvent& event) {
    if (heap_.empty() || heap_.front().event.time > now) return false;
    event = heap_.front().event;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
    return true;
  }
  Cycle next() const { return heap_.empty() ? kNever : heap_.front().event.time; }
  bool empty() const { return heap_.empty(); }

  template <class Archive>
  void state(Archive& archive) {
    archive(heap_, sequence_);
  }

 private:
  struct Item {
    UnitEvent event;
    std::uint64_t sequence;
  };
  static bool later(const Item& a, const Item& b) {
    return a.event.time != b.event.time ? a.event.time > b.event.time : a.sequence > b.sequence;
  }
  std::vector<Item> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace sassim::arch
