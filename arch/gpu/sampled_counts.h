// SPDX-License-Identifier: Apache-2.0
// Estimates what the thread blocks that a sampled launch skipped would have counted, from what was counted in the
// stretches of time in which its throughput was measured (sampling.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "arch/sm/common/stall_table.h"
#include "sim/base/types.h"
#include "sim/stats/counter_values.h"

namespace sassim::arch {

class SampledCounts {
 public:
  struct Snapshot {
    Cycle at;
    std::uint64_t issued = 0;
    stats::CounterValues values{};
    std::vector<LineStalls> lines{};
  };

  /// A stretch begins; one that has not ended does not count.
  void begin(Snapshot now) { begun_ = std::move(now); }
  /// The stretch ends, and blocks with so many warp instructions are skipped.
  void end(const Snapshot& now, std::uint64_t blocks, std::uint64_t warp_instructions) {
    cycles_ += now.at.value - begun_.at.value;
    issued_ += now.issued - begun_.issued;
    values_.add_difference(begun_.values, now.values);
    lines_.resize(now.lines.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      LineStalls counted = now.lines[i];
      counted.each(begun_.lines[i], [](std::uint64_t& here, std::uint64_t before) { here -= before; });
      lines_[i].each(counted, [](std::uint64_t& here, std::uint64_t more) { here += more; });
    }
    skipped_blocks_ += blocks;
    skipped_ += warp_instructions;
  }

  /// Whether anything was skipped.
  bool any() const { return skipped_blocks_ != 0; }
  std::uint64_t skipped_blocks() const { return skipped_blocks_; }
  std::uint64_t skipped_warp_instructions() const { return skipped_; }
  /// That the skipped blocks would have taken.
  std::uint64_t skipped_cycles() const { return scaled(cycles_); }
  /// Adds the counts of the skipped blocks.
  void complete(stats::CounterValues& values) const { values.extrapolate(values_, factor()); }
  void complete(std::vector<LineStalls>& lines) const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      lines[i].each(lines_[i], [this](std::uint64_t& here, std::uint64_t part) { here += scaled(part); });
  }

 private:
  double factor() const { return issued_ == 0 ? 0 : static_cast<double>(skipped_) / static_cast<double>(issued_); }
  std::uint64_t scaled(std::uint64_t count) const {
    return static_cast<std::uint64_t>(std::llround(factor() * static_cast<double>(count)));
  }

  Snapshot begun_;
  std::uint64_t cycles_ = 0, issued_ = 0;  ///< of all stretches
  stats::CounterValues values_;
  std::vector<LineStalls> lines_;
  std::uint64_t skipped_blocks_ = 0, skipped_ = 0;
};

}  // namespace sassim::arch
