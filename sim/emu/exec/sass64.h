// SPDX-License-Identifier: Apache-2.0
// What the files of 64-bit instructions (Kepler to Pascal, sass64_*.cpp) share: the condition codes CC, halves of
// registers, and comparisons.
//
// The destination R2.CC also sets CC. Opcodes with .X read it: a sum adds the carry, and a comparison is that of the
// upper halves of two numbers, whose lower halves were subtracted before.
#pragma once

#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"

namespace sassim::emu {

/// MicroOp::flags of all families.
enum Sass64Flag : std::uint32_t { kSetsCc = 1u << 31, kReadsCc = 1u << 30, kSaturate = 1u << 29 };
/// Source::part.
enum HalfPart : std::uint8_t { whole_register, lower_half, upper_half };

constexpr Semantics sass64(std::string_view mnemonic, Decode decode, Exactness exactness = Exactness::exact,
                           std::string_view note = {}) {
  return {mnemonic, decode, exactness, note, 50, isa::InstructionSet::sass64};
}

/// A destination register; its suffix .CC becomes kSetsCc.
std::uint8_t destination_cc(Decoder&);
/// A source that may be half of a register: .H0 or .H1.
Source half_source(Decoder&);
/// The halves of a source, extended with zeros, or with their signs.
const std::uint32_t* fetch_half(Context&, const Source&, bool is_signed, Lanes& scratch);

/// Zero and sign of a result go to CC, which is written for the lanes of `mask`. With kReadsCc the result is the upper
/// part of a longer one, which is zero if its lower part was zero too.
void set_result_codes(Context&, const MicroOp&, const Lanes& result, std::uint32_t mask);
void set_carry_codes(Context&, std::uint32_t carry, std::uint32_t second_carry, std::uint32_t overflow,
                     std::uint32_t mask);
/// Writes 33-bit sums, saturated if `flags` has kSaturate, and their CC.
void write_sum(Context&, const MicroOp&, const std::uint64_t* sums, std::uint32_t overflow, std::uint32_t mask);
/// One operand of a sum before carries. A negated one is its complement plus one; in the upper part of a longer sum the
/// one is the carry of the lower part.
std::uint64_t addend(std::uint32_t value, bool negate, bool extended);
/// Carries of the lower part of a sum.
std::uint64_t carries_into(const ConditionCodes&, int lane);
/// The value of a source without its sign.
const std::uint32_t* fetch_unsigned(Context&, Source, Lanes& scratch);
/// Lanes whose CC has the relation of `name` ("EQ", "NEU", ...); throws Unsupported for an unknown name.
using CcTest = std::uint8_t;
CcTest take_cc_test(std::string_view name);
std::uint32_t cc_truth(const ConditionCodes&, CcTest);

/// LT, EQ, LE, GT, NE, GE, F or T of integers: bit 0 less, bit 1 equal, bit 2 greater.
std::uint8_t take_integer_comparison(Decoder&);
/// The lanes for which it holds; kReadsCc: of the upper halves of two numbers.
std::uint32_t compare_integers(Context&, const MicroOp&, const std::uint32_t* a, const std::uint32_t* b,
                               bool is_unsigned);

/// The meaning that the opcode has in 128-bit instruction sets.
void decode_as(Decoder&, std::string_view mnemonic);

}  // namespace sassim::emu
