// SPDX-License-Identifier: Apache-2.0
// A cache of whole lines of which only the tags are simulated: instruction caches, constant caches and TLBs. The set of
// a line is its number modulo the number of sets, which need not be a power of two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "arch/cache/tag_array.h"
#include "sim/config/groups/cache_geometry.h"

namespace sassim::arch {

/// Without a number of ways: one set. Without room for a line: no set, so the cache stores nothing.
inline CacheShape shape_of(const config::CacheGeometry& geometry) {
  CacheShape shape{.sets = 0};
  const bool nothing = geometry.ways == 0 && geometry.size < geometry.line;
  if (nothing) return shape;
  shape.ways = geometry.ways != 0 ? geometry.ways : static_cast<std::uint32_t>(geometry.size / geometry.line);
  shape.sets = static_cast<std::uint32_t>(geometry.size / (std::uint64_t{geometry.line} * shape.ways));
  return shape;
}

class LineCache {
 public:
  explicit LineCache(const config::CacheGeometry& geometry, const std::string& policy = "lru")
      : LineCache(geometry.line, shape_of(geometry), policy) {}
  LineCache(std::uint64_t line_bytes, const CacheShape& shape, const std::string& policy)
      : line_bytes_(line_bytes), tags_(shape, policy) {}

  std::uint64_t line_bytes() const { return line_bytes_; }
  std::uint64_t line_of(std::uint64_t address) const { return address / line_bytes_; }

  /// True if the line is present.
  bool probe(std::uint64_t line) const {
    return tags_.sets() != 0 && tags_.find(set_of(line), line) != TagArray::kNone;
  }
  /// probe() that also counts as a use of the line.
  bool access(std::uint64_t line, const LineUse& use) {
    if (tags_.sets() == 0) return false;
    const std::size_t slot = tags_.find(set_of(line), line);
    if (slot == TagArray::kNone) return false;
    tags_.used(slot, use);
    return true;
  }
  /// Stores a line and may displace a victim. If the line is present, this counts as a use.
  void insert(std::uint64_t line, const LineUse& use) {
    if (tags_.sets() == 0 || access(line, use)) return;
    tags_.fill(tags_.choose(set_of(line), line, use, [](std::size_t) { return true; }), line, use);
  }
  /// Drops the lines from `first` to `last`.
  void erase(std::uint64_t first, std::uint64_t last) {
    for (std::size_t slot = 0; slot < tags_.slots(); ++slot)
      if (tags_.line_at(slot) != TagArray::kEmpty && tags_.line_at(slot) >= first && tags_.line_at(slot) <= last)
        tags_.drop(slot);
  }
  void clear() { tags_.clear(); }
  template <class Archive>
  void state(Archive& archive) {
    archive(tags_);
  }

 private:
  std::size_t set_of(std::uint64_t line) const { return line % tags_.sets(); }

  std::uint64_t line_bytes_;
  TagArray tags_;
};

}  // namespace sassim::arch
