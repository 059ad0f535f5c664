// SPDX-License-Identifier: Apache-2.0
// Parses text into instructions: the output of nvdisasm -hex and cuobjdump -sass, and hand-written SASS with control
// bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/architecture.h"
#include "sim/isa/instruction.h"

namespace sassim::isa {

struct Function {
  std::string name;
  std::vector<Instruction> code;
};

struct Disassembly {
  int sm = 0;  ///< of the table of architectures; 0 if the text does not say it
  std::vector<Function> functions;

  /// `name` is mangled; nullptr if there is no such function.
  const Function* find(std::string_view name) const;
};

/// Parses one instruction without its address and encoding comments: "@P0 FFMA R1, R2.reuse, c[0x0][0x160], R3". Throws
/// InputError that names `place` and the column.
Instruction parse_instruction(std::string_view text, std::string_view place = "instruction");

/// Parses a whole listing of either tool. Labels become byte offsets. Messages begin with "file:line:column:", where
/// `file` is the given name.
Disassembly parse_disassembly(std::string_view text, std::string_view file);

/// Hand-written SASS, one instruction a line, control bits in front as the community's assemblers print them:
///   "B------:R-:W0:-:S02  @P0 LDG.E R2, [R4.64] ;"
/// wait mask (digits of the counters waited for), read counter, write counter, yield (Y or -), stall. A line "name:"
/// defines a label; "// ..." is a comment. A line without control bits gets stall 1 and nothing else. Reuse bits come
/// from `.reuse`. The PCs are those of the architecture.
std::vector<Instruction> assemble(std::string_view text, std::string_view file = "sass",
                                  const Architecture& = assumed_architecture());

/// The control bits in this notation.
std::string control_text(const ControlBits&);

}  // namespace sassim::isa
