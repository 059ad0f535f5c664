// SPDX-License-Identifier: Apache-2.0
// The lines that the L1 holds: one tag per line, one valid bit per sector, and the written bytes of sectors that are
// not valid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/cache/tag_array.h"
#include "arch/sm/units/l1/coalescer.h"
#include "arch/sm/units/l1/tag_bank.h"

namespace sassim::arch {

/// The numbers of ways of two sets may differ by one.
struct L1Shape {
  std::uint32_t lines = 0;  ///< lines that can hold data, at least one per set
  std::uint32_t sets = 1;
  bool mixed = false;      ///< the set is a hash of the line's number; else the number modulo the sets
  bool banked = false;     ///< a set is a bank of the tags (tag_bank.h)
  std::uint32_t tags = 0;  ///< number of tags, if there are more tags than lines that can hold data
  std::vector<std::uint64_t> tag_masks = {};  ///< how the bank follows from the line's number (tag_bank.h)
  TagRows rows = {};                          ///< rows of a bank, for the replacement policy
};

class L1Tags {
 public:
  /// `shape` gives the lines that can hold data. Throws InputError for an unknown policy or an empty shape.
  L1Tags(const std::string& policy, const L1Shape& shape, std::uint32_t line_bytes,
         std::uint32_t sector_bytes = kSectorBytes);

  /// The valid sectors of a line; 0 if the line is absent.
  std::uint8_t sectors(std::uint64_t line_address) const;
  /// True if the line has a tag, with or without valid sectors.
  bool holds(std::uint64_t line_address) const { return find(line_address / line_bytes_) != TagArray::kNone; }
  /// The line was used. Like the `use` arguments below, this matters only to the replacement policy.
  void touch(std::uint64_t line_address, const LineUse& use = {});
  /// expect(): data of the line are in flight, and the line gets a way, which may displace a victim. arrived(): the
  /// data are there.
  void expect(std::uint64_t line_address, const LineUse& use = {});
  void arrived(std::uint64_t line_address);
  /// Makes sectors valid and may displace a victim. If no line can be displaced, nothing changes.
  void fill(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use = {});
  /// fill() for sectors whose bytes have all been written by stores.
  void store(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use = {});
  /// Stores write some bytes of a line, whose sectors need not be valid. A sector becomes valid when all its words have
  /// been written. In sectors that were not filled from the L2, a word that is written only in part loses its known
  /// value. The line gets a way, which may displace a victim.
  void write(std::uint64_t line_address, const ByteMask& bytes, const LineUse& use = {});
  /// Those of the given sectors in which all of `bytes` have been written.
  std::uint8_t written(std::uint64_t line_address, std::uint8_t sectors, const ByteMask& bytes) const;
  /// Makes sectors invalid.
  void drop(std::uint64_t line_address, std::uint8_t sectors);
  void clear();

  std::uint32_t lines() const { return shape_.lines; }
  std::uint32_t resident() const { return tags_.resident(); }

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, lines_, bytes_);
    if constexpr (Archive::kLoading)
      if (lines_.size() != tags_.slots() || (!bytes_.empty() && bytes_.size() != lines_.size()) ||
          (bytes_.empty() && std::ranges::any_of(lines_, &Line::partial)))
        archive.damaged("a size of the L1 is not that of this configuration");
  }

 private:
  struct Line {
    std::uint8_t sectors = 0;
    std::uint8_t filled = 0;  ///< the valid sectors that were filled from the L2
    bool partial = false;     ///< some bytes of the line were written without their whole sector
  };

  std::size_t set_of(std::uint64_t line) const;
  std::size_t find(std::uint64_t line) const { return indexed_ ? tags_.find(line) : tags_.find(set_of(line), line); }
  std::size_t slot_for(std::uint64_t line, const LineUse& use);
  template <class Each>
  void each_sector(Each each) const;

  L1Shape shape_;
  TagBanks bank_;
  std::uint32_t line_bytes_, sector_bytes_;
  TagArray tags_;
  bool indexed_;                 ///< a line is found by an index, without its set
  std::vector<Line> lines_;      ///< one per way of a set
  std::vector<ByteMask> bytes_;  ///< written bytes of the lines that are partial; empty before there is one
};

}  // namespace sassim::arch
