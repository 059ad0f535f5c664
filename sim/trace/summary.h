// SPDX-License-Identifier: Apache-2.0
// What a kernel trace holds, in numbers.
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
  std::uint64_t unknown = 0;              ///< warp instructions whose opcode the table does not have
  std::array<std::uint64_t, static_cast<std::size_t>(isa::OpClass::count_)> by_class{};  ///< warp instructions
  std::array<std::uint64_t, static_cast<std::size_t>(DetailKind::count_)> by_detail{};   ///< of these, with details
  std::uint64_t instructions_run = 0;  ///< of the static code, those that ran at least once
};

/// Takes time in proportion to the encoded size, not to the number of steps.
Summary summarize(BlockSource& source);

}  // namespace sassim::trace
