// SPDX-License-Identifier: Apache-2.0
// Finds what stalled warps wait for: the lines of SASS at which they stall, and the instructions before them that they
// really wait for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

/// Whether a line that stalls for this reason waits for other instructions.
bool waits_for_another(std::string_view reason);

/// Cycles of warps that waited for the same instructions; or, where they wait for no instruction, at the same line.
struct Wait {
  std::vector<const LineStalls*> producers;  ///< empty: the line waits for no instruction
  const LineStalls* line = nullptr;          ///< where most of the cycles were spent
  std::string reason;                        ///< for most of them, there
  std::uint64_t cycles = 0, at_line = 0;     ///< of all lines; of `line`
  std::uint64_t all = 0;                     ///< with all other waits that count
};

class Waits {
 public:
  /// `kernel` must exist as long as this object.
  explicit Waits(const KernelReport& kernel);

  /// The instructions that `line` waits for when it stalls for this reason: for a barrier BARs, for drain the stores
  /// and reductions of the kernel, the one with the most sectors first, for a scoreboard the holders of its dependence
  /// counters that have a long or a short latency.
  std::vector<const LineStalls*> producers(const LineStalls& line, std::string_view reason) const;
  /// "LDG.E R2, [R4] at 0090 and LDG.E R3, [R6] at 00a0"; empty: no instruction is known.
  std::string text(const LineStalls& line, std::string_view reason) const;

  /// Whether a wait counts: a line, the reason, and one of the instructions that it waits for, or else the line itself.
  using Takes = std::function<bool(const LineStalls& line, std::string_view reason, const LineStalls& producer)>;
  /// The longest of all waits that count; without a line if there is none.
  Wait longest(const Takes& takes) const;

 private:
  const KernelReport& kernel_;
  std::unordered_map<std::uint32_t, const LineStalls*> by_pc_;
  std::vector<const LineStalls*> stores_;  ///< and reductions; most sectors first
};

/// "LDG.E R2, [R4] at 0090"
std::string place_text(const LineStalls& line);
std::string places_text(const std::vector<const LineStalls*>& lines);

}  // namespace sassim::report
