// SPDX-License-Identifier: Apache-2.0
// The part of the emulator's decoder that turns an instruction's operands (registers, immediates, constants) into the
// sources of a micro-operation, which say where its values come from.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "sim/emu/core/semantics.h"
#include "sim/isa/exact_immediates.h"

namespace sassim::emu {
namespace {

using isa::Operand;
using isa::OperandKind;

/// Bits of the double `value` as a float: immediates are printed with all the digits that matter.
std::uint32_t as_f32(std::int64_t value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
}

bool is_nan(std::int64_t bits) { return std::isnan(std::bit_cast<double>(bits)); }

void modifiers(const Operand& operand, Source& source) {
  source.negate = operand.negate;
  source.absolute = operand.absolute;
  source.invert = operand.invert;
}

}  // namespace

Source Decoder::constant(const Operand& operand) const {
  Source source;
  source.kind = operand.ur_bank ? SourceKind::bindless : SourceKind::constant;
  source.bank = operand.ur_bank ? *operand.ur_bank : operand.bank;
  source.offset = static_cast<std::uint32_t>(operand.offset);
  if (operand.base && *operand.base != isa::kRZ) source.base = *operand.base;
  if (operand.ubase && *operand.ubase != isa::kURZ) {
    if (source.base != isa::kRZ) throw Unsupported{"indexes a constant bank by two registers"};
    source.base = *operand.ubase;
    source.uniform_base = true;
  }
  modifiers(operand, source);
  return source;
}

Source Decoder::source() {
  const Operand& operand = next();
  Source source;
  modifiers(operand, source);
  switch (operand.kind) {
    case OperandKind::reg:
      source.kind = operand.index == isa::kRZ ? SourceKind::zero : SourceKind::reg;
      source.index = operand.index;
      return source;
    case OperandKind::ureg:
      source.kind = operand.index == isa::kURZ ? SourceKind::zero : SourceKind::ureg;
      source.index = operand.index;
      return source;
    case OperandKind::imm:
      source.kind = SourceKind::imm;
      source.value = static_cast<std::uint64_t>(operand.value);
      source.negate = source.absolute = false;  // the value already has the printed sign
      return source;
    case OperandKind::fimm:
      source.kind = SourceKind::imm;
      source.value = is_nan(operand.value) && instruction_.low != 0
                         ? isa::encoded_immediate(instruction_, architecture())
                         : as_f32(operand.value);
      source.negate = source.absolute = false;
      return source;
    case OperandKind::constant:
      return constant(operand);
    default:
      throw Unsupported{fmt::format("operand '{}' is not a value", operand.text)};
  }
}

Source Decoder::source_f32() {
  const bool integer_text = next_is(OperandKind::imm);
  Source result = source();
  // A float immediate without a fraction ("1", "-2") is parsed as an integer; "0x..." gives the bits of the float.
  const Operand& operand = instruction_.operands[next_ - 1];
  if (integer_text && operand.text.find('x') == std::string::npos)
    result.value = std::bit_cast<std::uint32_t>(static_cast<float>(operand.value));
  return result;
}

Source Decoder::source_f64() {
  const Operand& operand = next();
  --next_;
  if (operand.kind != OperandKind::imm && operand.kind != OperandKind::fimm) return source();
  ++next_;
  Source result;
  result.kind = SourceKind::imm;
  // The instruction encodes the upper half of the double.
  if (operand.kind == OperandKind::fimm && is_nan(operand.value) && instruction_.low != 0)
    result.value = std::uint64_t{isa::encoded_immediate(instruction_, architecture())} << 32;
  else if (operand.kind == OperandKind::fimm)
    result.value = static_cast<std::uint64_t>(operand.value);
  else if (operand.text.find('x') == std::string::npos)
    result.value = std::bit_cast<std::uint64_t>(static_cast<double>(operand.value));
  else
    result.value = static_cast<std::uint64_t>(operand.value) << 32;
  return result;
}

}  // namespace sassim::emu
