// SPDX-License-Identifier: Apache-2.0
// Numbers with distinct types: a cycle is not a byte, and a warp is not a register.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace sassim {

/// A number that names one of many things: it can be compared and hashed, but not added.
template <class Tag, class Rep>
struct Id {
  using rep = Rep;
  Rep value{};

  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A quantity: added, subtracted and compared with its own kind, and scaled by plain integers.
template <class Tag, class Rep = std::uint64_t>
struct Quantity {
  using rep = Rep;
  Rep value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep v) : value(v) {}
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  static constexpr Quantity max() { return Quantity{std::numeric_limits<Rep>::max()}; }

  constexpr Quantity& operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value -= o.value;
    return *this;
  }
  constexpr Quantity& operator++() {
    ++value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator+(Quantity a, Rep b) { return Quantity(a.value + b); }
  friend constexpr Quantity operator-(Quantity a, Rep b) { return Quantity(a.value - b); }
  friend constexpr Quantity operator*(Quantity a, Rep b) { return Quantity(a.value * b); }
};

}  // namespace sassim

template <class Tag, class Rep>
struct std::hash<sassim::Id<Tag, Rep>> {
  std::size_t operator()(sassim::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
