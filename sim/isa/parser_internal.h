// SPDX-License-Identifier: Apache-2.0
// What the parsers of SASS in this folder share (listing.cpp, assembler.cpp): one line's instruction, and labels. Not
// for other folders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"
#include "sim/isa/text_cursor.h"

namespace sassim::isa {

/// The same as parse_instruction(), for `text` that begins at column `shift` of its line.
Instruction parse_instruction_at(std::string_view text, std::string_view place, std::size_t shift);

/// Parses the operand at the cursor and stops after it. `floating_point`: a decimal literal without a point ("1") is a
/// floating-point number.
Operand parse_operand(TextCursor& cursor, bool floating_point);

/// The byte offset of a label, as a range from `first` to `last`. nvdisasm prints a label before all instructions
/// without text, although it may belong to a later one; then only encodings determine the offset.
struct LabelPlace {
  std::uint32_t first = 0, last = 0;
};
/// The labels of a function, by name.
using Labels = std::map<std::string, LabelPlace, std::less<>>;

/// An instruction with unresolved labels and the place where it was read.
struct Pending {
  Instruction instruction;
  std::string place;
};

/// Gives every label operand its byte offset. A name that the function does not define (a call into another section),
/// and a label whose place is uncertain, are read from the encoding; without an encoding they are errors.
void resolve_labels(std::vector<Pending>& code, const Labels& labels, const Architecture&);

/// The target of a branch, call or BSSY from its encoding, as an offset from the start of the kernel.
std::int64_t encoded_target(const Instruction&, const Architecture&);

}  // namespace sassim::isa
