// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/isa/instruction.h"

namespace sassim::isa {

/// The matrices of a tensor instruction, and the registers of a thread that hold each fragment.
struct TensorShape {
  std::uint16_t m = 0, n = 0, k = 0;
  std::uint8_t element_bits = 16;                                  ///< of A and B
  bool accumulates_f32 = false;                                    ///< false: FP16, or integers, or FP64
  bool sparse = false;                                             ///< half of A is zero and not stored
  std::uint8_t registers_a = 1, registers_b = 1, registers_c = 1;  ///< registers_c: for C and D
};

/// From the modifiers: "HMMA.16816.F32.BF16". m == 0 if the shape is unknown.
TensorShape tensor_shape(const Instruction&);

}  // namespace sassim::isa
