// SPDX-License-Identifier: Apache-2.0
// A TLB of any level: which pages have been translated lately.
#pragma once

#include <cstdint>
#include <string>

#include "arch/cache/line_cache.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

class Tlb {
 public:
  /// `key` names the configuration in errors. Throws InputError when the ways do not divide the entries or a page is
  /// empty.
  Tlb(const config::TlbConfig& config, const char* key, const std::string& policy = "lru");

  /// No entries: every page is known.
  bool enabled() const { return enabled_; }
  std::uint64_t page_of(std::uint64_t address) const { return pages_.line_of(address) * pages_.line_bytes(); }
  /// True when the page is known.
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
