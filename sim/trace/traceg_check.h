// SPDX-License-Identifier: Apache-2.0
// Checks that an Accel-Sim trace holds a whole launch: every block of the grid, every warp of a block, every thread up
// to its EXIT, and an address for every access.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/trace/traceg_code.h"
#include "sim/trace/traceg_line.h"

namespace sassim::trace {

/// Call it for the parts of a file in their order. Each call throws InputError with the file's line if something is
/// missing or duplicate.
class TracegCheck {
 public:
  TracegCheck(const LineReader& in, const TracegHeader& header, const TracegCode& code);

  void begin_block(const Dim3& at);
  void begin_warp(std::uint32_t warp);
  /// `index`: the line's instruction in the code.
  void instruction(const TracegInstruction& line, std::uint32_t index);
  void end_block();
  void end_file() const;

 private:
  void end_warp();

  const LineReader& in_;
  const TracegHeader& header_;
  const TracegCode& code_;
  std::set<std::uint64_t> blocks_;  ///< linear indices
  std::vector<bool> warps_;         ///< warps of the block that have been seen
  std::optional<std::uint32_t> warp_;
  LaneMask threads_, exited_;  ///< threads of the warp
};

}  // namespace sassim::trace
