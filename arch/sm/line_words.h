// SPDX-License-Identifier: Apache-2.0
// Which words of four bytes of a line are written or wanted, from which bytes are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sassim::arch {

using LineWords = std::uint64_t;  ///< a bit for each word, the first one's lowest

/// The words that have all (`whole`) or any of their bytes among these.
template <std::size_t N>
LineWords line_words(const std::array<std::uint64_t, N>& bytes, bool whole) {
  LineWords result = 0;
  for (std::size_t i = 0; i < N; ++i) {
    std::uint64_t b = bytes[i];
    b = whole ? b & b >> 1 : b | b >> 1;
    b = (whole ? b & b >> 2 : b | b >> 2) & 0x1111111111111111ull;
    b = (b | b >> 3) & 0x0303030303030303ull;
    b = (b | b >> 6) & 0x000f000f000f000full;
    b = (b | b >> 12) & 0x000000ff000000ffull;
    result |= ((b | b >> 24) & 0xffffull) << 16 * i;
  }
  return result;
}

}  // namespace sassim::arch
