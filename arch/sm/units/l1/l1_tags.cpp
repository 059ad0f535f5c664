// SPDX-License-Identifier: Apache-2.0
// Finds and allocates lines in the tags of the L1, and marks which of their sectors and bytes hold data.
#include "arch/sm/units/l1/l1_tags.h"

#include <algorithm>
#include <bit>

namespace sassim::arch {

namespace {

CacheShape cache_shape(const L1Shape& shape) {
  if (shape.sets == 0 || shape.lines < shape.sets)
    throw InputError("the L1 has {} lines in {} sets: expected at least one line per set", shape.lines, shape.sets);
  return {.sets = shape.sets,
          .ways = (shape.lines + shape.sets - 1) / shape.sets,
          .lines = shape.lines,
          .tags = shape.tags,
          .several = true,
          .rows = shape.rows};
}

}  // namespace

L1Tags::L1Tags(const std::string& policy, const L1Shape& shape, std::uint32_t line_bytes, std::uint32_t sector_bytes)
    : shape_(shape),
      bank_(shape.tag_masks, shape.sets),
      line_bytes_(line_bytes),
      sector_bytes_(sector_bytes),
      tags_(cache_shape(shape), policy),
      indexed_(tags_.ways() > TagArray::kScanned),
      lines_(tags_.slots()) {}

void L1Tags::clear() {
  tags_.clear();
  std::fill(lines_.begin(), lines_.end(), Line{});
}

std::size_t L1Tags::set_of(std::uint64_t line) const {
  if (shape_.banked) return bank_(line);
  if (!shape_.mixed) return static_cast<std::uint32_t>(line % shape_.sets);
  std::uint64_t bits = line * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 29) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>((bits >> 33) % shape_.sets);
}

std::uint8_t L1Tags::sectors(std::uint64_t line_address) const {
  const std::size_t slot = find(line_address / line_bytes_);
  return slot == TagArray::kNone ? std::uint8_t{0} : lines_[slot].sectors;
}

void L1Tags::touch(std::uint64_t line_address, const LineUse& use) {
  if (const std::size_t slot = find(line_address / line_bytes_); slot != TagArray::kNone) tags_.used(slot, use);
}

/// The way of the line; allocates one if the line has none, and returns kNone if that is not possible.
std::size_t L1Tags::slot_for(std::uint64_t line, const LineUse& use) {
  std::size_t slot = find(line);
  if (slot != TagArray::kNone || (slot = tags_.make_room(set_of(line), line, use)) == TagArray::kNone) return slot;
  lines_[slot] = {};
  tags_.fill(slot, line, use);
  return slot;
}

void L1Tags::expect(std::uint64_t line_address, const LineUse& use) {
  if (const std::size_t slot = slot_for(line_address / line_bytes_, use); slot != TagArray::kNone)
    tags_.expect(slot, true);
}

void L1Tags::arrived(std::uint64_t line_address) {
  if (const std::size_t slot = find(line_address / line_bytes_); slot != TagArray::kNone) tags_.expect(slot, false);
}

void L1Tags::fill(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use) {
  const std::size_t slot = slot_for(line_address / line_bytes_, use);
  if (slot == TagArray::kNone) return;
  lines_[slot].sectors |= sectors;
  lines_[slot].filled |= sectors;
}

namespace {
constexpr std::uint64_t kFirstBytes =
    0x1111111111111111ull;  ///< the first byte of each 4-byte word, in a mask of bytes
}

/// Calls `each(bit, word, mask)` for the sectors of a line; `word` and `mask` locate its bytes in a ByteMask.
template <class Each>
void L1Tags::each_sector(Each each) const {
  const std::uint32_t chunk = std::min(sector_bytes_, 64u);  // sizes are powers of two
  for (std::uint32_t byte = 0; byte < line_bytes_; byte += chunk)
    each(1u << byte / sector_bytes_, byte / 64, ~0ull >> (64 - chunk) << byte % 64);
}

void L1Tags::store(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use) {
  const std::size_t slot = slot_for(line_address / line_bytes_, use);
  if (slot == TagArray::kNone) return;
  lines_[slot].sectors |= sectors;
  if (!lines_[slot].partial) return;
  each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
    if ((sectors & bit) != 0) bytes_[slot][word] |= mask;
  });
}

void L1Tags::write(std::uint64_t line_address, const ByteMask& bytes, const LineUse& use) {
  const std::size_t slot = slot_for(line_address / line_bytes_, use);
  if (slot == TagArray::kNone) return;
  if (bytes_.empty()) bytes_.resize(lines_.size());
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
  const std::size_t slot = find(line_address / line_bytes_);
  if (slot == TagArray::kNone || !lines_[slot].partial) return 0;
  std::uint32_t missing = 0;
  each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
    if ((bytes[word] & ~bytes_[slot][word] & mask) != 0) missing |= bit;
  });
  return static_cast<std::uint8_t>(sectors & ~missing);
}

void L1Tags::drop(std::uint64_t line_address, std::uint8_t sectors) {
  const std::size_t slot = find(line_address / line_bytes_);
  if (slot == TagArray::kNone) return;
  lines_[slot].sectors = static_cast<std::uint8_t>(lines_[slot].sectors & ~sectors);
  lines_[slot].filled = static_cast<std::uint8_t>(lines_[slot].filled & ~sectors);
  if (lines_[slot].partial)
    each_sector([&](std::uint32_t bit, std::uint32_t word, std::uint64_t mask) {
      if ((sectors & bit) != 0) bytes_[slot][word] &= ~mask;
    });
}

}  // namespace sassim::arch
