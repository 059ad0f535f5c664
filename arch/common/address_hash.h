// SPDX-License-Identifier: Apache-2.0
// Spreads addresses over any number of targets (slices, sets, banks) and never maps two addresses to one place: unit u
// goes to target (u mod n + offset(u / n)) mod n at row u / n. A policy chooses the offset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sassim::arch {

class AddressHash {
 public:
  static constexpr const char* kKind = "address hash";
  virtual ~AddressHash() = default;
  /// Any number below `targets`; always the same for one row.
  virtual std::uint32_t offset(std::uint64_t row, std::uint32_t targets) const = 0;

  struct Place {
    std::uint32_t target;
    std::uint64_t row;
  };
  Place place(std::uint64_t unit, std::uint32_t targets) const {
    const std::uint64_t row = unit / targets;
    auto target = static_cast<std::uint32_t>(unit - row * targets) + offset(row, targets);
    if (target >= targets) target -= targets;
    return {target, row};
  }

  /// Throws InputError for an unknown name and lists the known ones.
  static std::unique_ptr<AddressHash> make(const std::string& name);
};

}  // namespace sassim::arch
