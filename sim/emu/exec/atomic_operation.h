// SPDX-License-Identifier: Apache-2.0
// What atomic operations and reductions do to one value.
#pragma once

#include <cstdint>

namespace sassim::emu {

enum Operation : std::uint8_t { a_add, a_min, a_max, a_inc, a_dec, a_and, a_or, a_xor, a_exch, a_cas, a_cast };
enum Type : std::uint8_t { t_u32, t_s32, t_u64, t_s64, t_f32, t_f64, t_f16x2, t_bf16x2, t_f32_subnormal };
// t_f32 takes subnormal numbers for zero, t_f32_subnormal keeps them.

/// The value that takes the place of `old`. Minima and maxima of floating-point numbers are those of one number of 16
/// bits.
std::uint64_t combine(std::uint8_t operation, std::uint8_t type, std::uint64_t old, std::uint64_t value);

}  // namespace sassim::emu
