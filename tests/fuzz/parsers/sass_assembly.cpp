// SPDX-License-Identifier: Apache-2.0
// Hand-written SASS.
#include <stdexcept>

#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_sass_assembly(Bytes input) {
  for (const isa::Instruction& instruction : isa::assemble(text_of(input))) {
    for (const int sm : {70, 90}) isa::decode(instruction, sm);
    if (isa::control_text(instruction.control).empty()) throw std::logic_error("control bits without a text");
  }
}

const Register sass_assembly_parser("sass_assembly", read_sass_assembly);

}  // namespace
}  // namespace sassim::fuzz
