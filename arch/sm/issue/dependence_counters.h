// SPDX-License-Identifier: Apache-2.0
// A warp's six dependence counters. An increment happens in Control, one cycle after issue, and the issue check sees it
// one cycle later still (HU25: an immediate consumer needs a stall of two).
#pragma once

#include <array>
#include <cstdint>

#include "arch/sm/issue/stages.h"
#include "sim/base/types.h"
#include "sim/isa/control.h"

namespace sassim::arch {

class DependenceCounters {
 public:
  void reset() { *this = {}; }

  /// An instruction issued at `now` holds the counters it names until release(). Saturates at `limit`.
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
    // An increment that was taken back before it was seen hides nothing any more.
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
  /// True while an increment of a counter in `mask` has not been seen yet: the answer of pending() may change by
  /// itself.
  bool hides(std::uint8_t mask, Cycle now) const {
    if (now >= hidden_until_) return false;
    for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c)
      if ((mask >> c & 1) != 0 && hidden_[c] != 0) return true;
    return false;
  }
  Cycle hidden_until() const { return hidden_until_; }
  /// A global, local or texture access holds one of the counters in `mask`.
  bool held_by_long(std::uint8_t mask) const {
    for (std::uint8_t c = 0; c < isa::kDependenceCounters; ++c)
      if ((mask >> c & 1) != 0 && long_[c] != 0) return true;
    return false;
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
