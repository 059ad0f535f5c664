// SPDX-License-Identifier: Apache-2.0
// Writes the SASS text of instructions that CUDA 11.8's disassembler leaves out, from their encodings.
#include "sim/isa/unprinted.h"

#include <fmt/format.h>

#include <utility>

#include "sim/isa/instruction.h"

namespace sassim::isa {
namespace {

// The encodings were found by comparing them with the text that CUDA 12.4's disassembler prints.

enum Kind : unsigned { kVimnmx3 = 0x00f, kViadd = 0x036, kViaddmnmx = 0x046, kVimnmx = 0x048 };  // bits 8:0
// Bits 11:9: where the operand is that is no register.
enum Place : unsigned { kRegisters = 1, kImmediateC, kConstantC, kImmediateB, kConstantB, kUniformB, kUniformC };

struct Encoding {
  std::uint64_t low, high;
  unsigned kind() const { return low & 0x1ff; }
  unsigned place() const { return low >> 9 & 7; }
  unsigned guard() const { return low >> 12 & 0xf; }
  bool is_signed() const { return (high >> 8 & 1) != 0; }
  bool halves() const { return (high >> 9 & 1) != 0; }
  bool relu() const { return (high >> 12 & 1) != 0; }
  unsigned predicate(unsigned at) const { return high >> at & 7; }
  unsigned minimum() const { return high >> 23 & 0xf; }
};

std::string name(const char* prefix, unsigned index, unsigned fixed, const char* fixed_suffix) {
  return index == fixed ? fmt::format("{}{}", prefix, fixed_suffix) : fmt::format("{}{}", prefix, index);
}

std::string predicate(unsigned field) { return (field & 8 ? "!" : "") + name("P", field & 7, kPT, "T"); }

/// A register with its bit of the reuse cache; there is a bit for each place in the encoding.
std::string reg(std::uint64_t bits, unsigned at, bool reuse) {
  return name("R", bits >> at & 0xff, kRZ, "Z") + (reuse ? ".reuse" : "");
}

/// The operand in bits 63:32.
std::string middle(const Encoding& e) {
  switch (e.place()) {
    case kImmediateB:
    case kImmediateC:
      return fmt::format("0x{:x}", e.low >> 32);
    case kConstantB:
    case kConstantC:
      return fmt::format("c[0x{:x}][0x{:x}]", e.low >> 54 & 0x1f, (e.low >> 40 & 0x3fff) * 4);
    case kUniformB:
    case kUniformC:
      return name("UR", e.low >> 32 & 0x3f, kURZ, "Z");
    default:
      return reg(e.low, 32, (e.high >> 59 & 1) != 0);
  }
}

std::string type(const Encoding& e) {
  if (e.kind() == kViadd) return e.halves() ? ".16x2" : "";
  std::string text = e.halves() ? e.is_signed() ? ".S16x2" : ".U16x2" : e.is_signed() ? "" : ".U32";
  return text + (e.relu() ? ".RELU" : "");
}

/// Whether all bits outside of the fields above have the values that were seen.
bool known(const Encoding& e, bool three) {
  const bool uniform = e.place() == kUniformB || e.place() == kUniformC;
  const bool constant = e.place() == kConstantB || e.place() == kConstantC;
  std::uint64_t fields = std::uint64_t{1} << 9 | std::uint64_t{0x3f} << 17;
  if (three) fields |= 0xff;
  if (e.kind() != kViadd) fields |= std::uint64_t{0x11} << 8 | std::uint64_t{0xf} << 23;
  if (uniform) fields |= std::uint64_t{1} << 27;
  const std::uint64_t used = e.high & ((std::uint64_t{1} << 41) - 1);  // above are the control bits
  if ((used & ~fields) != 0 || (uniform && (e.high >> 27 & 1) == 0)) return false;
  if (uniform) return e.low >> 38 == 0;
  if (constant) return (e.low >> 32 & 0xff) == 0 && e.low >> 59 == 0 && (e.low >> 53 & 1) == 0;
  return e.place() != kRegisters || e.low >> 40 == 0;  // the highest one is a sign
}

/// F2FP.PACK_AB of registers, which CUDA 11.8's disassembler prints for sm_80 and not for sm_75, where kernels of
/// cuBLAS have it.
bool packs_halves(const Encoding& e) {
  constexpr std::uint64_t kControl = 41;  // the first bit
  return (e.low & 0xfff) == 0x23e && e.low >> 40 == 0 && (e.high & ((std::uint64_t{1} << kControl) - 1)) == kRZ;
}

}  // namespace

std::optional<std::string> unprinted_instruction(std::uint64_t low, std::uint64_t high) {
  const Encoding e{low, high};
  const bool three = e.kind() == kVimnmx3 || e.kind() == kViaddmnmx;
  const bool swapped = e.place() == kImmediateC || e.place() == kConstantC || e.place() == kUniformC;
  const char* const opcode = e.kind() == kVimnmx3     ? "VIMNMX3"
                             : e.kind() == kViaddmnmx ? "VIADDMNMX"
                             : e.kind() == kVimnmx    ? "VIMNMX"
                             : e.kind() == kViadd     ? "VIADD"
                                                      : nullptr;
  const std::string guard = e.guard() == kPT ? "" : fmt::format("@{} ", predicate(e.guard()));
  const std::string goal = name("R", low >> 16 & 0xff, kRZ, "Z");
  const std::string first = reg(low, 24, (high >> 58 & 1) != 0);
  if (packs_halves(e)) return fmt::format("{}F2FP.PACK_AB {}, {}, {}", guard, goal, first, middle(e));
  if (opcode == nullptr || e.place() == 0 || (swapped && !three) || !known(e, three)) return std::nullopt;
  std::string text = fmt::format("{}{}{} {}", guard, opcode, type(e), goal);
  const bool two_results = e.kind() == kVimnmx && (e.predicate(17) != kPT || e.predicate(20) != kPT);
  if (two_results) text += fmt::format(", {}, {}", predicate(e.predicate(17)), predicate(e.predicate(20)));
  text += ", " + first;
  std::string second = middle(e), third = three ? reg(high, 0, (high >> 60 & 1) != 0) : "";
  if (swapped) std::swap(second, third);
  text += ", " + second;
  if (three) text += ", " + third;
  if (e.kind() != kViadd) text += ", " + predicate(e.minimum());
  return text;
}

}  // namespace sassim::isa
