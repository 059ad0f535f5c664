// SPDX-License-Identifier: Apache-2.0
// Executes bit fields, shifts and operations on packed bytes of 64-bit instructions (Kepler to Pascal).
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {

std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t amount, std::uint32_t high, std::uint32_t flags);

namespace {

enum Flag : std::uint32_t { kUnsigned = 1, kReverse = 8 };

// Bit fields: b holds the position in its lowest byte and the length in the next one.

std::uint32_t reversed(std::uint32_t x) {
  std::uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= (x >> i & 1) << (31 - i);
  return out;
}

std::uint32_t extract_bits(std::uint32_t x, std::uint32_t field, bool is_unsigned) {
  const std::uint32_t position = field & 0xff, length = field >> 8 & 0xff;
  if (length == 0) return 0;
  const std::int64_t wide = is_unsigned ? static_cast<std::int64_t>(x) : static_cast<std::int32_t>(x);
  const std::int64_t moved = wide >> std::min(position, 63u);
  if (length >= 32) return static_cast<std::uint32_t>(moved);
  const auto up = static_cast<std::uint32_t>(moved) << (32 - length);
  return is_unsigned ? up >> (32 - length) : static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32 - length));
}

void exec_bfe(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  for (int i = 0; i < 32; ++i)
    out.v[i] = extract_bits((op.flags & kReverse) != 0 ? reversed(a[i]) : a[i], b[i], (op.flags & kUnsigned) != 0);
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) != 0) set_result_codes(c, op, out, mask);
}
void decode_bfe(Decoder& d) {
  d.op.flags = (d.take("U32") ? kUnsigned : 0u) | (d.take("BREV") ? kReverse : 0u);
  d.ignore({"S32"});
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_bfe;
}

/// The lowest bits of a, moved to the field, over c.
void exec_bfi(Context& c, const MicroOp& op, std::uint32_t mask) {
  map3(c, op, mask, [](std::uint32_t x, std::uint32_t field, std::uint32_t base) {
    const std::uint32_t position = field & 0xff, length = std::min(field >> 8 & 0xff, 32u);
    if (position >= 32) return base;
    const auto ones = static_cast<std::uint32_t>(((std::uint64_t{1} << length) - 1) << position);
    return (base & ~ones) | (x << position & ones);
  });
}
void decode_bfi(Decoder& d) {
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_bfi;
}

// Shifts.

/// SHL, SHR: a distance of 32 or more shifts everything out, unless .W takes it modulo 32.
void exec_shift(Context& c, const MicroOp& op, std::uint32_t mask) {
  enum Mode : std::uint8_t { left, right, right_signed };
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t distance = op.mode2 != 0 ? b[i] & 31 : std::min(b[i], 63u);
    const std::int64_t value = op.mode == right_signed ? static_cast<std::int32_t>(a[i]) : std::int64_t{a[i]};
    out.v[i] = op.mode == left ? static_cast<std::uint32_t>(distance >= 32 ? 0 : a[i] << distance)
                               : static_cast<std::uint32_t>(value >> distance);
  }
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) != 0) set_result_codes(c, op, out, mask);
}
void decode_shift(Decoder& d) {
  const bool left = d.instruction().opcode == "SHL", is_unsigned = d.take("U32");
  d.ignore({"S32"});
  d.op.mode = left ? 0 : is_unsigned ? 1 : 2;
  d.op.mode2 = d.take("W") ? 1 : 0;
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_shift;
}

/// SHF.L gives the upper word of the shifted pair, SHF.R the lower one.
void exec_shf(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t flags = op.flags;
  map3(c, op, mask, [flags](std::uint32_t x, std::uint32_t distance, std::uint32_t z) {
    return funnel_shift(x, distance, z, flags);
  });
}
void decode_shf(Decoder& d) {
  enum ShiftFlag : std::uint32_t { left = 1, wrap = 2, is_signed = 4, wide64 = 8, high = 16 };  // of funnel_shift()
  const bool to_left = d.take("L");
  d.ignore({"R", "U32"});
  d.op.flags = (to_left ? left | high : 0u) | (d.take("W") ? wrap : 0u) | (d.take("HI") ? high : 0u);
  if (d.take("U64")) d.op.flags |= wide64;
  if (d.take("S64")) d.op.flags |= wide64 | is_signed;
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_shf;
}

// Video instructions on two halves or four bytes (PTX ISA, "SIMD Video Instructions"): VADD4, VABSDIFF2, VMNMX2, VSET4,
// ... With .ACC the results are added to c.

enum PackedFlag : std::uint32_t { kSignedParts = 2, kSignedResult = 4, kSaturates = 16, kAccumulates = 32 };
enum class Packed : std::uint8_t { sum, average, difference, minimum, maximum, relation };

int packed_result(const MicroOp& op, int x, int y) {
  enum Relation : std::uint8_t { less = 1, equal = 2, greater = 4 };
  switch (static_cast<Packed>(op.mode)) {
    case Packed::sum:
      return (op.src[0].negate ? -x : x) + (op.src[1].negate ? -y : y);
    case Packed::average:
      return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
    case Packed::difference:
      return std::abs(x - y);
    case Packed::minimum:
      return std::min(x, y);
    case Packed::maximum:
      return std::max(x, y);
    case Packed::relation:
      break;
  }
  return (op.mode2 & (x < y ? less : x == y ? equal : greater)) != 0 ? 1 : 0;
}

void exec_packed(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  const std::uint32_t* b = fetch_unsigned(c, op.src[1], s1);
  const std::uint32_t* z = fetch_unsigned(c, op.src[2], s2);
  const unsigned bits = 8u * op.size;
  const std::uint32_t ones = (1u << bits) - 1, sign = (op.flags & kSignedParts) != 0 ? 1u << (bits - 1) : 0;
  const int below = (op.flags & kSignedResult) != 0 ? -(1 << (bits - 1)) : 0, above = below + static_cast<int>(ones);
  const auto part = [=](std::uint32_t word, unsigned at) {
    return static_cast<int>((word >> at & ones) ^ sign) - static_cast<int>(sign);
  };
  for (int i = 0; i < 32; ++i) {
    std::uint32_t packed = 0, sum = z[i];
    for (unsigned at = 0; at < 32; at += bits) {
      int result = packed_result(op, part(a[i], at), part(b[i], at));
      if ((op.flags & kSaturates) != 0) result = std::clamp(result, below, above);
      packed |= (static_cast<std::uint32_t>(result) & ones) << at;
      sum += static_cast<std::uint32_t>(result);
    }
    out.v[i] = (op.flags & kAccumulates) != 0 ? sum : packed;
  }
  c.write(op.dst, out, mask);
}

/// The types of a and b are printed both, or not at all: then they are signed.
void decode_packed(Decoder& d) {
  const std::string_view name = d.instruction().opcode;
  d.op.size = name.ends_with('2') ? 2 : 1;
  const bool is_unsigned = d.take(d.op.size == 2 ? "U16" : "U8");
  Packed what = Packed::relation;
  if (name.starts_with("VSET")) d.op.mode2 = take_integer_comparison(d);
  if (name.starts_with("VADD")) what = d.take("AVRG") ? Packed::average : Packed::sum;
  if (name.starts_with("VMNMX")) what = d.take("MX") ? Packed::maximum : Packed::minimum;
  if (name.starts_with("VABSDIFF")) what = Packed::difference;
  const bool signed_result = what == Packed::difference ? d.take("SD") : !d.take("UD");
  d.op.mode = static_cast<std::uint8_t>(what);
  d.op.flags = (is_unsigned ? 0u : kSignedParts) | (signed_result ? kSignedResult : 0u) |
               (d.take("SAT") ? kSaturates : 0u) | (d.take("ACC") ? kAccumulates : 0u);
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  const bool merges = (d.op.flags & kAccumulates) == 0 && d.op.src[2].kind != SourceKind::zero;
  const bool negates = what != Packed::sum && (d.op.src[0].negate || d.op.src[1].negate);
  if (merges || negates || d.op.src[2].negate) throw Unsupported{"these operands"};
  d.op.execute = exec_packed;
}

constexpr Semantics kRows[] = {
    sass64("BFE", decode_bfe),       sass64("BFI", decode_bfi),          sass64("SHL", decode_shift),
    sass64("SHR", decode_shift),     sass64("SHF", decode_shf),          sass64("VADD2", decode_packed),
    sass64("VADD4", decode_packed),  sass64("VABSDIFF2", decode_packed), sass64("VABSDIFF4", decode_packed),
    sass64("VMNMX2", decode_packed), sass64("VMNMX4", decode_packed),    sass64("VSET2", decode_packed),
    sass64("VSET4", decode_packed),
};

}  // namespace

std::span<const Semantics> sass64_bits_semantics() { return kRows; }

}  // namespace sassim::emu
