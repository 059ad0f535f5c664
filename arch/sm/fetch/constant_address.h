// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sassim::arch {

/// Where a constant is: c[bank][offset].
struct ConstantAddress {
  std::uint16_t bank = 0, offset = 0;

  /// As traces hold the addresses of constants.
  static constexpr ConstantAddress in_trace(std::uint64_t address) {
    return {static_cast<std::uint16_t>(address >> 32), static_cast<std::uint16_t>(address)};
  }
  constexpr std::uint64_t in_trace() const { return std::uint64_t{bank} << 32 | offset; }
  /// From the beginning of the kernel's constant memory, where banks of 64 KiB follow each other.
  constexpr std::uint32_t in_kernel() const { return std::uint32_t{bank} << 16 | offset; }
  friend constexpr bool operator==(ConstantAddress, ConstantAddress) = default;
};

}  // namespace sassim::arch
