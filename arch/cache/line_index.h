// SPDX-License-Identifier: Apache-2.0
// A hash table (open addressing) from the number of a line to its slot, for a TagArray whose sets have too many ways to
// be searched one by one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sassim::arch {

class LineIndex {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  /// `slots`: the slots of the cache.
  explicit LineIndex(std::size_t slots)
      : places_(std::bit_ceil(2 * slots), kNone), shift_(64 - std::countr_zero(places_.size())) {}

  /// The slot of `line`, or kNone. `lines`: the line in each slot.
  std::uint32_t find(std::uint64_t line, const std::uint64_t* lines) const {
    for (std::size_t i = home(line);; i = after(i)) {
      const std::uint32_t slot = places_[i];
      if (slot == kNone || lines[slot] == line) return slot;
    }
  }
  void insert(std::uint64_t line, std::size_t slot) {
    std::size_t i = home(line);
    while (places_[i] != kNone) i = after(i);
    places_[i] = static_cast<std::uint32_t>(slot);
  }
  /// Removes the line and moves back the lines that it had pushed from their places.
  void erase(std::size_t slot, const std::uint64_t* lines) {
    std::size_t hole = home(lines[slot]);
    while (places_[hole] != slot) hole = after(hole);
    for (std::size_t i = after(hole); places_[i] != kNone; i = after(i)) {
      const std::size_t wanted = home(lines[places_[i]]);
      if (((i - wanted) & last()) < ((i - hole) & last())) continue;
      places_[hole] = places_[i];
      hole = i;
    }
    places_[hole] = kNone;
  }
  /// As if all lines had just been inserted, in the order of their slots. `empty`: the number of no line.
  void rebuild(const std::vector<std::uint64_t>& lines, std::uint64_t empty) {
    clear();
    for (std::size_t slot = 0; slot < lines.size(); ++slot)
      if (lines[slot] != empty) insert(lines[slot], slot);
  }
  void clear() { places_.assign(places_.size(), kNone); }

 private:
  std::size_t last() const { return places_.size() - 1; }  // places_.size() is a power of two
  std::size_t home(std::uint64_t line) const { return (line * 0x9e3779b97f4a7c15ull) >> shift_; }
  std::size_t after(std::size_t i) const { return (i + 1) & last(); }

  std::vector<std::uint32_t> places_;
  int shift_;
};

}  // namespace sassim::arch
