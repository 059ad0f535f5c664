// SPDX-License-Identifier: Apache-2.0
// Which blocks of a long launch are timed if it is sampled. Blocks are timed from the first one on until the GPU is in
// a steady state: throughput, DRAM traffic and what the L2 holds no longer change. Then blocks are skipped, with some
// timed at several places of the grid, so that a difference between its parts shows, and the last ones are timed, too.
// Skipped blocks count with their own warp instructions, at the throughput that was measured.
//
// A stretch is a time in which throughput is measured. All decisions are made at cycles that follow from earlier
// decisions, so they depend on neither threads nor epochs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/types.h"

namespace sassim::arch {

/// How a launch was sampled.
struct Sampling {
  std::string whole{};       ///< why all of it was timed; empty: it was sampled
  std::uint64_t blocks = 0;  ///< thread blocks that were timed
  std::uint64_t places = 0;  ///< of the grid, where throughput was measured
  double half_interval = 0;  ///< of the 95 % interval of the cycles, as a part of them
};

class Sampler {
 public:
  struct Grid {
    std::uint64_t blocks;
    std::uint64_t slots;  ///< thread blocks that the GPU holds at once
    std::uint64_t turn;   ///< warp instructions of that many blocks
    double share;         ///< of the thread blocks that should be timed
    double peak_bytes;    ///< that DRAM moves per cycle
    Cycle start;          ///< of the first block
  };
  /// What the GPU has done before a cycle.
  struct Moment {
    Cycle at;
    std::uint64_t issued = 0;      ///< warp instructions
    std::uint64_t next = 0;        ///< the next block of the grid to be placed
    std::uint64_t dram_bytes = 0;  ///< read and written
    std::uint64_t held_bytes = 0;  ///< of valid sectors in the L2, and again of dirty ones
  };
  enum class Action : std::uint8_t {
    none,
    begin,  ///< a stretch begins; one that has begun does not count
    skip,   ///< the stretch ends and counts; skip() blocks are left out
  };

  explicit Sampler(const Grid& grid) : grid_(grid), due_(grid.start + kShortest) {}

  /// The next cycle to look at; kNever: nothing more is decided.
  Cycle due() const { return due_; }
  /// At due().
  Action look(const Moment& now);
  std::uint64_t skip() const { return skip_; }
  std::uint64_t places() const { return rates_.size(); }
  /// Why nothing was skipped; empty: it may still be, or has been.
  const std::string& whole() const { return whole_; }
  /// Half of the 95 % interval of the throughput, as a part of it.
  double half_interval() const;

 private:
  static constexpr std::uint64_t kShortest = 1024;  ///< cycles from one look to the next
  static constexpr std::size_t kParts = 8;          ///< of the first stretch

  Action look_for_steady(const Moment& now);
  Action look_at_place(const Moment& now);
  Action begin(const Moment& now);
  Action accept(const Moment& now);
  Action give_up(std::string why);
  void plan(const Moment& now);
  bool steady() const;
  double rate(std::size_t from, std::size_t to) const;
  std::vector<double> part_rates() const;
  std::uint64_t sixteenth(Cycle now) const;

  enum class Phase : std::uint8_t { filling, steady, place, done };

  Grid grid_;
  Cycle due_;
  Phase phase_ = Phase::filling;
  std::vector<Moment> moments_;  ///< of the open stretch
  std::uint64_t interval_ = 0;   ///< between two of them
  std::uint64_t skip_ = 0;
  std::uint64_t places_left_ = 0, length_ = 0, gap_ = 0;  ///< in blocks, but the first
  std::uint64_t position_ = 0;                            ///< of the place's first block
  std::vector<double> rates_;                             ///< of the stretches that count
  double first_half_interval_ = 0;
  std::string whole_;
};

}  // namespace sassim::arch
