// SPDX-License-Identifier: Apache-2.0
// Which lines a set-associative cache holds, least recently used first out. Any number of sets.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::arch {

class LineTags {
 public:
  explicit LineTags(const config::CacheGeometry& geometry)
      : line_(geometry.line),
        ways_(geometry.ways ? geometry.ways : static_cast<std::uint32_t>(geometry.size / line_)),
        sets_(static_cast<std::uint32_t>(geometry.size / (std::uint64_t{line_} * ways_))),
        entries_(std::size_t{sets_} * ways_) {}

  std::uint32_t line_bytes() const { return line_; }
  std::uint64_t line_of(std::uint64_t address) const { return address / line_; }

  bool probe(std::uint64_t line) const { return const_cast<LineTags*>(this)->find(line) != nullptr; }
  /// Probes, and makes the line the most recently used one.
  bool access(std::uint64_t line) {
    Entry* entry = find(line);
    if (entry != nullptr) entry->used = ++clock_;
    return entry != nullptr;
  }
  /// Takes the place of the least recently used line of its set.
  void insert(std::uint64_t line) {
    if (access(line) || sets_ == 0) return;
    Entry* victim = set(line);
    for (Entry *entry = victim, *end = victim + ways_; entry != end; ++entry)
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
  Entry* set(std::uint64_t line) { return &entries_[line % sets_ * ways_]; }
  Entry* find(std::uint64_t line) {
    if (sets_ == 0) return nullptr;
    for (Entry *entry = set(line), *end = entry + ways_; entry != end; ++entry)
      if (entry->tag == line + 1) return entry;
    return nullptr;
  }

  std::uint32_t line_, ways_, sets_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace sassim::arch
