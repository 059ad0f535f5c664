// SPDX-License-Identifier: Apache-2.0
// Special registers, for the vector and the uniform side.
#pragma once

#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"

namespace sassim::emu {

/// The next operand's special register, as special_of_warp() takes it.
std::uint8_t special_operand(Decoder& decoder);
/// Its value for one lane.
std::uint32_t special_of_warp(Context&, const MicroOp&, std::uint8_t which, int lane);

}  // namespace sassim::emu
