// SPDX-License-Identifier: Apache-2.0
// The base of policies that order lines by a time stamp.
#pragma once

#include <algorithm>
#include <vector>

#include "arch/common/replacement.h"

namespace sassim::arch {

class StampedReplacement : public Replacement {
 public:
  StampedReplacement(std::size_t sets, std::uint32_t ways) : ways_(ways), stamps_(sets * ways) {}

  std::uint32_t victim(std::size_t set, const std::uint8_t* usable) override {
    const std::uint64_t* stamps = &stamps_[set * ways_];
    std::uint32_t oldest = ways_;
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (usable[way] != 0 && (oldest == ways_ || stamps[way] < stamps[oldest])) oldest = way;
    return oldest;
  }
  void clear() override { std::fill(stamps_.begin(), stamps_.end(), 0); }

 protected:
  void stamp(std::size_t line) { stamps_[line] = ++now_; }

 private:
  std::uint32_t ways_;
  std::uint64_t now_ = 0;
  std::vector<std::uint64_t> stamps_;
};

}  // namespace sassim::arch
