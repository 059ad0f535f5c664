// SPDX-License-Identifier: Apache-2.0
// Numbers of slices and lines as types: none of them is given for another, and no plain integer becomes one
// without being named.
#pragma once

#include <cstdint>

#include "sim/base/strong.h"

namespace sassim::arch {

/// A slice of the L2 among all of the GPU. Inside a partition, slices are plain numbers from 0.
using SliceId = Id<struct SliceIdTag, std::uint32_t>;

/// The number of a line in its slice of the L2: lines of other slices are not counted.
class LineAddress {
 public:
  constexpr LineAddress() = default;
  constexpr explicit LineAddress(std::uint64_t number) : value_(number) {}
  /// For hashes and divisions.
  constexpr operator std::uint64_t() const { return value_; }
  constexpr LineAddress& operator++() {
    ++value_;
    return *this;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(value_);
  }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace sassim::arch
