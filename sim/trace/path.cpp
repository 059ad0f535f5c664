// SPDX-License-Identifier: Apache-2.0
// Folds a warp's executed code segments into nested loops while they are recorded, and walks them again.
#include "sim/trace/path.h"

#include <algorithm>

namespace sassim::trace {
namespace {

/// Longest loop body that is searched for, in items. Recording gets slower with it.
constexpr std::size_t kLongestPeriod = 32;

struct Walk {
  std::size_t segments, max_depth;
  std::string_view place;
  const std::function<void(std::uint32_t, std::uint64_t)>& visit;

  void items(std::span<const std::uint8_t> path, std::size_t depth, std::uint64_t times) const {
    ByteReader in(path, place);
    while (!in.done()) {
      const std::uint64_t head = in.varint();
      const auto kind = static_cast<PathItem>(head & 3);
      if (kind == PathItem::once) {
        visit(checked_segment(in, head >> 2), times);
      } else if (kind == PathItem::times) {
        visit(checked_segment(in, head >> 2), repeated(in, times));
      } else if (kind == PathItem::loop) {
        const std::uint64_t total = repeated(in, times);
        if (depth == max_depth) in.fail("loops are nested too deeply");
        if (head >> 2 == 0) in.fail("a loop is empty");
        items(in.bytes(head >> 2), depth + 1, total);
      } else {
        in.fail("unknown kind of path item");
      }
    }
  }

 private:
  std::uint32_t checked_segment(const ByteReader& in, std::uint64_t segment) const {
    if (segment >= segments) in.fail("a path names a segment that does not exist");
    return static_cast<std::uint32_t>(segment);
  }
  static std::uint64_t repeated(ByteReader& in, std::uint64_t times) {
    const std::uint64_t n = in.varint(kMaxSteps / times, "a repetition");
    if (n == 0) in.fail("something is repeated zero times");
    return n * times;
  }
};

}  // namespace

void PathFolder::append(std::uint32_t segment) {
  const std::uint32_t node = segment << 1;
  if (!items_.empty() && items_.back().node == node) {
    ++items_.back().count;
    return;
  }
  while (fold_tail()) {
  }
  items_.push_back({node, 1});
}

bool PathFolder::fold_tail() {
  if (items_.empty()) return false;
  const std::size_t longest = std::min(kLongestPeriod, items_.size() - 1);
  for (std::size_t period = 1; period <= longest; ++period)
    if (extend_sequence(period) || new_sequence(period)) return true;
  return false;
}

/// Extends a loop: ... S{a b}*n a b  ->  ... S{a b}*(n+1).
bool PathFolder::extend_sequence(std::size_t period) {
  Item& head = items_[items_.size() - period - 1];
  if (!(head.node & 1)) return false;
  const Items& body = sequences_[head.node >> 1].items;
  if (body.size() != period ||
      !std::equal(body.begin(), body.end(), items_.end() - static_cast<std::ptrdiff_t>(period)))
    return false;
  ++head.count;
  items_.resize(items_.size() - period);
  return true;
}

/// Makes a loop: ... a b a b  ->  ... S{a b}*2.
bool PathFolder::new_sequence(std::size_t period) {
  if (period < 2 || 2 * period > items_.size()) return false;
  const auto second = items_.end() - static_cast<std::ptrdiff_t>(period);
  const auto first = second - static_cast<std::ptrdiff_t>(period);
  if (!(items_.back() == *(second - 1)) || !std::equal(second, items_.end(), first)) return false;
  Sequence sequence{Items(second, items_.end()), 1};
  for (const Item& item : sequence.items) sequence.depth = std::max(sequence.depth, depth_of(item) + 1);
  if (sequence.depth > max_depth_) return false;
  const std::uint32_t node = intern(std::move(sequence)) << 1 | 1;
  items_.resize(items_.size() - 2 * period);
  if (!items_.empty() && items_.back().node == node)
    items_.back().count += 2;
  else
    items_.push_back({node, 2});
  return true;
}

std::uint32_t PathFolder::intern(Sequence sequence) {
  std::uint64_t hash = sequence.items.size();
  for (const Item& item : sequence.items) hash = (hash ^ (item.count << 32 | item.node)) * 0x9e3779b97f4a7c15u;
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto found = begin; found != end; ++found)
    if (sequences_[found->second].items == sequence.items) return found->second;
  const auto id = static_cast<std::uint32_t>(sequences_.size());
  sequences_.push_back(std::move(sequence));
  by_hash_.emplace(hash, id);
  return id;
}

void PathFolder::write_items(const Items& items, ByteWriter& out) const {
  for (const Item& item : items) {
    if (item.node & 1) {
      ByteWriter body;
      write_items(sequences_[item.node >> 1].items, body);
      out.varint(body.size() << 2 | static_cast<std::uint64_t>(PathItem::loop));
      out.varint(item.count);
      out.bytes(body.view());
    } else if (item.count == 1) {
      out.varint(std::uint64_t{item.node >> 1} << 2 | static_cast<std::uint64_t>(PathItem::once));
    } else {
      out.varint(std::uint64_t{item.node >> 1} << 2 | static_cast<std::uint64_t>(PathItem::times));
      out.varint(item.count);
    }
  }
}

void walk_path(std::span<const std::uint8_t> path, std::size_t segments, std::size_t max_depth, std::string_view place,
               const std::function<void(std::uint32_t segment, std::uint64_t times)>& visit) {
  Walk{segments, max_depth, place, visit}.items(path, 0, 1);
}

}  // namespace sassim::trace
