// SPDX-License-Identifier: Apache-2.0
// When a NANOSLEEP ends.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sassim::arch {

/// A sleep of `asked` nanoseconds begins at cycle `now` of a clock of `hz`; returns the cycle at which it ends. It ends
/// when a clock of nanoseconds reaches the next multiple of the smallest power of two above `asked`, so that the first
/// of several sleeps is shorter (validation/measured/h200/waiting.md#hand-over).
inline std::uint64_t nap_ends(std::uint64_t now, std::uint64_t asked, std::uint64_t hz) {
  constexpr double kNanoseconds = 1e9;
  const double cycles = static_cast<double>(hz) / kNanoseconds;
  const std::uint64_t unit = std::bit_ceil(asked + 1);
  const std::uint64_t units_passed = static_cast<std::uint64_t>(static_cast<double>(now) / cycles) / unit;
  const double end = cycles * static_cast<double>((units_passed + 1) * unit);
  return std::max(now + 1, static_cast<std::uint64_t>(std::ceil(end)));
}

}  // namespace sassim::arch
