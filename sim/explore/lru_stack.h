// SPDX-License-Identifier: Apache-2.0
// Hits of fully associative LRU caches of all sizes, from one pass over the accesses: Mattson's stack distances
// ("Evaluation techniques for storage hierarchies", 1970), counted with a Fenwick tree over the times of last use.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

namespace sassim::explore {

/// How many accesses hit, by the number of lines that the cache needs for it; kNever: no size is enough.
class HitCounts {
 public:
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  void add(std::uint32_t lines, std::uint64_t count) {
    needed_[lines] += count;
    total_ += count;
  }
  void add(const HitCounts& other);
  std::uint64_t total() const { return total_; }
  /// The hits of a cache with this many lines.
  std::uint64_t hits(std::uint64_t lines) const;
  /// Pairs of lines needed and number of accesses, rising; without kNever.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> steps() const;

 private:
  std::map<std::uint32_t, std::uint64_t> needed_;
  std::uint64_t total_ = 0;
};

/// The order of last use of the lines of one cache.
class LruOrder {
 public:
  /// Returns how many other lines were used since the last use of this one, or kNew for a new line, and marks it as
  /// used.
  static constexpr std::uint32_t kNew = HitCounts::kNever;
  std::uint32_t use(std::uint64_t line);
  std::size_t lines() const { return last_.size(); }

 private:
  void mark(std::size_t time, std::int32_t change);
  std::uint32_t marked_up_to(std::size_t time) const;
  void renumber();

  std::unordered_map<std::uint64_t, std::size_t> last_;  ///< time of last use
  std::vector<std::int32_t> tree_;
  std::size_t now_ = 0;
};

/// A sectored cache: lines are replaced as a whole, and sectors are filled one by one.
class SectoredLru {
 public:
  /// A miss fills the `fetch` aligned sectors around the sector.
  SectoredLru(std::uint32_t sectors_per_line, std::uint32_t fetch) : sectors_(sectors_per_line), fetch_(fetch) {}

  enum class Write : std::uint8_t {
    hits_with_its_line,  ///< an L1: a store hits if its line has a tag
    always_hits,         ///< an L2: a store never fetches
  };

  /// Each sector counts as one access.
  void read(std::uint64_t line, std::uint32_t sectors);
  /// A store may allocate the line. Sectors that it writes completely are valid afterwards, `partial` ones are not.
  void write(std::uint64_t line, std::uint32_t sectors, std::uint32_t partial, Write how);
  /// Misses in every size, and makes the sectors invalid.
  void pass_by(std::uint64_t line, std::uint32_t sectors);

  const HitCounts& counts() const { return counts_; }
  std::size_t lines() const { return order_.lines(); }

 private:
  /// Uses the line and returns its sectors: for each, how many lines a cache needs to hold it still.
  std::uint32_t* touch(std::uint64_t line, std::uint32_t& needed);
  std::uint32_t* sectors_of(std::uint64_t line);

  std::uint32_t sectors_, fetch_;
  LruOrder order_;
  std::unordered_map<std::uint64_t, std::size_t> place_;
  std::vector<std::uint32_t> needed_;  ///< sectors_ per line
  HitCounts counts_;
};

}  // namespace sassim::explore
