// SPDX-License-Identifier: Apache-2.0
// The lines that the L1 holds: one tag per line, one valid bit per sector, and which bytes of other sectors were
// written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/cache/tag_array.h"
#include "arch/sm/memory/coalescer.h"
#include "arch/sm/memory/tag_bank.h"

namespace sassim::arch {

/// Sets may differ by one way.
struct L1Shape {
  std::uint32_t lines = 0;  ///< that can hold data, at least one per set
  std::uint32_t sets = 1;
  bool mixed = false;      ///< lines are spread over the sets as by chance, else in turn
  bool banked = false;     ///< a set is a bank of the tags (tag_bank.h)
  std::uint32_t tags = 0;  ///< lines of the whole array, where there are tags for more than can hold data
  std::vector<std::uint64_t> tag_masks = {};  ///< how a bank follows from a line's number
  TagRows rows = {};                          ///< of a bank, for the policy
};

class L1Tags {
 public:
  /// `shape` counts the lines that can hold data. Throws InputError for an unknown policy or an empty shape.
  L1Tags(const std::string& policy, const L1Shape& shape, std::uint32_t line_bytes,
         std::uint32_t sector_bytes = kSectorBytes);

  /// The valid sectors of a line; none when it is absent.
  std::uint8_t sectors(std::uint64_t line_address) const;
  /// The line has its tag here, with whatever sectors.
  bool holds(std::uint64_t line_address) const { return find(line_address / line_bytes_) != TagArray::kNone; }
  /// The line was used. This matters only to the replacement policy, as `use` does below.
  void touch(std::uint64_t line_address, const LineUse& use = {});
  /// The line's data are in flight, and it takes the place of a victim if need be; or they have arrived.
  void expect(std::uint64_t line_address, const LineUse& use = {});
  void arrived(std::uint64_t line_address);
  /// Makes sectors valid, in place of a victim if need be. If no line can be evicted, nothing changes.
  void fill(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use = {});
  /// The same for sectors whose bytes have all been written.
  void store(std::uint64_t line_address, std::uint8_t sectors, const LineUse& use = {});
  /// Some bytes of a line were written; their sectors need not be valid. Sectors whose words have all been written
  /// become valid. In sectors that were not filled from below, words that were written in part become unknown. The line
  /// takes the place of a victim if need be.
  void write(std::uint64_t line_address, const ByteMask& bytes, const LineUse& use = {});
  /// The sectors, of those given, in which all of these bytes have been written.
  std::uint8_t written(std::uint64_t line_address, std::uint8_t sectors, const ByteMask& bytes) const;
  /// Makes sectors invalid.
  void drop(std::uint64_t line_address, std::uint8_t sectors);
  void clear();

  std::uint32_t lines() const { return shape_.lines; }
  std::uint32_t resident() const { return tags_.resident(); }

  template <class Archive>
  void state(Archive& archive) {
    archive(tags_, lines_, bytes_);
  }

 private:
  struct Line {
    std::uint8_t sectors = 0;
    std::uint8_t filled = 0;  ///< the sectors among them that were filled from below
    bool partial = false;     ///< some of its bytes were written
  };

  std::size_t set_of(std::uint64_t number) const;
  std::size_t find(std::uint64_t number) const {
    return indexed_ ? tags_.find(number) : tags_.find(set_of(number), number);
  }
  std::size_t slot_for(std::uint64_t number, const LineUse& use);
  template <class Each>
  void each_sector(Each each) const;

  L1Shape shape_;
  TagBanks bank_;
  std::uint32_t line_bytes_, sector_bytes_;
  TagArray tags_;
  bool indexed_;                 ///< a line is found without its set
  std::vector<Line> lines_;      ///< by slot
  std::vector<ByteMask> bytes_;  ///< of each line that is partial
};

}  // namespace sassim::arch
