// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/isa/instruction.h"

namespace sassim::isa {

/// The printed text lacks the payload of a NaN, and shows a name for a value that the linker fills in. This takes both
/// from the encoding; without an encoding, nothing changes.
void set_exact_immediates(Instruction&);

}  // namespace sassim::isa
