// SPDX-License-Identifier: Apache-2.0
// The path of a warp: the order in which it ran its segments, which are stretches of code under one mask (stream.h).
// PathFolder builds it while the warp is recorded, and folds repetitions into (nested) loops; walk_path() reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/trace/bytes.h"

namespace sassim::trace {

/// The low two bits of the first number of an encoded item: one segment, a repeated one, or a loop of items.
enum class PathItem : std::uint8_t { once = 0, times = 1, loop = 2 };

inline constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 48;  ///< per warp

/// Folds a path while its segments are appended: loops may lie in each other up to `max_depth` times.
class PathFolder {
 public:
  explicit PathFolder(std::size_t max_depth) : max_depth_(max_depth) {}
  void append(std::uint32_t segment);
  void write(ByteWriter& out) const { write_items(items_, out); }

 private:
  struct Item {
    std::uint32_t node = 0;  ///< segment << 1, or sequence << 1 | 1
    std::uint64_t count = 1;
    friend bool operator==(const Item&, const Item&) = default;
  };
  struct Sequence {
    std::vector<Item> items;
    std::size_t depth = 1;
  };
  using Items = std::vector<Item>;

  bool fold_tail();
  bool extend_sequence(std::size_t period);
  bool new_sequence(std::size_t period);
  std::size_t depth_of(const Item& item) const { return item.node & 1 ? sequences_[item.node >> 1].depth : 0; }
  std::uint32_t intern(Sequence sequence);
  void write_items(const Items& items, ByteWriter& out) const;

  std::size_t max_depth_;
  Items items_;
  std::vector<Sequence> sequences_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

/// Calls `visit(segment, times)` for each item of an encoded path, in order of first execution. Throws InputError for
/// invalid items, more than `max_depth` nested loops, a segment number that is not below `segments`, or more than
/// kMaxSteps repetitions.
void walk_path(std::span<const std::uint8_t> path, std::size_t segments, std::size_t max_depth, std::string_view place,
               const std::function<void(std::uint32_t segment, std::uint64_t times)>& visit);

}  // namespace sassim::trace
