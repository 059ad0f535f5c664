// SPDX-License-Identifier: Apache-2.0
// The six dependence counters of a warp. The Control stage increments a counter one cycle after issue, and the issue
// check sees the new value one cycle later (Huerta et al., MICRO 2025: an instruction that follows at once needs a
// stall count of two).
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/warps/stages.h"
#include "sim/base/types.h"
#include "sim/isa/control.h"

namespace sassim::arch {

class DependenceCounters {
 public:
  void reset() { *this = {}; }

  /// An instruction that issues at `now` increments the counters it names; release() decrements them.
  void hold(std::uint8_t write_counter, std::uint8_t read_counter, bool long_latency, Cycle now) {
    hidden_ = {};
    hidden_until_ = now + kCounterVisible;
    hold_one(write_counter, long_latency);
    hold_one(read_counter, long_latency);
  }
  void release(std::uint8_t counter, bool long_latency) {
    if (counter >= isa::kDependenceCounters) return;
    if (--count_[counter] == 0) nonzero_ &= static_cast<std::uint8_t>(~(1u << counter));
    if (long_latency) --long_[counter];
    // A decrement before the increment became visible cancels that increment.
    if (hidden_[counter] > count_[counter]) hidden_[counter] = count_[counter];
  }

  std::uint32_t value(std::uint8_t counter, Cycle now) const {
    return count_[counter] - (now < hidden_until_ ? hidden_[counter] : 0u);
  }
  /// The counters in `mask` that are above zero, as the issue check sees them at `now`.
  std::uint8_t pending(std::uint8_t mask, Cycle now) const {
    std::uint8_t seen = nonzero_ & mask;
    if (seen != 0 && now < hidden_until_)
      for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c)
        if (count_[c] == hidden_[c]) seen &= static_cast<std::uint8_t>(~(1u << c));
    return seen;
  }
  /// True while an increment of a counter in `mask` is not visible yet, so that pending() may change without an event.
  bool hides(std::uint8_t mask, Cycle now) const {
    if (now >= hidden_until_) return false;
    for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c)
      if ((mask >> c & 1) != 0 && hidden_[c] != 0) return true;
    return false;
  }
  Cycle hidden_until() const { return hidden_until_; }
  /// True if a global, local or texture access holds a counter in `mask`.
  bool held_by_long(std::uint8_t mask) const {
    for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c)
      if ((mask >> c & 1) != 0 && long_[c] != 0) return true;
    return false;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(count_, long_, hidden_, nonzero_, hidden_until_);
  }

 private:
  void hold_one(std::uint8_t counter, bool long_latency) {
    if (counter >= isa::kDependenceCounters) return;
    ++count_[counter];
    ++hidden_[counter];
    nonzero_ |= static_cast<std::uint8_t>(1u << counter);
    if (long_latency) ++long_[counter];
  }

  std::array<std::uint16_t, 8> count_{};
  std::array<std::uint16_t, 8> long_{};
  std::array<std::uint16_t, 8> hidden_{};
  std::uint8_t nonzero_ = 0;
  Cycle hidden_until_;
};

}  // namespace sassim::arch
