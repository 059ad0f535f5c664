// SPDX-License-Identifier: Apache-2.0
// The senders and receivers on the network: SMs, L2 slices, and the walker, which holds the second-level TLB.
#pragma once

#include <compare>
#include <cstdint>

#include "arch/common/indices.h"
#include "sim/base/types.h"

namespace sassim::arch {

class Endpoint {
 public:
  static constexpr std::uint32_t kMost = 1u << 14;  ///< endpoints of one kind

  /// SM 0.
  constexpr Endpoint() = default;
  static constexpr Endpoint of_sm(SmId sm) { return {Kind::sm, sm.value}; }
  static constexpr Endpoint of_slice(SliceId slice) { return {Kind::slice, slice.value}; }
  static constexpr Endpoint walker() { return {Kind::walker, 0}; }

  constexpr bool is_sm() const { return kind() == Kind::sm; }
  constexpr bool is_slice() const { return kind() == Kind::slice; }
  constexpr bool is_walker() const { return kind() == Kind::walker; }
  /// The SM, for an endpoint that is one.
  constexpr SmId sm() const { return SmId(index()); }
  /// The number of the slice on the chip, for an endpoint that is one.
  constexpr SliceId slice() const { return SliceId(index()); }

  /// SMs come first, then slices, then the walker. Messages of one cycle take effect in this order.
  friend constexpr auto operator<=>(Endpoint, Endpoint) = default;
  template <class Archive>
  void state(Archive& archive) {
    archive(code_);
  }

 private:
  enum class Kind : std::uint8_t { sm, slice, walker };
  constexpr Endpoint(Kind kind, std::uint32_t index)
      : code_(static_cast<std::uint16_t>(static_cast<std::uint32_t>(kind) * kMost + index)) {}
  constexpr Kind kind() const { return static_cast<Kind>(code_ / kMost); }
  constexpr std::uint16_t index() const { return static_cast<std::uint16_t>(code_ % kMost); }

  std::uint16_t code_ = 0;
};

}  // namespace sassim::arch
