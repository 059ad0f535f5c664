// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/l1_tags.h"

#include <algorithm>
#include <bit>

#include "arch/sm/tag_bank.h"

namespace sassim::arch {

L1Tags::L1Tags(const std::string& policy, const L1Shape& shape, std::uint32_t line_bytes, std::uint32_t sector_bytes)
    : policy_(policy), shape_(shape), line_bytes_(line_bytes), sector_bytes_(sector_bytes) {
  if (shape.sets == 0 || shape.lines < shape.sets)
    throw InputError("the L1 has {} lines in {} sets: expected at least one line per set", shape.lines, shape.sets);
  const std::uint32_t slots = std::bit_ceil(2 * shape.lines);
  shift_ = 64 - static_cast<std::uint32_t>(std::countr_zero(slots));
  lines_.resize(shape.lines);
  bytes_.resize(shape.lines);
  index_.resize(slots);
  filled_.resize(shape.sets);
  free_.resize(shape.sets);
  for (auto& free : free_) free.reserve(8);
  clear();
}

void L1Tags::clear() {
  std::fill(lines_.begin(), lines_.end(), Line{});
  std::fill(index_.begin(), index_.end(), kNone);
  std::fill(filled_.begin(), filled_.end(), 0);
  for (auto& free : free_) free.clear();
  resident_ = 0;
  replacement_ = L1ReplacementRegistry::instance().make(policy_, shape_);
}

std::uint32_t L1Tags::set_of(std::uint64_t number) const {
  if (shape_.banked) return tag_bank(number, shape_.sets);
  if (!shape_.mixed) return static_cast<std::uint32_t>(number % shape_.sets);
  std::uint64_t bits = number * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 29) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>((bits >> 33) % shape_.sets);
}

std::uint32_t L1Tags::find(std::uint64_t number) const {
  for (std::uint32_t i = home(number);; i = after(i)) {
    const std::uint32_t slot = index_[i];
    if (slot == kNone || lines_[slot].number == number) return slot;
  }
}

void L1Tags::link(std::uint32_t slot) {
  std::uint32_t i = home(lines_[slot].number);
  while (index_[i] != kNone) i = after(i);
  index_[i] = slot;
  ++resident_;
}

/// Takes the entry out and moves back those that were pushed past it.
void L1Tags::unlink(std::uint32_t slot) {
  const auto last = static_cast<std::uint32_t>(index_.size() - 1);  // their number is a power of two
  std::uint32_t hole = home(lines_[slot].number);
  while (index_[hole] != slot) hole = after(hole);
  for (std::uint32_t i = after(hole); index_[i] != kNone; i = after(i)) {
    const std::uint32_t wanted = home(lines_[index_[i]].number);
    if (((i - wanted) & last) < ((i - hole) & last)) continue;
    index_[hole] = index_[i];
    hole = i;
  }
  index_[hole] = kNone;
  --resident_;
}

std::uint8_t L1Tags::sectors(std::uint64_t line_address) const {
  const std::uint32_t slot = find(line_address / line_bytes_);
  return slot == kNone ? std::uint8_t{0} : lines_[slot].sectors;
}

void L1Tags::touch(std::uint64_t line_address) {
  if (const std::uint32_t slot = find(line_address / line_bytes_); slot != kNone) replacement_->touched(slot);
}

std::uint32_t L1Tags::take_slot(std::uint32_t set, std::uint64_t number) {
  std::vector<std::uint32_t>& free = free_[set];
  const std::size_t had = free.size();
  const bool room = replacement_->make_room(set, number, had == 0 && filled_[set] == shape_.ways(set), free);
  for (std::size_t i = had; i < free.size(); ++i) unlink(free[i]);
  if (!room) return kNone;
  if (free.empty()) return set + filled_[set]++ * shape_.sets;
  const std::uint32_t slot = free.back();
  free.pop_back();
  return slot;
}

/// The line's slot, which it gets if it has none; kNone where there is none.
std::uint32_t L1Tags::slot_for(std::uint64_t number) {
  std::uint32_t slot = find(number);
  if (slot != kNone || (slot = take_slot(set_of(number), number)) == kNone) return slot;
  lines_[slot] = {.number = number};
  link(slot);
  replacement_->filled(slot, number);
  return slot;
}

void L1Tags::expect(std::uint64_t line_address) {
  if (const std::uint32_t slot = slot_for(line_address / line_bytes_); slot != kNone) replacement_->expect(slot, true);
}

void L1Tags::arrived(std::uint64_t line_address) {
  if (const std::uint32_t slot = find(line_address / line_bytes_); slot != kNone) replacement_->expect(slot, false);
}

void L1Tags::fill(std::uint64_t line_address, std::uint8_t sectors) {
  const std::uint32_t slot = slot_for(line_address / line_bytes_);
  if (slot == kNone) return;
  lines_[slot].sectors |= sectors;
  lines_[slot].filled |= sectors;
}

namespace {
constexpr std::uint64_t kFirstBytes = 0x1111111111111111ull;  ///< of words of four, in a mask of bytes
}

/// Calls `each(bit, word, mask)` for the sectors of a line: where its bytes are in a ByteMask.
template <class Each>
void L1Tags::each_sector(Each each) const {
  const std::uint32_t chunk = std::min(sector_bytes_, 64u);  // sizes are powers of two
  for (std::uint32_t byte = 0; byte < line_bytes_; byte += chunk)
    each(1u << byte / sector_bytes_, byte / 64, ~0ull >> (64 - chunk) << byte % 64);
}

void L1Tags::store(std::uint64_t line_address, std::uint8_t sectors) {
  const std::uint32_t slot = slot_for(line_address / line_bytes_);
  if (slot == kNone) return;
  lines_[slot].sectors |= sectors;
  if (!lines_[slot].partial) return;
  each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
    if ((sectors & bit) != 0) bytes_[slot][word] |= mask;
  });
}

void L1Tags::write(std::uint64_t line_address, const ByteMask& bytes) {
  const std::uint32_t slot = slot_for(line_address / line_bytes_);
  if (slot == kNone) return;
  ByteMask& mine = bytes_[slot];
  if (!lines_[slot].partial) {
    mine = {};
    each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
      if ((lines_[slot].sectors & bit) != 0) mine[word] |= mask;
    });
  }
  lines_[slot].partial = true;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::uint64_t pairs = bytes[i] & bytes[i] >> 1, any = bytes[i] | bytes[i] >> 1;
    const std::uint64_t whole = (pairs & pairs >> 2 & kFirstBytes) * 15;
    mine[i] = (mine[i] & ~(((any | any >> 2) & kFirstBytes) * 15)) | whole;
  }
  std::uint32_t missing = 0;
  each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
    if ((~mine[word] & mask) != 0) missing |= bit;
  });
  const std::uint32_t all = (1u << line_bytes_ / sector_bytes_) - 1;
  lines_[slot].sectors = static_cast<std::uint8_t>(lines_[slot].filled | (all & ~missing));
}

std::uint8_t L1Tags::written(std::uint64_t line_address, std::uint8_t sectors, const ByteMask& bytes) const {
  const std::uint32_t slot = find(line_address / line_bytes_);
  if (slot == kNone || !lines_[slot].partial) return 0;
  std::uint32_t missing = 0;
  each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
    if ((bytes[word] & ~bytes_[slot][word] & mask) != 0) missing |= bit;
  });
  return static_cast<std::uint8_t>(sectors & ~missing);
}

void L1Tags::drop(std::uint64_t line_address, std::uint8_t sectors) {
  const std::uint32_t slot = find(line_address / line_bytes_);
  if (slot == kNone) return;
  lines_[slot].sectors = static_cast<std::uint8_t>(lines_[slot].sectors & ~sectors);
  lines_[slot].filled = static_cast<std::uint8_t>(lines_[slot].filled & ~sectors);
  if (lines_[slot].partial)
    each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
      if ((sectors & bit) != 0) bytes_[slot][word] &= ~mask;
    });
}

}  // namespace sassim::arch
