// SPDX-License-Identifier: Apache-2.0
// Applies a cubin's relocations (cubin.h): writes addresses into code and data when a module is loaded.
#include <cstring>
#include <optional>

#include "sim/isa/code_rules.h"
#include "sim/isa/cubin.h"

namespace sassim::isa {
namespace {

constexpr std::uint32_t code_of(RelocationType type) { return static_cast<std::uint32_t>(type); }

std::optional<std::uint32_t> immediate(std::uint32_t type, std::uint64_t address) {
  if (type == code_of(kShiftedLow)) return static_cast<std::uint32_t>(address);
  if (type == code_of(kShiftedHigh)) return static_cast<std::uint32_t>(address >> 32);
  switch (static_cast<RelocationType>(type)) {
    case RelocationType::immediate:
    case RelocationType::immediate_low:
    case RelocationType::short_immediate_low:
    case RelocationType::function_immediate:
    case RelocationType::function_immediate_low:
      return static_cast<std::uint32_t>(address);
    case RelocationType::immediate_high:
    case RelocationType::short_immediate_high:
    case RelocationType::function_immediate_high:
      return static_cast<std::uint32_t>(address >> 32);
    default:
      return std::nullopt;
  }
}

/// The lowest of the 32 bits of an instruction that hold the immediate.
int immediate_place(std::uint32_t type) {
  if (type == code_of(kShiftedLow) || type == code_of(kShiftedHigh)) return 23;
  const bool in_short =
      type == code_of(RelocationType::short_immediate_low) || type == code_of(RelocationType::short_immediate_high);
  return in_short ? 20 : 32;
}

std::size_t data_bytes(std::uint32_t type) {
  if (type == code_of(RelocationType::word32) || type == code_of(RelocationType::generic32) ||
      type == code_of(RelocationType::function_word32))
    return 4;
  if (type == code_of(RelocationType::word64) || type == code_of(RelocationType::generic64) ||
      type == code_of(RelocationType::function_word64))
    return 8;
  return 0;
}

}  // namespace

bool relocate(Instruction& instruction, std::uint32_t type, std::uint64_t address) {
  const auto value = immediate(type, address);
  if (!value) return false;
  const int at = immediate_place(type);
  instruction.low = (instruction.low & ~(std::uint64_t{0xffffffff} << at)) | std::uint64_t{*value} << at;
  for (Operand& operand : instruction.operands)
    if (operand.kind == OperandKind::imm &&
        (operand.text.find('@') != std::string::npos || instruction.operands.size() == 2))
      operand.value = *value;
  return true;
}

bool relocate(std::span<std::uint8_t> section, const CubinRelocation& relocation, std::uint64_t address) {
  const std::size_t size = data_bytes(relocation.type);
  if (size == 0 || relocation.offset > section.size() || section.size() - relocation.offset < size) return false;
  std::memcpy(section.data() + relocation.offset, &address, size);
  return true;
}

}  // namespace sassim::isa
