// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/isa/instruction.h"
#include "sim/isa/text_cursor.h"

namespace sassim::isa {

/// Parses the operand at the cursor and stops behind it. In floating-point instructions a decimal literal without a
/// point ("1") is a floating-point number too.
Operand parse_operand(TextCursor& cursor, bool floating_point);

}  // namespace sassim::isa
