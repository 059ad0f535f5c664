// SPDX-License-Identifier: Apache-2.0
// Which slice of the L2 an address belongs to, and which line of the slice it is in. No two lines have the same place.
#pragma once

#include <cstdint>
#include <memory>

#include "arch/common/address_hash.h"
#include "arch/common/indices.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class SliceMap {
 public:
  /// Throws InputError for an impossible geometry.
  explicit SliceMap(const config::Memory& config);

  struct Place {
    SliceId slice;
    LineAddress line;            ///< number of the L2 line in its slice
    std::uint32_t first_sector;  ///< first sector of the 128-byte line within the L2 line
  };
  Place place(std::uint64_t address) const;
  std::uint32_t slices() const { return slices_; }
  /// L2 lines that follow each other in a slice before the addresses continue in another one.
  std::uint32_t lines_per_unit() const { return lines_per_unit_; }

 private:
  std::uint32_t slices_, interleave_, line_, lines_per_unit_;
  std::uint32_t halves_, half_interleave_;          ///< halves_ is 1 if the hash of the slices also selects the half
  std::uint32_t group_, group_interleave_, turns_;  ///< turns_: pieces of a stretch that each slice of a group holds
  std::unique_ptr<AddressHash> hash_;
};

}  // namespace sassim::arch
