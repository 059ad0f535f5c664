// SPDX-License-Identifier: Apache-2.0
// A TLB of any level: the pages whose translations it holds.
#pragma once

#include <cstdint>
#include <string>

#include "arch/cache/line_cache.h"
#include "sim/config/forward.h"

namespace sassim::arch {

class Tlb {
 public:
  /// `key` names the configuration in errors. Throws InputError if the ways do not divide the entries, or if the page
  /// size is 0.
  Tlb(const config::TlbConfig& config, const char* key, const std::string& policy = "lru");

  /// False without entries: every page counts as translated.
  bool enabled() const { return enabled_; }
  std::uint64_t page_of(std::uint64_t address) const { return pages_.line_of(address) * pages_.line_bytes(); }
  /// True if the translation of the page is present.
  bool lookup(std::uint64_t address, const LineUse& use) {
    return !enabled_ || pages_.access(pages_.line_of(address), use);
  }
  void insert(std::uint64_t address, const LineUse& use) {
    if (enabled_) pages_.insert(pages_.line_of(address), use);
  }
  void clear() { pages_.clear(); }
  template <class Archive>
  void state(Archive& archive) {
    archive(pages_);
  }

 private:
  bool enabled_;
  LineCache pages_;
};

}  // namespace sassim::arch
