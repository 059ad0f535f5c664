// SPDX-License-Identifier: Apache-2.0
// Executes sums of 64-bit instructions (Kepler to Pascal), and what all of them share.
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {

std::uint8_t destination_cc(Decoder& d) {
  const isa::Operand& operand = d.instruction().operands[d.instruction().operands.size() - d.left()];
  d.op.sets_codes = operand.has("CC");
  if (d.op.sets_codes) d.op.flags |= kSetsCc;
  return d.destination();
}

Source half_source(Decoder& d) {
  const isa::Operand& operand = d.instruction().operands[d.instruction().operands.size() - d.left()];
  Source source = d.source();
  source.part = operand.has("H1") ? upper_half : operand.has("H0") ? lower_half : whole_register;
  return source;
}

const std::uint32_t* fetch_half(Context& c, const Source& source, bool is_signed, Lanes& scratch) {
  const std::uint32_t* whole = fetch_int(c, source, scratch);
  for (int i = 0; i < 32; ++i) {
    const auto half = static_cast<std::uint16_t>(whole[i] >> (source.part == upper_half ? 16 : 0));
    scratch.v[i] = is_signed ? static_cast<std::uint32_t>(static_cast<std::int16_t>(half)) : half;
  }
  return scratch.v;
}

void set_result_codes(Context& c, const MicroOp& op, const Lanes& result, std::uint32_t mask) {
  ConditionCodes& cc = c.warp.cc;
  std::uint32_t zero = gather_bits([&](int i) { return result.v[i] == 0; });
  if ((op.flags & kReadsCc) != 0) zero &= cc.zero;
  const std::uint32_t sign = gather_bits([&](int i) { return (result.v[i] >> 31) != 0; });
  cc.zero = (cc.zero & ~mask) | (zero & mask);
  cc.sign = (cc.sign & ~mask) | (sign & mask);
}

void set_carry_codes(Context& c, std::uint32_t carry, std::uint32_t second_carry, std::uint32_t overflow,
                     std::uint32_t mask) {
  ConditionCodes& cc = c.warp.cc;
  cc.carry = (cc.carry & ~mask) | (carry & mask);
  cc.second_carry = (cc.second_carry & ~mask) | (second_carry & mask);
  cc.overflow = (cc.overflow & ~mask) | (overflow & mask);
}

std::uint64_t addend(std::uint32_t value, bool negate, bool extended) {
  return negate ? std::uint64_t{~value} + (extended ? 0 : 1) : value;
}

void write_sum(Context& c, const MicroOp& op, const std::uint64_t* sums, std::uint32_t overflow, std::uint32_t mask) {
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = static_cast<std::uint32_t>(sums[i]);
  if ((op.flags & kSaturate) != 0)
    for (int i = 0; i < 32; ++i)
      if ((overflow >> i & 1) != 0) out.v[i] = (out.v[i] >> 31) != 0 ? 0x7fffffffu : 0x80000000u;
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) == 0) return;
  set_result_codes(c, op, out, mask);
  set_carry_codes(c, gather_bits([&](int i) { return sums[i] >> 32 != 0; }),
                  gather_bits([&](int i) { return sums[i] >> 32 > 1; }), overflow, mask);
}

std::uint64_t carries_into(const ConditionCodes& cc, int lane) {
  return (cc.carry >> lane & 1) + (cc.second_carry >> lane & 1);
}

const std::uint32_t* fetch_unsigned(Context& c, Source source, Lanes& scratch) {
  source.negate = false;
  return fetch_int(c, source, scratch);
}

namespace {

enum Flag : std::uint32_t { kHigh = 2, kPlusOne = 16 };

/// a + b for operands that have been shifted or chosen before. A negated operand is its complement and a carry.
void add_two(Context& c, const MicroOp& op, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t mask) {
  const bool extended = (op.flags & kReadsCc) != 0, plus_one = (op.flags & kPlusOne) != 0;
  std::uint64_t sums[32];
  std::uint32_t overflow = 0;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t x = addend(a[i], op.src[0].negate, extended || plus_one);
    const std::uint64_t y = addend(b[i], op.src[1].negate, extended || plus_one);
    sums[i] = x + y + (extended ? carries_into(c.warp.cc, i) : 0) + (plus_one ? 1 : 0);
    const auto sum = static_cast<std::uint32_t>(sums[i]);
    const std::uint32_t first = op.src[0].negate ? ~a[i] : a[i], second = op.src[1].negate ? ~b[i] : b[i];
    overflow |= (~(first ^ second) & (first ^ sum)) >> 31 << i;
  }
  write_sum(c, op, sums, overflow, mask);
}

void exec_iadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  add_two(c, op, a, fetch_unsigned(c, op.src[1], s1), mask);
}
void decode_iadd(Decoder& d) {
  d.op.flags = (d.take("X") ? kReadsCc : 0u) | (d.take("SAT") ? kSaturate : 0u) | (d.take("PO") ? kPlusOne : 0u);
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_iadd;
}

/// a - b; of longer numbers, as much less as the lower part borrows.
void decode_isub(Decoder& d) {
  decode_iadd(d);
  d.op.src[1].negate = !d.op.src[1].negate;
}

/// Where a sum of three shifts the sum of the first two: ((a + b) >> 16) + c, ((a + b) << 16) + c.
enum ThreeShift : std::uint8_t { three_none, three_right, three_left };

void exec_iadd3(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool extended = (op.flags & kReadsCc) != 0;
  Lanes scratch[3];
  const std::uint32_t* x[3];
  for (int k = 0; k < 3; ++k) {
    Source bits = op.src[k];
    bits.negate = false;
    x[k] = bits.part == whole_register ? fetch_int(c, bits, scratch[k]) : fetch_half(c, bits, false, scratch[k]);
  }
  std::uint64_t sums[32];
  for (int i = 0; i < 32; ++i) {
    std::uint64_t first = addend(x[0][i], op.src[0].negate, extended) + addend(x[1][i], op.src[1].negate, extended);
    if (op.mode == three_right) first = first >> 16 & 0x1ffff;
    if (op.mode == three_left) first = static_cast<std::uint32_t>(first << 16);
    sums[i] = first + addend(x[2][i], op.src[2].negate, extended) + (extended ? carries_into(c.warp.cc, i) : 0);
  }
  write_sum(c, op, sums, 0, mask);
}
void decode_iadd3(Decoder& d) {
  d.op.flags = d.take("X") ? kReadsCc : 0u;
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"", "RS", "LS"}, three_none));
  d.op.dst = destination_cc(d);
  for (int k = 0; k < 3; ++k) d.op.src[k] = half_source(d);
  d.op.execute = exec_iadd3;
}

/// (a << n) + b
void exec_iscadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, shifted;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  for (int i = 0; i < 32; ++i) shifted.v[i] = a[i] << op.mode;
  add_two(c, op, shifted.v, fetch_unsigned(c, op.src[1], s1), mask);
}
void decode_iscadd(Decoder& d) {
  d.op.flags = d.take("PO") ? kPlusOne : 0u;
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.mode = static_cast<std::uint8_t>(d.immediate() & 31);
  d.op.execute = exec_iscadd;
}

/// LEA: (a << n) + b. LEA.HI: the upper half of ({c, a} << n), plus b. Its predicate says that the generic address is
/// not one of shared memory: code chooses between ATOM and ATOMS by it. LD and ST name it too, and access the same
/// memory whatever it is.
void exec_lea(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, part;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  const std::uint32_t* upper = fetch_int(c, op.src[2], s2);
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t pair = ((op.flags & kHigh) != 0 ? std::uint64_t{upper[i]} << 32 : 0) | a[i];
    part.v[i] = static_cast<std::uint32_t>((op.flags & kHigh) != 0 ? (pair << op.mode) >> 32 : pair << op.mode);
  }
  if (op.pdst != isa::kPT) {
    const Windows windows = c.grid.windows;
    const std::uint32_t elsewhere =
        gather_bits([&](int i) { return (std::uint64_t{upper[i]} << 32 | a[i]) - windows.shared >= windows.bytes; });
    c.write_predicate(op.pdst, elsewhere, mask);
  }
  add_two(c, op, part.v, fetch_unsigned(c, op.src[1], s1), mask);
}
void decode_lea(Decoder& d) {
  d.op.flags = (d.take("HI") ? kHigh : 0u) | (d.take("X") ? kReadsCc : 0u);
  d.op.pdst = d.optional_predicate_destination();
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  if ((d.op.flags & kHigh) != 0) d.op.src[2] = d.source();
  if (d.left() > 0) d.op.mode = static_cast<std::uint8_t>(d.immediate() & 31);
  if (d.op.src[0].negate && (d.op.flags & kHigh) != 0) throw Unsupported{"a negative upper half"};
  d.op.execute = exec_lea;
}

constexpr Semantics kRows[] = {
    sass64("IADD", decode_iadd),     sass64("IADD32I", decode_iadd),     sass64("IADD3", decode_iadd3),
    sass64("ISCADD", decode_iscadd), sass64("ISCADD32I", decode_iscadd), sass64("LEA", decode_lea),
    sass64("ISUB", decode_isub),
};

}  // namespace

std::span<const Semantics> sass64_integer_semantics() { return kRows; }

}  // namespace sassim::emu
