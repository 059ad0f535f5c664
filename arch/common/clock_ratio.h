// SPDX-License-Identifier: Apache-2.0
// Exact conversion between the cycles of two clocks that started together.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

namespace sassim::arch {

/// `From` and `To` are the types of the clocks' cycles. The largest cycle means never and is converted to the largest.
template <class From, class To>
class ClockRatio {
 public:
  /// From a clock of `from` Hz to a clock of `to` Hz.
  ClockRatio(std::uint64_t from, std::uint64_t to) : to_(to / std::gcd(from, to)), from_(from / std::gcd(from, to)) {}

  ClockRatio<To, From> inverse() const { return ClockRatio<To, From>(to_, from_); }
  /// The first edge at or after `cycle`.
  To up(From cycle) const { return To(scale(cycle.value, from_ - 1)); }
  /// The last edge at or before `cycle`.
  To down(From cycle) const { return To(scale(cycle.value, 0)); }

 private:
  std::uint64_t scale(std::uint64_t cycle, std::uint64_t round) const {
    if (to_ == from_ || cycle == kNone) return cycle;
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(cycle, to_, &product) && product <= kNone - round) return (product + round) / from_;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{cycle} * to_ + round) / from_);
  }

  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t to_, from_;
};

}  // namespace sassim::arch
