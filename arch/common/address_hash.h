// SPDX-License-Identifier: Apache-2.0
// An address hash: which slice of the L2, set of a cache or bank of DRAM (the target) gets which piece of memory. Piece
// number `unit` goes to target (unit mod n + offset(unit / n)) mod n and is number unit / n (the row) there, so that no
// two pieces have one place. Each hash (address_hashes.cpp) chooses the offset.
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
