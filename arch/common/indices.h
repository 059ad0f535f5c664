// SPDX-License-Identifier: Apache-2.0
// Numbers of different things as types: a warp, a line of code and a line of a cache cannot be given for each other,
// and no plain integer becomes one of them without being named.
#pragma once

#include <concepts>
#include <cstdint>

#include "sim/base/strong.h"

namespace sassim::arch {

/// A slice of the L2 among all of the GPU. Inside a partition, slices are plain numbers from 0.
using SliceId = Id<struct SliceIdTag, std::uint32_t>;

/// A number that converts to a plain integer, for tables that it indexes, and for hashes and divisions.
template <class Tag, class Rep>
class Index {
 public:
  constexpr Index() = default;
  template <std::integral T>
  constexpr explicit Index(T number) : value_(static_cast<Rep>(number)) {}
  constexpr operator Rep() const { return value_; }
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }

  template <class Archive>
  void state(Archive& archive) {
    archive(value_);
  }

 private:
  Rep value_ = 0;
};

/// The number of a line in its slice of the L2: lines of other slices are not counted.
using LineAddress = Index<struct LineAddressTag, std::uint64_t>;
/// A line of SASS: the place of an instruction in the static code of a launch, or of all that run side by side.
using CodeLine = Index<struct CodeLineTag, std::uint32_t>;
/// A warp of a processing block. (A WarpSlot is its place in the SM.)
using WarpIndex = Index<struct WarpIndexTag, std::uint32_t>;
/// A launch among those that run side by side.
using LaunchIndex = Index<struct LaunchIndexTag, std::uint32_t>;

}  // namespace sassim::arch
