// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/isa/instruction.h"
#include "sim/isa/text_cursor.h"

namespace sassim::isa {

/// Parses the operand at the cursor and stops after it. `floating_point`: a decimal literal without a point ("1") is a
/// floating-point number.
Operand parse_operand(TextCursor& cursor, bool floating_point);

}  // namespace sassim::isa
