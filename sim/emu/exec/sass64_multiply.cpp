// SPDX-License-Identifier: Apache-2.0
// Products and minima of 64-bit instructions.
#include <algorithm>

#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {
namespace {

// XMAD: the product of two halves plus c. A product of 32-bit numbers takes three of them.

/// What becomes of c before it is added.
enum Addend : std::uint8_t { add_whole, add_low, add_high, add_signs, add_b_above };
enum XmadFlag : std::uint32_t { kSignedA = 1, kSignedB = 2, kShiftProduct = 4, kMerge = 8 };

/// CSFU corrects the upper half of a signed product whose two mixed products, each negative if its signed half is and
/// its unsigned half is not zero, are added as unsigned numbers.
std::uint32_t sign_correction(std::uint32_t a, std::uint32_t b) {
  const bool first = (a >> 31) != 0 && (b & 0xffff) != 0, second = (b >> 31) != 0 && (a & 0xffff) != 0;
  return (first ? 0x10000u : 0u) + (second ? 0x10000u : 0u);
}

std::uint32_t xmad_addend(std::uint8_t how, std::uint32_t a, std::uint32_t b, std::uint32_t value) {
  switch (how) {
    case add_low:
      return value & 0xffff;
    case add_high:
      return value >> 16;
    case add_signs:
      return value - sign_correction(a, b);
    case add_b_above:
      return value + (b << 16);
    default:
      return value;
  }
}

void exec_xmad(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, r0, r1, out;
  const std::uint32_t* whole_a = fetch_raw(c, op.src[0], r0);
  const std::uint32_t* whole_b = fetch_raw(c, op.src[1], r1);
  const std::uint32_t* a = fetch_half(c, op.src[0], (op.flags & kSignedA) != 0, s0);
  const std::uint32_t* b = fetch_half(c, op.src[1], (op.flags & kSignedB) != 0, s1);
  const std::uint32_t* addend = fetch_int(c, op.src[2], s2);
  std::uint32_t carry = 0;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t product = (op.flags & kShiftProduct) != 0 ? a[i] * b[i] << 16 : a[i] * b[i];
    const std::uint64_t sum = std::uint64_t{product} + xmad_addend(op.mode, whole_a[i], whole_b[i], addend[i]) +
                              ((op.flags & kReadsCc) != 0 ? c.warp.cc.carry >> i & 1 : 0);
    out.v[i] = static_cast<std::uint32_t>(sum);
    if ((op.flags & kMerge) != 0) out.v[i] = (out.v[i] & 0xffff) | whole_b[i] << 16;
    carry |= (sum >> 32 != 0 ? 1u : 0u) << i;
  }
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) == 0) return;
  set_result_codes(c, op, out, mask);
  set_carry_codes(c, carry, 0, 0, mask);
}
void decode_xmad(Decoder& d) {
  // The types of a and b are printed both, or not at all: then they are unsigned.
  std::vector<char> types;
  for (const std::string& name : d.instruction().modifiers)
    if (name == "S16" || name == "U16") types.push_back(name[0]);
  d.ignore({"S16", "U16"});
  if (!types.empty() && types.size() != 2) throw Unsupported{"operand types"};
  if (!types.empty()) d.op.flags = (types[0] == 'S' ? kSignedA : 0u) | (types[1] == 'S' ? kSignedB : 0u);
  d.op.flags |= (d.take("PSL") ? kShiftProduct : 0u) | (d.take("MRG") ? kMerge : 0u) | (d.take("X") ? kReadsCc : 0u);
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"", "CLO", "CHI", "CSFU", "CBCC"}, add_whole));
  d.op.dst = destination_cc(d);
  d.op.src[0] = half_source(d);
  d.op.src[1] = half_source(d);
  d.op.src[2] = d.source();
  d.op.execute = exec_xmad;
}

enum Flag : std::uint32_t { kUnsigned = 1 };

// Minimum and maximum. Of two 64-bit numbers, XHI compares the upper halves and leaves its choice in CC, by which XLO
// chooses between the lower halves.

enum Part : std::uint8_t { whole_number, lower_part, upper_part };

void exec_imnmx(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t minimum = c.predicate(op.psrc[0]);
  ConditionCodes& cc = c.warp.cc;
  std::uint32_t first = 0, equal = 0;
  for (int i = 0; i < 32; ++i) {
    const bool less =
        (op.flags & kUnsigned) != 0 ? a[i] < b[i] : static_cast<std::int32_t>(a[i]) < static_cast<std::int32_t>(b[i]);
    bool chosen = less == ((minimum >> i & 1) != 0);
    if (op.mode == lower_part && (cc.zero >> i & 1) == 0) chosen = (cc.carry >> i & 1) != 0;
    first |= (chosen ? 1u : 0u) << i;
    equal |= (a[i] == b[i] ? 1u : 0u) << i;
  }
  select_lanes(first, a, b, out);
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) == 0) return;
  set_result_codes(c, op, out, mask);
  set_carry_codes(c, first, 0, 0, mask);
  if (op.mode == upper_part) cc.zero = (cc.zero & ~mask) | (equal & mask);
}
void decode_imnmx(Decoder& d) {
  d.op.flags = d.take("U32") ? kUnsigned : 0u;
  d.ignore({"S32"});
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"", "XLO", "XHI"}, whole_number));
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_imnmx;
}

void decode_vabsdiff(Decoder& d) {
  d.ignore({"SD", "UD"});
  decode_as(d, d.instruction().opcode);
}

/// A minimum or maximum of two numbers, and one of the result and a third.
void exec_vmnmx(Context& c, const MicroOp& op, std::uint32_t mask) {
  const auto choose = [](std::uint32_t x, std::uint32_t y, bool is_unsigned, bool maximum) {
    const bool less = is_unsigned ? x < y : static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
    return less != maximum ? x : y;
  };
  const bool is_unsigned = (op.flags & kUnsigned) != 0, maximum = op.mode != 0;
  map3(c, op, mask, [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return choose(choose(x, y, is_unsigned, maximum), z, is_unsigned, op.mode2 != 0);
  });
}
void decode_vmnmx(Decoder& d) {
  const auto& names = d.instruction().modifiers;
  const auto unsigned_operands = std::count(names.begin(), names.end(), "U32");
  d.ignore({"U32", "S32"});
  const bool unsigned_result = d.take("UD");
  if (unsigned_operands != (unsigned_result ? 2 : 0)) throw Unsupported{"operands of different types"};
  d.op.flags = unsigned_result ? kUnsigned : 0u;
  d.op.mode = d.take("MX") ? 1 : 0;
  const int second = d.take_one_of({"MIN", "MAX"}, -1);
  if (second < 0) throw Unsupported{"this second operation"};
  d.op.mode2 = static_cast<std::uint8_t>(second);
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_vmnmx;
}

constexpr Semantics kRows[] = {
    sass64("XMAD", decode_xmad),
    sass64("IMNMX", decode_imnmx),
    sass64("VABSDIFF", decode_vabsdiff),
    sass64("VABSDIFF4", decode_vabsdiff),
    sass64("VMNMX", decode_vmnmx, Exactness::exact, "32-bit numbers of one type, with a minimum or maximum behind"),
};

}  // namespace

std::span<const Semantics> sass64_multiply_semantics() { return kRows; }

}  // namespace sassim::emu
