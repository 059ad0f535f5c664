// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "arch/common/address_hash.h"
#include "arch/common/indices.h"
#include "sim/config/forward.h"

namespace sassim::arch {

/// The sets of an L2 slice, and which of them holds a line.
class L2Sets {
 public:
  /// Throws InputError for an impossible shape.
  explicit L2Sets(const config::Memory& memory);

  std::uint32_t count() const { return count_; }
  /// The set of a line. The lines of a page are in neighbouring sets; a hash of the page selects the first of them,
  /// because pages may be anywhere in memory. `copy`: the home of the line is in the other half of the chip.
  std::size_t of(LineAddress line, bool copy) const {
    const std::uint32_t set = set_hash_->place(line, count_).target;
    if (page_ == 0) return set;
    const std::uint64_t page = line * bytes_ / page_;
    const std::uint32_t moved = set + page_hash_->offset(page * 2 + (copy ? 1 : 0), count_);
    return moved < count_ ? moved : moved - count_;
  }

 private:
  std::uint32_t count_;
  std::uint64_t page_, bytes_;  ///< size of a page; distance in memory between neighbouring lines of a slice
  std::unique_ptr<AddressHash> set_hash_;
  std::unique_ptr<AddressHash> page_hash_;  ///< selects the set of a page's first line
};

}  // namespace sassim::arch
