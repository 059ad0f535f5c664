// SPDX-License-Identifier: Apache-2.0
// What decoders of all opcodes share: modifiers and operands of an instruction as a micro-operation.
#include <fmt/format.h>

#include <bit>

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

bool is_nan(std::int64_t bits) {
  const double value = std::bit_cast<double>(bits);
  return value != value;
}

void modifiers(const Operand& operand, Source& source) {
  source.negate = operand.negate;
  source.absolute = operand.absolute;
  source.invert = operand.invert;
}

}  // namespace

Decoder::Decoder(const isa::Instruction& instruction, int sm, MicroOp& micro_op)
    : op(micro_op), instruction_(instruction), sm_(sm) {}

bool Decoder::take(std::string_view modifier) {
  bool found = false;
  for (std::size_t i = 0; i < instruction_.modifiers.size(); ++i)
    if (instruction_.modifiers[i] == modifier) {
      taken_ |= 1u << i;
      found = true;
    }
  return found;
}

int Decoder::take_one_of(std::initializer_list<std::string_view> names, int otherwise) {
  int index = 0;
  for (std::string_view name : names) {
    if (take(name)) return index;
    ++index;
  }
  return otherwise;
}

void Decoder::ignore(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) take(name);
}

bool Decoder::next_is(OperandKind kind) const { return left() > 0 && instruction_.operands[next_].kind == kind; }

const Operand& Decoder::next() {
  if (left() == 0) throw Unsupported{"has fewer operands than expected"};
  return instruction_.operands[next_++];
}

std::uint8_t Decoder::destination() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::reg && operand.kind != OperandKind::ureg)
    throw Unsupported{fmt::format("operand '{}' is not a destination register", operand.text)};
  return operand.kind == OperandKind::ureg && operand.index == isa::kURZ ? isa::kRZ : operand.index;
}

std::uint8_t Decoder::predicate_destination() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::pred && operand.kind != OperandKind::upred)
    throw Unsupported{fmt::format("operand '{}' is not a destination predicate", operand.text)};
  return operand.index;
}

std::uint8_t Decoder::optional_predicate_destination() {
  return next_is(OperandKind::pred) || next_is(OperandKind::upred) ? predicate_destination() : isa::kPT;
}

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

PredicateSource Decoder::predicate() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::pred && operand.kind != OperandKind::upred)
    throw Unsupported{fmt::format("operand '{}' is not a predicate", operand.text)};
  return {operand.index, operand.invert || operand.negate, operand.kind == OperandKind::upred};
}

PredicateSource Decoder::optional_predicate(bool otherwise) {
  if (next_is(OperandKind::pred) || next_is(OperandKind::upred)) return predicate();
  return {isa::kPT, !otherwise, false};
}

AddressSource Decoder::address() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::memory)
    throw Unsupported{fmt::format("operand '{}' is not an address", operand.text)};
  AddressSource address;
  address.offset = operand.offset;
  address.scale = operand.scale;
  const bool extended = instruction_.has("E");
  if (operand.base && *operand.base != isa::kRZ) {
    address.base = *operand.base;
    address.base_wide = extended && (operand.base_wide || (!operand.ubase && !operand.has("U32")));
  }
  if (operand.ubase && *operand.ubase != isa::kURZ) {
    address.ubase = *operand.ubase;
    address.ubase_wide = extended;
  }
  return address;
}

std::uint32_t Decoder::immediate() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::imm)
    throw Unsupported{fmt::format("operand '{}' is not an immediate", operand.text)};
  return static_cast<std::uint32_t>(operand.value);
}

std::uint32_t Decoder::branch_target() {
  const Operand& operand = next();
  if (operand.kind != OperandKind::label && operand.kind != OperandKind::imm)
    throw Unsupported{fmt::format("operand '{}' is not a branch target", operand.text)};
  return static_cast<std::uint32_t>(layout().index(static_cast<std::uint32_t>(operand.value)));
}

void Decoder::finish() const {
  for (std::size_t i = 0; i < instruction_.modifiers.size(); ++i)
    if ((taken_ >> i & 1) == 0)
      throw Unsupported{fmt::format("modifier '.{}' is not supported", instruction_.modifiers[i])};
  if (left() != 0) throw Unsupported{fmt::format("operand '{}' is not supported", instruction_.operands[next_].text)};
}

}  // namespace sassim::emu
