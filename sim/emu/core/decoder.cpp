// SPDX-License-Identifier: Apache-2.0
// The part of the emulator's decoder that reads an instruction's modifiers, destinations, predicates and addresses; the
// values that it reads are in decoder_sources.cpp.
#include <fmt/format.h>

#include "sim/emu/core/semantics.h"

namespace sassim::emu {
namespace {

using isa::Operand;
using isa::OperandKind;

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
