// SPDX-License-Identifier: Apache-2.0
// First-level TLB: the L1 data cache is virtually indexed, so only what leaves for the L2 is translated.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

class L1Tlb {
 public:
  /// No entries: every page is known. Throws InputError when the ways do not divide the entries or a page is empty.
  explicit L1Tlb(const config::TlbConfig& config);

  bool enabled() const { return !entries_.empty(); }
  std::uint64_t page_of(std::uint64_t address) const { return address / page_ * page_; }
  /// True when the page is known; it becomes the most recently used of its set.
  bool lookup(std::uint64_t address);
  void insert(std::uint64_t address);
  void clear();

 private:
  struct Entry {
    std::uint64_t page = 0;  ///< number + 1; 0: empty
    std::uint64_t used = 0;
  };
  std::vector<Entry> entries_;
  std::uint64_t page_;
  std::uint32_t ways_ = 1, sets_ = 1;
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
