// SPDX-License-Identifier: Apache-2.0
// Of a few lines the least recently used. The array consists of parts of 64 KiB; a line of each part has the same
// place, and those of one place are the candidates. Places are tried one after the other, each once before the first
// comes again, the same one in every set before the next. This gives what an H200 loses of an array that does not fit:
// six lines for each line too many, in random order four (validation/hardware/h200.json, l1d.over.*), where a choice by
// chance or by age among all lines loses two or all. The order of the places is assumed: that of a counter whose bits
// are reversed.
#include <algorithm>
#include <bit>
#include <vector>

#include "arch/sm/l1_replacement.h"

namespace sassim::arch {
namespace {

constexpr std::uint32_t kPartLines = 512;

class L1Columns final : public L1Replacement {
 public:
  explicit L1Columns(const L1Shape& shape) : shape_(shape), used_(shape.lines) {
    const std::uint32_t places = std::clamp(kPartLines / shape.sets, 1u, shape.ways(shape.sets - 1));
    const int bits = std::bit_width(places - 1);
    for (std::uint32_t count = 0; count < 1u << bits; ++count) {
      std::uint32_t place = 0;
      for (int bit = 0; bit < bits; ++bit) place |= (count >> bit & 1) << (bits - 1 - bit);
      if (place < places) places_.push_back(place);
    }
  }

  void touched(std::uint32_t slot) override { used_[slot] = ++clock_; }
  void filled(std::uint32_t slot) override { used_[slot] = ++clock_; }

  std::uint32_t victim(std::uint32_t set) override {
    const auto apart = static_cast<std::uint32_t>(places_.size());
    const std::uint32_t place = places_[evictions_++ / shape_.sets % apart];
    std::uint32_t oldest = set + place * shape_.sets;
    for (std::uint32_t way = place + apart; way < shape_.ways(set); way += apart)
      if (const std::uint32_t slot = set + way * shape_.sets; used_[slot] < used_[oldest]) oldest = slot;
    return oldest;
  }

 private:
  L1Shape shape_;
  std::vector<std::uint64_t> used_;
  std::vector<std::uint32_t> places_;  ///< in the order in which they are tried
  std::uint64_t clock_ = 0, evictions_ = 0;
};

const Registered<L1Replacement, L1Columns, const L1Shape&> l1_columns_registered("columns");

}  // namespace
}  // namespace sassim::arch
