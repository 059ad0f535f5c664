// SPDX-License-Identifier: Apache-2.0
// Finds for each access how large an LRU cache would hit, for `sassim explore --miss-curves`.
#include "sim/explore/lru_stack.h"

#include <algorithm>
#include <bit>

namespace sassim::explore {

void HitCounts::add(const HitCounts& other) {
  for (const auto& [lines, count] : other.needed_) add(lines, count);
}

std::uint64_t HitCounts::hits(std::uint64_t lines) const {
  std::uint64_t sum = 0;
  for (const auto& [needed, count] : needed_)
    if (needed != kNever && needed <= lines) sum += count;
  return sum;
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> HitCounts::steps() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> all(needed_.begin(), needed_.end());
  if (!all.empty() && all.back().first == kNever) all.pop_back();
  return all;
}

void LruOrder::mark(std::size_t time, std::int32_t change) {
  for (std::size_t i = time + 1; i <= tree_.size(); i += i & (~i + 1)) tree_[i - 1] += change;
}

std::uint32_t LruOrder::marked_up_to(std::size_t time) const {
  std::int32_t sum = 0;
  for (std::size_t i = time + 1; i > 0; i &= i - 1) sum += tree_[i - 1];
  return static_cast<std::uint32_t>(sum);
}

/// Renumbers the times of the lines' last uses from 1. Times grow with every access, but the size of the tree should
/// depend on the number of lines only.
void LruOrder::renumber() {
  std::vector<std::pair<std::size_t, std::uint64_t>> by_time;
  by_time.reserve(last_.size());
  for (const auto& [line, time] : last_) by_time.emplace_back(time, line);
  std::sort(by_time.begin(), by_time.end());
  constexpr std::size_t kLeast = 1024;
  tree_.assign(std::max(kLeast, 4 * last_.size()), 0);
  now_ = 0;
  for (const auto& [time, line] : by_time) {
    last_[line] = now_;
    mark(now_++, 1);
  }
}

std::uint32_t LruOrder::use(std::uint64_t line) {
  if (now_ == tree_.size()) renumber();
  const auto [found, fresh] = last_.try_emplace(line, now_);
  std::uint32_t others = kNew;
  if (!fresh) {
    // Every line has one mark, at its last use. Marks after this line's mark are the other lines used since.
    others = static_cast<std::uint32_t>(last_.size()) - marked_up_to(found->second);
    mark(found->second, -1);
    found->second = now_;
  }
  mark(now_++, 1);
  return others;
}

std::uint32_t* SectoredLru::sectors_of(std::uint64_t line) {
  const auto [found, fresh] = place_.try_emplace(line, needed_.size());
  if (fresh) needed_.resize(needed_.size() + sectors_, HitCounts::kNever);
  return needed_.data() + found->second;
}

std::uint32_t* SectoredLru::touch(std::uint64_t line, std::uint32_t& needed) {
  const std::uint32_t others = order_.use(line);
  needed = others == LruOrder::kNew ? HitCounts::kNever : others + 1;
  std::uint32_t* sectors = sectors_of(line);
  // A cache with fewer than `needed` lines has replaced the line and all its sectors.
  for (std::uint32_t s = 0; s < sectors_; ++s) sectors[s] = std::max(sectors[s], needed);
  return sectors;
}

void SectoredLru::read(std::uint64_t line, std::uint32_t wanted) {
  std::uint32_t line_needed = 0;
  std::uint32_t* sectors = touch(line, line_needed);
  for (std::uint32_t first = 0; first < sectors_; first += fetch_) {
    const std::uint32_t here = wanted >> first & ((1u << fetch_) - 1);
    if (here == 0) continue;
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < fetch_; ++i)
      if ((here >> i & 1) != 0) {
        counts_.add(sectors[first + i], 1);
        most = std::max(most, sectors[first + i]);
      }
    // Caches that are too small to hold the sector fetch its neighbours too. Larger caches already had them, if they
    // need no more lines.
    for (std::uint32_t i = 0; i < fetch_; ++i)
      if ((here >> i & 1) != 0 || sectors[first + i] <= most) sectors[first + i] = 1;
  }
}

void SectoredLru::write(std::uint64_t line, std::uint32_t written, std::uint32_t partial, Write how) {
  std::uint32_t line_needed = 0;
  std::uint32_t* sectors = touch(line, line_needed);
  counts_.add(how == Write::always_hits ? 1 : line_needed, static_cast<std::uint64_t>(std::popcount(written)));
  for (std::uint32_t s = 0; s < sectors_; ++s)
    if (((written & ~partial) >> s & 1) != 0) sectors[s] = 1;
}

void SectoredLru::pass_by(std::uint64_t line, std::uint32_t wanted) {
  counts_.add(HitCounts::kNever, static_cast<std::uint64_t>(std::popcount(wanted)));
  if (!place_.contains(line)) return;
  std::uint32_t* sectors = sectors_of(line);
  for (std::uint32_t s = 0; s < sectors_; ++s)
    if ((wanted >> s & 1) != 0) sectors[s] = HitCounts::kNever;
}

}  // namespace sassim::explore
