// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"

namespace sassim::isa {

/// Corrects the immediates of parsed SASS: the printed text lacks the payload of a NaN, and shows a name for a value
/// that the linker fills in. This takes both from the encoding; without an encoding, nothing changes.
void set_exact_immediates(Instruction&, const Architecture&);
/// The immediate in the encoding of an instruction, as the 32 bits that stand for it: an integer, a float, or the upper
/// half of a double.
std::uint32_t encoded_immediate(const Instruction&, const Architecture&);

}  // namespace sassim::isa
