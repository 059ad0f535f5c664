// SPDX-License-Identifier: Apache-2.0
// Which thread last changed a word of global memory by compare-and-swap or exchange: it may hold the lock that others
// wait for. For the report of a launch that never ends.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/types.h"

namespace sassim::emu {

struct WordTaker {
  std::uint64_t address = 0, value = 0;
  Dim3 ctaid{0, 0, 0};
  std::uint32_t warp = 0;  ///< in its block
  int lane = -1;           ///< -1: no thread
};

/// Remembers a limited number of words: those that would have the same place displace each other.
class WordTakers {
 public:
  void note(const WordTaker& taker) {
    if (takers_.empty()) takers_.resize(kPlaces);
    takers_[place(taker.address)] = taker;
  }
  /// The thread that gave the word this value, or nullptr.
  const WordTaker* of(std::uint64_t address, std::uint64_t value) const {
    if (takers_.empty()) return nullptr;
    const WordTaker& taker = takers_[place(address)];
    return taker.lane >= 0 && taker.address == address && taker.value == value ? &taker : nullptr;
  }

 private:
  static constexpr std::size_t kPlaces = 1024;
  static std::size_t place(std::uint64_t address) { return (address >> 2) % kPlaces; }
  std::vector<WordTaker> takers_;
};

}  // namespace sassim::emu
