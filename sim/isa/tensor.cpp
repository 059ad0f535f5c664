// SPDX-License-Identifier: Apache-2.0
// Reads shape and element type of HMMA, IMMA, HGMMA and the like from their modifiers.
#include "sim/isa/tensor.h"

#include <array>
#include <charconv>

namespace sassim::isa {
namespace {

bool to_number(std::string_view digits, std::uint16_t& out) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && end == digits.data() + digits.size() && out > 0 && out <= 1024;
}

/// "16816" is 16 x 8 x 16, "884" is 8 x 8 x 4, "64x8x16" is 64 x 8 x 16.
bool parse_shape(std::string_view text, TensorShape& shape) {
  const std::size_t first = text.find('x'), second = text.rfind('x');
  if (first != std::string_view::npos)
    return second != first && to_number(text.substr(0, first), shape.m) &&
           to_number(text.substr(first + 1, second - first - 1), shape.n) &&
           to_number(text.substr(second + 1), shape.k);
  struct Prefix {
    std::string_view digits;
    std::uint16_t m, n;
  };
  static constexpr Prefix kPrefixes[] = {{"168", 16, 8}, {"88", 8, 8}, {"44", 4, 4}};
  for (const Prefix& prefix : kPrefixes)
    if (text.starts_with(prefix.digits) && to_number(text.substr(prefix.digits.size()), shape.k)) {
      shape.m = prefix.m;
      shape.n = prefix.n;
      return true;
    }
  return false;
}

struct ElementType {
  std::string_view name;
  std::uint8_t bits;
};
constexpr ElementType kTypes[] = {{"F16", 16}, {"BF16", 16}, {"TF32", 32}, {"E4M3", 8}, {"E5M2", 8}, {"U8", 8},
                                  {"S8", 8},   {"U4", 4},    {"S4", 4},    {"B1", 1},   {"F64", 64}};

std::uint8_t element_bits(const Instruction& instruction) {
  const char kind = instruction.opcode[0];
  std::uint8_t bits = kind == 'D' ? 64 : kind == 'B' ? 1 : kind == 'I' ? 8 : 16;
  // The last type in the name is the element type: HMMA.1688.F32.TF32.
  for (const std::string& modifier : instruction.modifiers)
    for (const ElementType& type : kTypes)
      if (modifier == type.name) bits = type.bits;
  return bits;
}

std::uint8_t fragment(std::uint32_t elements, std::uint32_t bits, std::uint32_t threads) {
  const std::uint32_t registers = elements * bits / (32 * threads);
  return static_cast<std::uint8_t>(registers == 0 ? 1 : registers);
}

}  // namespace

TensorShape tensor_shape(const Instruction& instruction) {
  TensorShape shape;
  for (const std::string& modifier : instruction.modifiers)
    if (parse_shape(modifier, shape)) break;
  if (shape.m == 0) return shape;
  shape.element_bits = element_bits(instruction);
  shape.accumulates_f32 = instruction.has("F32");
  const char kind = instruction.opcode[0];
  const std::uint32_t accumulator_bits = kind == 'D' ? 64 : kind == 'H' && !shape.accumulates_f32 ? 16 : 32;
  // A warp-group instruction spreads a matrix over four warps. Volta's 884 is executed by each quad pair of eight
  // threads, and one of its steps writes a pair of accumulator registers (arXiv:1804.06826, section on tensor cores).
  const bool quad_pair = kind == 'H' && shape.k == 4 && shape.m == 8;
  const std::uint32_t threads = instruction.opcode.find("GMMA") != std::string::npos ? 128 : quad_pair ? 8 : 32;
  shape.registers_a = fragment(std::uint32_t{shape.m} * shape.k, shape.element_bits, threads);
  shape.registers_b = fragment(std::uint32_t{shape.k} * shape.n, shape.element_bits, threads);
  shape.registers_c = quad_pair ? 2 : fragment(std::uint32_t{shape.m} * shape.n, accumulator_bits, threads);
  shape.sparse = instruction.has("SP");
  if (shape.sparse) shape.registers_a = static_cast<std::uint8_t>((shape.registers_a + 1) / 2);
  return shape;
}

}  // namespace sassim::isa
