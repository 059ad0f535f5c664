// SPDX-License-Identifier: Apache-2.0
// Floating-point comparisons: if an operand is NaN, an ordered one is false and an unordered one (suffix U) is true.
#pragma once

#include <cmath>

#include "sim/emu/core/semantics.h"

namespace sassim::emu {

enum FloatCompare : std::uint8_t {
  fcmp_f,
  fcmp_lt,
  fcmp_eq,
  fcmp_le,
  fcmp_gt,
  fcmp_ne,
  fcmp_ge,
  fcmp_num,
  fcmp_nan,
  fcmp_ltu,
  fcmp_equ,
  fcmp_leu,
  fcmp_gtu,
  fcmp_neu,
  fcmp_geu,
  fcmp_t,
};

/// `unprinted`: the comparison that the disassembler does not print.
inline std::uint8_t take_float_comparison(Decoder& d, int unprinted = fcmp_f) {
  return static_cast<std::uint8_t>(d.take_one_of(
      {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"},
      unprinted));
}

template <class T>
inline bool compare_floats(std::uint8_t how, T a, T b) {
  const bool unordered = std::isunordered(a, b);
  switch (how) {
    case fcmp_lt:
      return a < b;
    case fcmp_eq:
      return a == b;
    case fcmp_le:
      return a <= b;
    case fcmp_gt:
      return a > b;
    case fcmp_ne:
      return !unordered && a != b;
    case fcmp_ge:
      return a >= b;
    case fcmp_num:
      return !unordered;
    case fcmp_nan:
      return unordered;
    case fcmp_ltu:
      return unordered || a < b;
    case fcmp_equ:
      return unordered || a == b;
    case fcmp_leu:
      return unordered || a <= b;
    case fcmp_gtu:
      return unordered || a > b;
    case fcmp_neu:
      return unordered || a != b;
    case fcmp_geu:
      return unordered || a >= b;
    default:
      return how == fcmp_t;
  }
}

}  // namespace sassim::emu
