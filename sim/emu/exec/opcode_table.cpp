// SPDX-License-Identifier: Apache-2.0
// Writes docs/opcodes.md from the rows in which decoding looks up opcodes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/emu/core/semantics.h"
#include "sim/isa/architecture.h"
#include "sim/isa/opcode.h"

namespace sassim::emu {
namespace {

constexpr std::string_view kHead = R"(# What the emulator executes

For each opcode the first architecture for which the toolkit emits it, and its results: `exact` (bit for bit what the
hardware gives), or `approx` (with the bound in the last column). Architectures: {}.

An opcode that is not supported ends the run when it is reached, with exit status 4 and the opcode, the kernel, the PC and
the SASS line. A form of an opcode that is not known does the same: modifiers and operands are never ignored unless they
cannot change the result.

`exact` rests on a comparison with an H200 (`tests/micro/emu`, `validation/programs/differential`) for arithmetic on sm_90; the same
code executes the same opcode of the other architectures.

This page is made by the test `OpcodeTable.DocumentIsCurrent` from the rows in `sim/emu/exec/*.cpp`
(`SASSIM_UPDATE=1` rewrites it).

)";

constexpr std::string_view kShort = R"(
## 64-bit instructions

Architectures up to sm_62 have instructions of 64 bits behind control words. Opcodes of this table have a meaning of their own there;
all others that the compiler emits for them mean what they mean above. Results of these opcodes were compared with the host
(`tests/corpus`), not with hardware.

| opcode | result | note |
|---|---|---|
)";

constexpr std::string_view kMufu = R"(
## MUFU

The special function unit interpolates in tables that are not published. The emulator rounds the exact value to nearest.
The differences were measured on an H200 over all inputs of each function, 2^32 or 2^16 (mufu_h200.json in `validation/measured/h200-instructions.tar.xz` has
them by binade, `validation/programs/differential/mufu_on_gpu.cu` measures them).

| function | largest difference | inputs with a difference |
|---|---|---|
| RCP | 1 unit in the last place | 13.0 % |
| RSQ | 2 units | 10.8 % |
| SQRT | 1 unit | 8.4 % |
| EX2 | 2 units | 4.4 % |
| LG2 | 2 units; for inputs in [0.5, 2), whose results are near zero, 2^-22 absolute | 25.0 % |
| SIN | 2^-21.4 absolute; the hardware gives 0 for inputs below 2^-25 turns | 75.6 % |
| COS | 2^-21.4 absolute | 12.2 % |
| TANH | 134 units, 2^-16.9 absolute; up to 2^-8 both give the input | 4.2 % |
| EX2.F16, EX2.BF16 | 1 unit | 1 input; 0.3 % |
| TANH.F16, TANH.BF16 | 1 unit | 0.5 %; 0.05 % |
| RCP64H | 1 unit of the upper word | 6.9 % |
| RSQ64H | 1 unit of the upper word | 2.9 % |

Quotients, square roots and reciprocals in IEEE rounding (`div.rn`, `sqrt.rn`, `rcp.rn`, in both precisions) do not depend
on these last bits: they are equal to the hardware's for all operands tried.
)";

}  // namespace

std::string opcode_table_markdown() {
  std::map<std::string_view, const Semantics*> rows, short_rows;
  for (std::span<const Semantics> family : all_semantics())
    for (const Semantics& row : family)
      (row.set == isa::InstructionSet::sass64 ? short_rows : rows)[row.mnemonic] = &row;
  std::string text = fmt::format(kHead, isa::known_architectures());
  text += "| opcode | since | result | note |\n|---|---|---|---|\n";
  for (const auto& [mnemonic, row] : rows)
    text += fmt::format("| {} | sm_{} | {} | {} |\n", mnemonic, row->first_sm,
                        row->exactness == Exactness::exact ? "exact" : "approx", row->note);
  text += kShort;
  for (const auto& [mnemonic, row] : short_rows)
    text +=
        fmt::format("| {} | {} | {} |\n", mnemonic, row->exactness == Exactness::exact ? "exact" : "approx", row->note);
  text += kMufu;
  text += "\n## Known opcodes that are not supported\n\n";
  std::vector<std::string_view> missing;
  for (const isa::OpcodeRow& row : isa::opcode_table())
    if (!rows.count(row.mnemonic)) missing.push_back(row.mnemonic);
  std::sort(missing.begin(), missing.end());
  for (std::size_t i = 0; i < missing.size(); ++i)
    text += fmt::format("{}{}", missing[i], i + 1 == missing.size() ? "\n" : i % 14 == 13 ? ",\n" : ", ");
  return text;
}

}  // namespace sassim::emu
