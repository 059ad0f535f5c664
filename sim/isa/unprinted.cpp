// SPDX-License-Identifier: Apache-2.0
#include "sim/isa/unprinted.h"

#include <fmt/format.h>

#include "sim/isa/instruction.h"

namespace sassim::isa {
namespace {

std::string name(const char* prefix, unsigned index, unsigned fixed, const char* fixed_suffix) {
  return index == fixed ? fmt::format("{}{}", prefix, fixed_suffix) : fmt::format("{}{}", prefix, index);
}

std::string predicate(unsigned field) { return (field & 8 ? "!" : "") + name("P", field & 7, kPT, "T"); }

/// The second operand; bits 11:9 say whether it is a register, an immediate, a constant or a uniform register.
std::optional<std::string> second_operand(std::uint64_t low, std::uint64_t high, bool reuse) {
  switch (low & 0xfff) {
    case 0x248:
      return fmt::format("{}{}", name("R", low >> 32 & 0xff, kRZ, "Z"), reuse ? ".reuse" : "");
    case 0x848:
      return fmt::format("0x{:x}", low >> 32);
    case 0xa48:
      return fmt::format("c[0x{:x}][0x{:x}]", low >> 54 & 0x1f, (low >> 40 & 0x3fff) * 4);
    case 0xc48:
      if ((high >> 27 & 1) == 0) return std::nullopt;
      return name("UR", low >> 32 & 0x3f, kURZ, "Z");
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> unprinted_instruction(std::uint64_t low, std::uint64_t high) {
  // Bits of the second word: 8 signed, 17 to 22 unused predicates (PT), 23 to 26 minimum or maximum, 27 uniform form,
  // 41 and up control bits. Other bits are unknown forms.
  constexpr std::uint64_t kKnown = 1ull << 8 | 0x7ffull << 17;
  constexpr std::uint64_t kControl = ~0ull << 41;
  const auto second = second_operand(low, high, high >> 59 & 1);
  if (!second || (high & ~kKnown & ~kControl) != 0 || (high >> 17 & 0x3f) != 0x3f) return std::nullopt;
  const unsigned guard = low >> 12 & 0xf;
  return fmt::format("{}VIMNMX{} {}, {}{}, {}, {}",
                     guard == kPT ? std::string() : fmt::format("@{} ", predicate(guard)), high >> 8 & 1 ? "" : ".U32",
                     name("R", low >> 16 & 0xff, kRZ, "Z"), name("R", low >> 24 & 0xff, kRZ, "Z"),
                     high >> 58 & 1 ? ".reuse" : "", *second, predicate(high >> 23 & 0xf));
}

}  // namespace sassim::isa
