// SPDX-License-Identifier: Apache-2.0
// What a disassembler prints.
#include "sim/isa/assembly.h"
#include "sim/isa/opcode.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_sass_listing(Bytes input) {
  const isa::Disassembly listing = isa::parse_disassembly(text_of(input), "listing");
  for (const isa::Function& function : listing.functions)
    for (const isa::Instruction& instruction : function.code) isa::decode(instruction, listing.sm);
}

const Register sass_listing_parser("sass_listing", read_sass_listing);

}  // namespace
}  // namespace sassim::fuzz
