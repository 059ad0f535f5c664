// SPDX-License-Identifier: Apache-2.0
// Counts blocks, warps and instructions of a kernel trace.
#pragma once

#include <array>
#include <cstdint>

#include "sim/isa/opcode.h"
#include "sim/trace/kernel.h"

namespace sassim::trace {

struct Summary {
  std::uint64_t blocks = 0, warps = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  ///< by active threads
  std::uint64_t unknown = 0;              ///< warp instructions with an unknown opcode
  std::array<std::uint64_t, static_cast<std::size_t>(isa::OpClass::count_)> by_class{};  ///< warp instructions
  std::array<std::uint64_t, static_cast<std::size_t>(DetailKind::count_)>
      by_detail{};                     ///< warp instructions with details
  std::uint64_t instructions_run = 0;  ///< static instructions that ran at least once
};

/// The time depends on the encoded size, not on the number of steps.
Summary summarize(BlockSource& source);

}  // namespace sassim::trace
