// SPDX-License-Identifier: Apache-2.0
// One SASS instruction as the disassembler prints it, with its encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/control.h"

namespace sassim::isa {

inline constexpr std::uint8_t kRZ = 255;  ///< register that reads as zero
inline constexpr std::uint8_t kURZ = 63;  ///< uniform register that reads as zero
inline constexpr std::uint8_t kPT = 7;    ///< predicate that is always true

enum class OperandKind : std::uint8_t {
  reg,         ///< R4, RZ
  ureg,        ///< UR4, URZ
  pred,        ///< P0, PT
  upred,       ///< UP0, UPT
  imm,         ///< 0x10, -5: in `value`
  fimm,        ///< 1.5, +INF, -QNAN: `value` holds the bits of the double
  constant,    ///< c[0x0][0x160], c[0x3][R2+0x8], c[0x0][UR4], cx[UR4][0x0]
  memory,      ///< [R2.64+0x10], [R2.X4+UR4+0x8], desc[UR4][R2.64], gdesc[UR4]
  label,       ///< a branch target: `value` is the byte offset from the start of the kernel
  special,     ///< SR_TID.X, SRZ: `text`
  barrier,     ///< B0: a convergence barrier register
  scoreboard,  ///< SB0: a dependence counter
  counters,    ///< {3,1}: a set of dependence counters, as a mask in `value`
  pred_file,   ///< PR, UPR and other operands that name a whole register file: `text`
};

/// One operand. Suffixes say which part of a register is read: R4.H0_H0, R5.B1, R2.64, R6.U16, ...
struct Operand {
  OperandKind kind = OperandKind::imm;
  bool negate = false;                ///< -R2
  bool absolute = false;              ///< |R2|
  bool invert = false;                ///< ~R2 (bitwise) or !P0 (logical)
  bool reuse = false;                 ///< R2.reuse
  std::uint8_t index = 0;             ///< number of the register, predicate, barrier or counter
  std::int64_t value = 0;             ///< immediate, label target, bits of a float, counter mask
  std::vector<std::string> suffixes;  ///< "64", "H0_H0", "B1", "X4", "ROW", ... without dots, without "reuse"
  std::string text;                   ///< exactly as printed

  // constant: c[bank or ur_bank][base + offset]; memory: [base * scale + ubase + offset]
  std::uint8_t bank = 0;
  std::optional<std::uint8_t> ur_bank;  ///< cx[UR4][...]
  std::optional<std::uint8_t> base;     ///< a vector register
  bool base_wide = false;               ///< the base is a 64-bit pair: R2.64
  std::uint8_t scale = 1;               ///< R2.X4: 4
  std::optional<std::uint8_t> ubase;    ///< a uniform register
  bool ubase_wide = false;
  std::optional<std::uint8_t> descriptor;  ///< desc[UR4][...]
  std::int64_t offset = 0;

  bool has(std::string_view suffix) const;
};

/// The predicate under which an instruction executes: @P0, @!UP1.
struct Guard {
  std::uint8_t index = kPT;
  bool negate = false;
  bool uniform = false;
  bool always() const { return index == kPT && !negate; }
  bool never() const { return index == kPT && negate; }
};

struct Instruction {
  std::uint32_t pc = 0;             ///< byte offset from the kernel's start
  std::uint64_t low = 0, high = 0;  ///< the encoding; zero if the trace has none
  Guard guard;
  std::string opcode;                  ///< "FFMA"
  std::vector<std::string> modifiers;  ///< "FTZ", "RM", ...
  std::vector<Operand> operands;       ///< in printed order: destinations first
  ControlBits control;

  bool has(std::string_view modifier) const;
  /// "@!P0 LDG.E.64 R2, [R4.64+0x10]"
  std::string text() const;
};

}  // namespace sassim::isa
