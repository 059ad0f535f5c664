// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sassim::arch {

/// The address of a constant: c[bank][offset].
struct ConstantAddress {
  std::uint16_t bank = 0, offset = 0;

  /// From and to the form of addresses in traces.
  static constexpr ConstantAddress in_trace(std::uint64_t address) {
    return {static_cast<std::uint16_t>(address >> 32), static_cast<std::uint16_t>(address)};
  }
  constexpr std::uint64_t in_trace() const { return std::uint64_t{bank} << 32 | offset; }
  /// Offset from the start of the kernel's constant memory, in which each bank has 64 KiB.
  constexpr std::uint32_t in_kernel() const { return std::uint32_t{bank} << 16 | offset; }
  friend constexpr bool operator==(ConstantAddress, ConstantAddress) = default;
};

}  // namespace sassim::arch
