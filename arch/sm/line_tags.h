// SPDX-License-Identifier: Apache-2.0
// Which lines a set-associative cache holds, least recently used first out. Any number of sets.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/sm/line_geometry.h"

namespace sassim::arch {

class LineTags {
 public:
  explicit LineTags(const config::CacheGeometry& geometry)
      : geometry_(geometry), entries_(geometry_.lines()) {}

  std::uint32_t line_bytes() const { return geometry_.line; }
  std::uint64_t line_of(std::uint64_t address) const { return address / geometry_.line; }

  bool probe(std::uint64_t line) const { return const_cast<LineTags*>(this)->find(line) != nullptr; }
  /// Probes, and makes the line the most recently used one.
  bool access(std::uint64_t line) {
    Entry* entry = find(line);
    if (entry != nullptr) entry->used = ++clock_;
    return entry != nullptr;
  }
  /// Takes the place of the least recently used line of its set.
  void insert(std::uint64_t line) {
    if (access(line) || geometry_.sets == 0) return;
    Entry* victim = set(line);
    for (Entry *entry = victim, *end = victim + geometry_.ways; entry != end; ++entry)
      if (entry->used < victim->used) victim = entry;
    *victim = {line + 1, ++clock_};
  }
  void erase(std::uint64_t first, std::uint64_t last) {
    for (Entry& entry : entries_)
      if (entry.tag > first && entry.tag <= last + 1) entry = Entry{};
  }
  void clear() { entries_.assign(entries_.size(), Entry{}); }

 private:
  struct Entry {
    std::uint64_t tag = 0;  ///< line + 1; 0: empty
    std::uint64_t used = 0;
  };
  Entry* set(std::uint64_t line) { return &entries_[line % geometry_.sets * geometry_.ways]; }
  Entry* find(std::uint64_t line) {
    if (geometry_.sets == 0) return nullptr;
    for (Entry *entry = set(line), *end = entry + geometry_.ways; entry != end; ++entry)
      if (entry->tag == line + 1) return entry;
    return nullptr;
  }

  LineGeometry geometry_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
