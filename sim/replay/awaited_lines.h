// SPDX-License-Identifier: Apache-2.0
// Finds which instructions a line of SASS waits for, as far as its code tells, for a kernel's report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/sm/code/static_code.h"
#include "sim/trace/kernel.h"

namespace sassim::replay {

class AwaitedLines {
 public:
  /// `scoreboard`: dependences are kept by the names of registers, not by the control bits.
  AwaitedLines(const trace::KernelInfo& kernel, bool scoreboard);

  /// PCs, in ascending order. With control bits: the last instruction before the line that holds a dependence counter
  /// of its wait mask. By names: the last memory instruction or shuffle before the line that writes a register which
  /// the line uses, or that reads a register which the line writes. Either way a loop is followed around. A barrier or
  /// fence right before the line is awaited, too; behind a DEPBAR, which waits for groups of copies, the last LDGSTS.
  std::vector<std::uint32_t> of(std::size_t line) const;

 private:
  /// Of the dependence counters that the line waits for.
  std::vector<std::size_t> holders(std::size_t line) const;
  /// The last LDGSTS before the line, also around a loop.
  std::size_t copy_before(std::size_t line) const;
  /// Of the registers that the line touches.
  std::vector<std::size_t> producers(std::size_t line) const;

  const trace::KernelInfo& kernel_;
  bool scoreboard_;
  std::vector<arch::ScoreboardUse> uses_;  ///< by instruction, only with a scoreboard
  std::vector<bool> outlasts_;             ///< its latency is not known when it issues
  struct Touched {
    std::vector<std::size_t> writers;
    std::vector<std::size_t> late_readers;  ///< of those that outlast: they read after they have issued
  };
  std::vector<Touched> touched_;  ///< by name
};

}  // namespace sassim::replay
