// SPDX-License-Identifier: Apache-2.0
// Finds the loads and stores of a kernel that ask the L2 for evict-first, by modifier or by an immediate policy.
#include "sim/isa/eviction.h"

#include <array>

namespace sassim::isa {
namespace {

// The upper half of a policy, as nvcc makes it for sm_80 and sm_90: bits 31 to 28 are 1; 27 to 25 the priority (0
// unchanged, 1 first, 2 last, 3 normal); 24 the priority of the other accesses; 23 to 20 the part in sixteenths, less
// one.
constexpr std::uint32_t kFirst = 0x12f00000, kUsed = 0xfef00000;

bool sets_evict_first(const Instruction& in) {
  return in.opcode == "UMOV" && in.guard.always() && in.operands.back().kind == OperandKind::imm &&
         (static_cast<std::uint32_t>(in.operands.back().value) & kUsed) == kFirst;
}

bool has_evict_first(const Instruction& in) { return in.has("EF") || in.has("LU") || in.has("NA"); }

}  // namespace

void mark_evictions(const std::vector<Instruction>& code, std::vector<Decoded>& decoded) {
  std::array<bool, kURZ + 1> evict_first{};  // by uniform register: what was written last
  for (std::size_t i = 0; i < code.size(); ++i) {
    Decoded& d = decoded[i];
    const bool accesses =
        (d.op == OpClass::load || d.op == OpClass::store) && (d.space == Space::global || d.space == Space::generic);
    if (accesses) d.evicts_first = has_evict_first(code[i]) || (d.descriptor < kURZ && evict_first[d.descriptor + 1u]);
    for (const RegisterUse& use : d.writes)
      for (std::size_t at = use.first;
           use.uniform && at < std::size_t{use.first} + use.count && at < evict_first.size(); ++at)
        evict_first[at] = sets_evict_first(code[i]);
  }
}

}  // namespace sassim::isa
