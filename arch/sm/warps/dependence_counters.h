// SPDX-License-Identifier: Apache-2.0
// The six dependence counters of a warp. The Control stage increments a counter one cycle after issue, and the issue
// check sees the new value one cycle later (Huerta et al., MICRO 2025: an instruction that follows at once needs a
// stall count of two).
#pragma once

#include <algorithm>
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
    if (hides_ != 0) hidden_ = {};
    hides_ = all_hidden_ = 0;
    hidden_until_ = now + kCounterVisible;
    hold_one(write_counter, long_latency);
    hold_one(read_counter, long_latency);
  }
  void release(std::uint8_t counter, bool long_latency) {
    if (counter >= isa::kDependenceCounters) return;
    const auto bit = static_cast<std::uint8_t>(1u << counter);
    if (--count_[counter] == 0) nonzero_ &= static_cast<std::uint8_t>(~bit);
    if (long_latency && --long_[counter] == 0) longs_ &= static_cast<std::uint8_t>(~bit);
    if ((hides_ & bit) == 0) return;
    // A decrement before the increment became visible cancels that increment.
    hidden_[counter] = std::min(hidden_[counter], count_[counter]);
    mark_hidden(counter);
  }

  std::uint32_t value(std::uint8_t counter, Cycle now) const {
    return count_[counter] - (now < hidden_until_ ? hidden_[counter] : 0u);
  }
  /// The counters in `mask` that are above zero, as the issue check sees them at `now`.
  std::uint8_t pending(std::uint8_t mask, Cycle now) const {
    return nonzero_ & mask & static_cast<std::uint8_t>(now < hidden_until_ ? ~all_hidden_ : ~0u);
  }
  /// True while an increment of a counter in `mask` is not visible yet, so that pending() may change without an event.
  bool hides(std::uint8_t mask, Cycle now) const { return (hides_ & mask) != 0 && now < hidden_until_; }
  Cycle hidden_until() const { return hidden_until_; }
  /// True if a global, local or texture access holds a counter in `mask`.
  bool held_by_long(std::uint8_t mask) const { return (longs_ & mask) != 0; }

  template <class Archive>
  void state(Archive& archive) {
    archive(count_, long_, hidden_, nonzero_, longs_, hides_, all_hidden_, hidden_until_);
  }

 private:
  void hold_one(std::uint8_t counter, bool long_latency) {
    if (counter >= isa::kDependenceCounters) return;
    const auto bit = static_cast<std::uint8_t>(1u << counter);
    ++count_[counter];
    ++hidden_[counter];
    nonzero_ |= bit;
    if (long_latency) ++long_[counter], longs_ |= bit;
    mark_hidden(counter);
  }
  void mark_hidden(std::uint8_t counter) {
    const auto bit = static_cast<std::uint8_t>(1u << counter);
    const auto set = [bit](std::uint8_t mask, bool is) {
      return static_cast<std::uint8_t>((mask & ~bit) | (is ? bit : 0));
    };
    hides_ = set(hides_, hidden_[counter] != 0);
    all_hidden_ = set(all_hidden_, hidden_[counter] == count_[counter]);
  }

  std::array<std::uint16_t, 8> count_{};
  std::array<std::uint16_t, 8> long_{};
  std::array<std::uint16_t, 8> hidden_{};
  // One bit per counter: it is above zero; long accesses hold it; it has hidden increments; all of its value is hidden.
  std::uint8_t nonzero_ = 0, longs_ = 0, hides_ = 0, all_hidden_ = 0;
  Cycle hidden_until_;
};

}  // namespace sassim::arch
