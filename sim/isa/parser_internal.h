// SPDX-License-Identifier: Apache-2.0
// What the listing's parser and the assembler share. Not for other folders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/instruction.h"

namespace sassim::isa {

/// parse_instruction() with the column at which `text` starts in its line.
Instruction parse_instruction_at(std::string_view text, std::string_view place, std::size_t shift);

/// The byte offset that a label stands for: somewhere from `first` to `last`. nvdisasm prints a label before all of the
/// instructions that it has no text for, though it may belong to a later one: then only the encodings know.
struct LabelPlace {
  std::uint32_t first = 0, last = 0;
};
using Labels = std::map<std::string, LabelPlace, std::less<>>;

/// An instruction whose labels are not resolved yet, and where it was read.
struct Pending {
  Instruction instruction;
  std::string place;
};

/// Gives every label operand its byte offset. A name that the function does not define is looked up in the encoding
/// (a call into another section), as is one whose place is not certain; without an encoding it is an error.
void resolve_labels(std::vector<Pending>& code, const Labels& labels, int sm);

/// The target of a branch, call or BSSY as its encoding has it, from the kernel's start.
std::int64_t encoded_target(const Instruction&, int sm);

}  // namespace sassim::isa
