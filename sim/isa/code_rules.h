// SPDX-License-Identifier: Apache-2.0
// What 64-bit instruction sets differ in among each other: where immediates are, what control words say, and how
// threads meet. For the few places that ask; what all code asks for is in architecture.h.
#pragma once

#include <cstdint>

#include "sim/isa/architecture.h"
#include "sim/isa/control.h"
#include "sim/isa/instruction.h"

namespace sassim::isa {

struct CodeRules {
  int immediate = 20, immediate_sign = 56;  ///< lowest bit of an immediate, and the sign of one of 20 bits
  /// The control bits name dependence counters; otherwise the hardware keeps dependences by the names of registers, and
  /// the control bits only say when the next instruction issues.
  bool counters = true;
  /// The suffix .S of any instruction does what SYNC does on later architectures.
  bool suffix_syncs = false;
  /// Coordinates and level of a texture instruction lie in one row of registers; otherwise in two groups.
  bool texture_row = false;
};
const CodeRules& code_rules(const Architecture&);

/// Whether the suffix .S sends the threads of the instruction to the place where they meet.
bool syncs_behind(const Instruction&, int sm);

/// Kepler's control words have eight bits for each of seven instructions: a stall count, which is 0 where the next
/// instruction issues in the same cycle. spread_stall() places them where 128-bit instructions have their control bits.
std::uint64_t spread_stall(std::uint64_t control_word, std::uint64_t index);
ControlBits decode_stall(std::uint64_t high);

/// Relocations of Kepler's code: the target of a JCAL (R_CUDA_ABS32_23), and the halves of an address in bits 54:23 of
/// an instruction (R_CUDA_ABS32_LO_23, R_CUDA_ABS32_HI_23).
inline constexpr RelocationType kShiftedCall{12}, kShiftedLow{13}, kShiftedHigh{14};

}  // namespace sassim::isa
