// SPDX-License-Identifier: Apache-2.0
// When a thread that sleeps goes on.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sassim {

/// Sleeps of less than `below` nanoseconds take about `takes` nanoseconds; none are shorter than 0.
struct ShortSleep {
  std::uint64_t below = 0, takes = 0;
};

/// The cycle at which a sleep of `asked` nanoseconds ends that begins `now`, at `hz`: the next multiple of the power of
/// two above, on a clock of nanoseconds, so the first in a row is shorter by any part (validation/hardware/h200/
/// hand-over.md). A short sleep does not wait for that clock.
inline std::uint64_t nap_ends(std::uint64_t now, std::uint64_t asked, std::uint64_t hz, const ShortSleep& shorter) {
  constexpr double kNanoseconds = 1e9;
  const double cycles = static_cast<double>(hz) / kNanoseconds;
  if (asked < shorter.below) return now + static_cast<std::uint64_t>(cycles * static_cast<double>(shorter.takes));
  const std::uint64_t unit = std::bit_ceil(asked + 1);
  const double end =
      cycles * static_cast<double>((static_cast<std::uint64_t>(static_cast<double>(now) / cycles) / unit + 1) * unit);
  return std::max(now + 1, static_cast<std::uint64_t>(std::ceil(end)));
}

}  // namespace sassim
