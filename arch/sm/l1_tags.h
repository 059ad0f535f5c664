// SPDX-License-Identifier: Apache-2.0
// The lines that the L1 holds: one tag per line, one valid bit per sector, and which bytes of other sectors were written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/sm/coalescer.h"
#include "arch/sm/l1_replacement.h"

namespace sassim::arch {

class L1Tags {
 public:
  /// `shape` counts the lines that can hold data. Throws InputError for an unknown policy or an empty shape.
  L1Tags(const std::string& policy, const L1Shape& shape, std::uint32_t line_bytes,
         std::uint32_t sector_bytes = kSectorBytes);

  /// What happens from here on happens at `now`: matters to the replacement only.
  void set_time(Cycle now) { replacement_->set_time(now); }
  /// The valid sectors of a line; none when it is absent.
  std::uint8_t sectors(std::uint64_t line_address) const;
  /// The line has its tag here, with whatever sectors.
  bool holds(std::uint64_t line_address) const { return find(line_address / line_bytes_) != kNone; }
  /// The line was used: matters to the replacement only.
  void touch(std::uint64_t line_address);
  /// The line's data is under way, for which it takes the place of another line if need be; or has come.
  void expect(std::uint64_t line_address);
  void arrived(std::uint64_t line_address);
  /// Makes sectors valid, in place of another line if need be. There may be no place: then it is as if nobody asked.
  void fill(std::uint64_t line_address, std::uint8_t sectors);
  /// The same of sectors that were written whole.
  void store(std::uint64_t line_address, std::uint8_t sectors);
  /// Some bytes of a line were written, of sectors that need not be valid: those of which all words were become so. In
  /// sectors that did not come whole, words of which a part was written are not known any more. The line takes the
  /// place of another one if need be.
  void write(std::uint64_t line_address, const ByteMask& bytes);
  /// Those of the sectors of which all of these bytes were written.
  std::uint8_t written(std::uint64_t line_address, std::uint8_t sectors, const ByteMask& bytes) const;
  /// Makes sectors invalid.
  void drop(std::uint64_t line_address, std::uint8_t sectors);
  void clear();

  std::uint32_t lines() const { return shape_.lines; }
  std::uint32_t resident() const { return resident_; }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Line {
    std::uint64_t number = 0;
    std::uint8_t sectors = 0;
    std::uint8_t filled = 0;  ///< of them, those that came from below
    bool partial = false;     ///< bytes of it were written
  };

  std::uint32_t home(std::uint64_t number) const {
    return static_cast<std::uint32_t>((number * 0x9e3779b97f4a7c15ull) >> shift_);
  }
  std::uint32_t after(std::uint32_t i) const { return (i + 1) & static_cast<std::uint32_t>(index_.size() - 1); }
  std::uint32_t set_of(std::uint64_t number) const;
  std::uint32_t find(std::uint64_t number) const;
  void link(std::uint32_t slot);
  void unlink(std::uint32_t slot);
  std::uint32_t take_slot(std::uint32_t set, std::uint64_t number);
  std::uint32_t slot_for(std::uint64_t number);
  template <class Each>
  void each_sector(Each each) const;

  std::string policy_;
  L1Shape shape_;
  std::uint32_t line_bytes_, sector_bytes_;
  std::vector<Line> lines_;
  std::vector<ByteMask> bytes_;        ///< of each line that is partial
  std::vector<std::uint32_t> index_;   ///< open addressing by line number: slots; a power of two of them
  std::vector<std::uint32_t> filled_;  ///< per set: ways ever used
  std::vector<std::vector<std::uint32_t>> free_;  ///< per set: slots given up since
  std::uint32_t shift_ = 0;
  std::uint32_t resident_ = 0;
  std::unique_ptr<L1Replacement> replacement_;
};

}  // namespace sassim::arch
