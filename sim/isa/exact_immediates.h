// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/isa/instruction.h"

namespace sassim::isa {

/// Printed floating-point immediates lose the payload of a NaN, and what the linker fills in is printed as a name:
/// takes both from the encoding. Nothing changes where there is no encoding.
void set_exact_immediates(Instruction&);

}  // namespace sassim::isa
