// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/eviction.h"

#include <algorithm>
#include <optional>

namespace sassim::isa {
namespace {

// The upper half of a policy, as nvcc makes it for sm_80 and sm_90: bits 31 to 28 are 1; 27 to 25 the priority (0
// unchanged, 1 first, 2 last, 3 normal); 24 the priority of the other accesses; 23 to 20 the part, in sixteenths less
// one.
constexpr std::uint32_t kFirst = 0x12f00000, kUsed = 0xfef00000;

/// The uniform register with the upper half of the policy. CUDA 11.8 prints it for sm_80, and for sm_90 only encodes
/// it.
std::optional<std::uint8_t> policy_register(const Instruction& in, const Decoded& d) {
  if (d.space != Space::global || (d.op != OpClass::load && d.op != OpClass::store)) return std::nullopt;
  for (const Operand& operand : in.operands)
    if (operand.descriptor) return static_cast<std::uint8_t>(*operand.descriptor + 1);
  if (in.low == 0 && in.high == 0) return std::nullopt;
  return static_cast<std::uint8_t>((in.opcode == "STG" ? in.high : in.low >> 32) % 64 + 1);
}

bool writes(const Decoded& d, std::uint8_t uniform) {
  return std::any_of(d.writes.begin(), d.writes.end(), [uniform](const RegisterUse& use) {
    return use.uniform && use.first <= uniform && uniform < use.first + use.count;
  });
}

}  // namespace

void mark_evictions(const std::vector<Instruction>& code, std::vector<Decoded>& decoded, int sm) {
  for (std::size_t i = 0; sm >= 80 && i < code.size(); ++i) {
    const auto uniform = policy_register(code[i], decoded[i]);
    std::size_t at = i;
    while (uniform && at > 0 && !writes(decoded[at - 1], *uniform)) --at;
    if (!uniform || at == 0) continue;
    const Instruction& writer = code[at - 1];
    decoded[i].evicts_first = writer.opcode == "UMOV" && writer.operands.back().kind == OperandKind::imm &&
                              (static_cast<std::uint32_t>(writer.operands.back().value) & kUsed) == kFirst;
  }
}

}  // namespace sassim::isa
