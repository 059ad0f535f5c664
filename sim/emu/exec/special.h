// SPDX-License-Identifier: Apache-2.0
// Reads special registers (the place of a thread, clocks, ...) for vector and uniform instructions.
#pragma once

#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"

namespace sassim::emu {

/// Reads the next operand, a special register, as a number for special_of_warp().
std::uint8_t special_operand(Decoder& decoder);
/// The value of a special register in one lane.
std::uint32_t special_of_warp(Context&, const MicroOp&, std::uint8_t which, int lane);

}  // namespace sassim::emu
