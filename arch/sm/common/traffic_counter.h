// SPDX-License-Identifier: Apache-2.0
// Counts the memory traffic of each line of code, for reports by source line: units of the SM tell it what their
// instructions access, and it adds that to the StallTable.
#pragma once

#include <algorithm>

#include "arch/sm/common/bank_conflicts.h"
#include "arch/sm/common/op.h"
#include "arch/sm/common/stall_table.h"
#include "sim/isa/code_layout.h"

namespace sassim::arch {

class TrafficCounter {
 public:
  /// Where to count; nullptr: nowhere. The layout is that of StaticCode's PCs.
  void start_kernel(StallTable* lines, isa::CodeLayout layout) {
    lines_ = lines;
    layout_ = layout;
  }
  /// The instruction accesses `sectors`, and takes `passes` through the data stage.
  void count(const UnitOp& op, std::uint64_t sectors, const BankPasses& passes) {
    if (lines_ == nullptr || op.lanes.none()) return;
    const std::uint64_t bytes = static_cast<std::uint64_t>(op.lanes.count()) * op.decoded->access_bytes;
    const std::uint64_t ideal = sectors == 0 ? 0 : std::min(sectors, (bytes + kSectorBytes - 1) / kSectorBytes);
    const CodeLine line(layout_.index(op.pc));
    lines_->add(line, {1, sectors, ideal, passes.passes, passes.ideal});
  }

 private:
  StallTable* lines_ = nullptr;
  isa::CodeLayout layout_;
};

}  // namespace sassim::arch
