// SPDX-License-Identifier: Apache-2.0
// The end of a NANOSLEEP.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sassim {

/// The cycle at which a sleep of `asked` nanoseconds ends that begins at `now`, with a clock of `hz`. It ends when a
/// clock of nanoseconds reaches the next multiple of the smallest power of two above `asked`, so that the first of
/// several sleeps is shorter. Below 32 a sleep takes about 44 (as on an H200: validation/hardware/h200/hand-over.md).
inline std::uint64_t nap_ends(std::uint64_t now, std::uint64_t asked, std::uint64_t hz) {
  constexpr std::uint64_t kLeast = 32, kShort = 44;
  constexpr double kNanoseconds = 1e9;
  const double cycles = static_cast<double>(hz) / kNanoseconds;
  if (asked < kLeast) return now + static_cast<std::uint64_t>(cycles * kShort);
  const std::uint64_t unit = std::bit_ceil(asked + 1);
  const double end =
      cycles * static_cast<double>((static_cast<std::uint64_t>(static_cast<double>(now) / cycles) / unit + 1) * unit);
  return std::max(now + 1, static_cast<std::uint64_t>(std::ceil(end)));
}

}  // namespace sassim
