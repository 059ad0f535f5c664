// SPDX-License-Identifier: Apache-2.0
// The memory behind the SMs as the rough clocks know it (timing.h): slices of the L2 that take one request at a time,
// lines that come from DRAM at first and, on a chip with two halves, what it takes from one to the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sassim::emu {

enum class Request : std::uint8_t { load, store, atomic };

class RoughMemory {
 public:
  struct Answer {
    std::uint64_t begins = 0;  ///< when the L2 takes the request: until then those behind it wait
    std::uint64_t arrives = 0;
  };
  /// A request for the line at `address` that leaves an SM now. `upper`: the SM's half; always false if there are none.
  Answer ask(std::uint64_t now, std::uint64_t address, Request, bool halves, bool upper);
  /// The slices of a half form groups, by lines of 256 bytes; copies of far lines are in the group of the same number
  /// (h200/contended-words.md; which lines are in which is by chance here).
  static constexpr std::size_t kGroups = 6;
  static std::size_t group_of(std::uint64_t address);
  /// Where a line lies decides how much longer its first access takes than those from the L2. Were it the same for all,
  /// warps that start together would stay in step for ever.
  std::uint64_t from_dram(std::uint64_t address);

 private:
  static constexpr std::size_t kLines = std::size_t{1} << 18, kSlices = 94, kRecent = 1024;
  struct Slice {
    std::uint64_t free = 0;  ///< when it takes the next request
    std::uint64_t stored = ~std::uint64_t{0};
  };
  struct Stored {
    std::uint64_t line = ~std::uint64_t{0}, time = 0, before = 0;
  };
  enum Flag : std::uint8_t { touched = 1, copy_below = 2, copy_above = 4 };

  /// What it takes longer because of where the line's home is; `begins`: when at the soonest.
  std::uint64_t across(std::uint64_t& begins, std::uint64_t address, Request, bool upper);

  std::vector<std::uint8_t> lines_;  ///< flags
  std::array<Slice, kSlices> slices_;
  std::array<Stored, kRecent> far_stores_;     ///< the last of SMs of the half where the line is not at home
  std::array<std::uint64_t, 2> turns_free_{};  ///< by half
};

}  // namespace sassim::emu
