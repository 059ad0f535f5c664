// SPDX-License-Identifier: Apache-2.0
// Executes logic and comparisons of 64-bit instructions (Kepler to Pascal).
#include <array>
#include <bit>

#include "sim/emu/exec/float_compare.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/sass64.h"

namespace sassim::emu {
namespace {

// The first fifteen have the numbers of comparisons of floats, whose unordered result is "both zero and negative".
constexpr std::array<std::string_view, 24> kCcTests = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                                       "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
                                                       "OFF", "LO",  "SFF", "LS",  "HI",  "SFT", "HS",  "OFT"};
enum CcNumber : std::uint8_t {
  cc_f,
  cc_lt,
  cc_eq,
  cc_le,
  cc_gt,
  cc_ne,
  cc_ge,
  cc_num,
  cc_nan,
  cc_ltu,
  cc_equ,
  cc_leu,
  cc_gtu,
  cc_neu,
  cc_geu,
  cc_t,
  cc_off,
  cc_lo,
  cc_sff,
  cc_ls,
  cc_hi,
  cc_sft,
  cc_hs,
  cc_oft
};

}  // namespace

CcTest take_cc_test(std::string_view name) {
  for (std::size_t i = 0; i < kCcTests.size(); ++i)
    if (kCcTests[i] == name) return static_cast<CcTest>(i);
  throw Unsupported{"this test of CC"};
}

std::uint32_t cc_truth(const ConditionCodes& cc, CcTest test) {
  const std::uint32_t z = cc.zero, s = cc.sign, carry = cc.carry, o = cc.overflow;
  switch (test) {
    case cc_lt:
      return (s & ~z) ^ o;
    case cc_eq:
      return z & ~s;
    case cc_le:
      return s ^ (z | o);
    case cc_gt:
      return ~z & ~(s ^ o);
    case cc_ne:
      return ~z;
    case cc_ge:
      return ~(s ^ o);
    case cc_num:
      return ~z | ~s;
    case cc_nan:
      return z & s;
    case cc_ltu:
      return s ^ o;
    case cc_equ:
      return z;
    case cc_leu:
      return z | (s ^ o);
    case cc_gtu:
      return ~s ^ (z | o);
    case cc_neu:
      return ~z | s;
    case cc_geu:
      return (~s | z) ^ o;
    case cc_off:
      return ~o;
    case cc_lo:
      return ~carry;
    case cc_sff:
      return ~s;
    case cc_ls:
      return z | ~carry;
    case cc_hi:
      return carry & ~z;
    case cc_sft:
      return s;
    case cc_hs:
      return carry;
    case cc_oft:
      return o;
    default:
      return test == cc_t ? kAllLanes : 0u;
  }
}

std::uint8_t take_integer_comparison(Decoder& d) {
  return static_cast<std::uint8_t>(d.take_one_of({"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"}, 0));
}

std::uint32_t compare_integers(Context& c, const MicroOp& op, const std::uint32_t* a, const std::uint32_t* b,
                               bool is_unsigned) {
  enum Relation : std::uint8_t { less = 1, equal = 2, greater = 4 };
  const bool extended = (op.flags & kReadsCc) != 0;
  std::uint32_t bits = 0;
  for (int i = 0; i < 32; ++i) {
    const bool below = is_unsigned ? a[i] < b[i] : static_cast<std::int32_t>(a[i]) < static_cast<std::int32_t>(b[i]);
    std::uint8_t relation = a[i] == b[i] ? equal : below ? less : greater;
    // The lower halves were subtracted: without a carry the first one was less.
    if (extended && relation == equal && (c.warp.cc.zero >> i & 1) == 0)
      relation = (c.warp.cc.carry >> i & 1) != 0 ? greater : less;
    bits |= ((op.mode & relation) != 0 ? 1u : 0u) << i;
  }
  return bits;
}

void decode_as(Decoder& d, std::string_view mnemonic) {
  find_semantics(mnemonic, isa::InstructionSet::sass128)->decode(d);
}

namespace {

enum Flag : std::uint32_t { kUnsigned = 1, kBooleanFloat = 2, kFlush = 4 };

std::uint8_t take_join(Decoder& d) { return static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0)); }

/// A truth value per lane as a register: all ones, or 1.0.
void write_truth(Context& c, const MicroOp& op, std::uint32_t bits, std::uint32_t mask) {
  const std::uint32_t yes = (op.flags & kBooleanFloat) != 0 ? 0x3f800000u : 0xffffffffu;
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = (bits >> i & 1) != 0 ? yes : 0;
  c.write(op.dst, out, mask);
  if ((op.flags & kSetsCc) == 0) return;
  MicroOp plain = op;
  plain.flags &= ~std::uint32_t{kReadsCc};  // the result is a truth value, not the upper half of a number
  set_result_codes(c, plain, out, mask);
  set_carry_codes(c, 0, 0, 0, mask);
}

// LOP, LOP32I, LOP3.

enum Logic : std::uint8_t { logic_and, logic_or, logic_xor, logic_b };

/// Writes the result, CC, and a predicate that says whether it is zero (mode2 1) or not (mode2 2).
void write_logic(Context& c, const MicroOp& op, const Lanes& out, std::uint32_t mask) {
  c.write(op.dst, out, mask);
  std::uint32_t nonzero = gather_bits([&](int i) { return out.v[i] != 0; });
  if ((op.flags & kReadsCc) != 0) nonzero |= ~c.warp.cc.zero;  // the upper half of a longer number
  const std::uint32_t truths[] = {0, ~nonzero, nonzero, kAllLanes};
  c.write_predicate(op.pdst, truths[op.mode2], mask);
  if ((op.flags & kSetsCc) != 0) set_result_codes(c, op, out, mask);
}

void exec_lop(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  for (int i = 0; i < 32; ++i)
    out.v[i] = op.mode == logic_and   ? a[i] & b[i]
               : op.mode == logic_or  ? a[i] | b[i]
               : op.mode == logic_xor ? a[i] ^ b[i]
                                      : b[i];
  write_logic(c, op, out, mask);
}
void decode_lop(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR", "PASS_B"}, logic_and));
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"", "Z", "NZ", "T"}, 0));
  d.op.flags = d.take("X") ? kReadsCc : 0u;
  if (d.next_is(isa::OperandKind::pred)) d.op.pdst = d.predicate_destination();
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_lop;
}

void exec_lop3(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s[3], out;
  const std::uint32_t* x[3];
  for (int k = 0; k < 3; ++k) x[k] = fetch_int(c, op.src[k], s[k]);
  for (int i = 0; i < 32; ++i) {
    std::uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
      if ((op.mode >> k & 1) != 0)
        result |= ((k & 4) != 0 ? x[0][i] : ~x[0][i]) & ((k & 2) != 0 ? x[1][i] : ~x[1][i]) &
                  ((k & 1) != 0 ? x[2][i] : ~x[2][i]);
    out.v[i] = result;
  }
  write_logic(c, op, out, mask);
}
void decode_lop3(Decoder& d) {
  const isa::Instruction& in = d.instruction();
  const bool result_only =
      !in.has("Z") && !in.has("NZ") && !in.has("T") && !in.has("X") && !in.operands.front().has("CC");
  if (result_only) return decode_as(d, "LOP3");
  d.ignore({"LUT"});
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"", "Z", "NZ", "T"}, 0));
  d.op.flags = d.take("X") ? kReadsCc : 0u;
  if (d.next_is(isa::OperandKind::pred)) d.op.pdst = d.predicate_destination();
  d.op.dst = destination_cc(d);
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.mode = static_cast<std::uint8_t>(d.immediate());
  d.op.execute = exec_lop3;
}

// Comparisons of integers: ISETP, ISET, and ICMP, which compares c with zero to choose a or b.

std::uint32_t compare_sources(Context& c, const MicroOp& op) {
  Lanes s0, s1;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  return compare_integers(c, op, a, fetch_int(c, op.src[1], s1), (op.flags & kUnsigned) != 0);
}

void decode_integer_modifiers(Decoder& d) {
  d.op.mode = take_integer_comparison(d);
  d.op.mode2 = take_join(d);
  d.op.flags = (d.take("U32") ? kUnsigned : 0u) | (d.take("X") ? kReadsCc : 0u) | (d.take("BF") ? kBooleanFloat : 0u);
  d.ignore({"S32"});
}

void exec_isetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_comparison(c, op, mask, compare_sources(c, op));
}
void decode_isetp(Decoder& d) {
  decode_integer_modifiers(d);
  d.op.pdst = d.predicate_destination();
  d.op.pdst2 = d.predicate_destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_isetp;
}

void exec_iset(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_truth(c, op, join(op.mode2, compare_sources(c, op), c.predicate(op.psrc[0])), mask);
}
void decode_iset(Decoder& d) {
  decode_integer_modifiers(d);
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_iset;
}

void exec_icmp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t* tested = fetch_int(c, op.src[2], s2);
  select_lanes(compare_integers(c, op, tested, kZeroLanes.v, (op.flags & kUnsigned) != 0), a, b, out);
  c.write(op.dst, out, mask);
}
void decode_icmp(Decoder& d) {
  decode_integer_modifiers(d);
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_icmp;
}

// Comparisons of floats.

std::uint32_t compare_singles(const MicroOp& op, const std::uint32_t* a, const std::uint32_t* b) {
  const auto value = [&](std::uint32_t bits) {
    return std::bit_cast<float>((op.flags & kFlush) != 0 ? flushed_f32(bits) : bits);
  };
  return gather_bits([&](int i) { return compare_floats(op.mode, value(a[i]), value(b[i])); });
}

void exec_fset(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const std::uint32_t* a = fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = fetch_f32(c, op.src[1], s1);
  write_truth(c, op, join(op.mode2, compare_singles(op, a, b), c.predicate(op.psrc[0])), mask);
}
void exec_dset(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 s0, s1;
  const std::uint64_t* a = fetch64(c, op.src[0], s0, true);
  const std::uint64_t* b = fetch64(c, op.src[1], s1, true);
  const std::uint32_t bits = gather_bits(
      [&](int i) { return compare_floats(op.mode, std::bit_cast<double>(a[i]), std::bit_cast<double>(b[i])); });
  write_truth(c, op, join(op.mode2, bits, c.predicate(op.psrc[0])), mask);
}
void decode_float_set(Decoder& d) {
  const bool wide = d.instruction().opcode == "DSET";
  d.op.mode = take_float_comparison(d);
  d.op.mode2 = take_join(d);
  d.op.flags = (d.take("FTZ") ? kFlush : 0u) | (d.take("BF") ? kBooleanFloat : 0u);
  d.op.dst = destination_cc(d);
  for (int k = 0; k < 2; ++k) d.op.src[k] = wide ? d.source_f64() : d.source_f32();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = wide ? exec_dset : exec_fset;
}

void exec_fcmp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = fetch_f32(c, op.src[1], s1);
  const std::uint32_t* tested = fetch_f32(c, op.src[2], s2);
  select_lanes(compare_singles(op, tested, kZeroLanes.v), a, b, out);
  c.write(op.dst, out, mask);
}
void decode_fcmp(Decoder& d) {
  d.op.mode = take_float_comparison(d, fcmp_gt);
  d.op.flags = d.take("FTZ") ? kFlush : 0u;
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source_f32();
  d.op.execute = exec_fcmp;
}

/// A NaN is never the result if the other operand is a number.
void exec_dmnmx(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 s0, s1, out;
  const std::uint64_t* a = fetch64(c, op.src[0], s0, true);
  const std::uint64_t* b = fetch64(c, op.src[1], s1, true);
  const std::uint32_t minimum = c.predicate(op.psrc[0]);
  const auto order = [](std::uint64_t x) {
    return static_cast<std::int64_t>((x >> 63) != 0 ? ~(x & ~(std::uint64_t{1} << 63)) : x);
  };
  for (int i = 0; i < 32; ++i) {
    const bool first = (order(a[i]) < order(b[i])) == ((minimum >> i & 1) != 0);
    out.v[i] = is_nan_f64(a[i]) ? b[i] : is_nan_f64(b[i]) || first ? a[i] : b[i];
  }
  c.write64(op.dst, out, mask);
}
void decode_dmnmx(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f64();
  d.op.src[1] = d.source_f64();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_dmnmx;
}

// Logic of predicates: (a op b) op2 c.

std::uint32_t join_three(Context& c, const MicroOp& op, bool complement) {
  const std::uint32_t first = join(op.mode, c.predicate(op.psrc[0]), c.predicate(op.psrc[1]));
  return join(op.mode2, complement ? ~first : first, c.predicate(op.psrc[2]));
}

void exec_psetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t first = join_three(c, op, false), second = join_three(c, op, true);
  c.write_predicate(op.pdst, first, mask);
  c.write_predicate(op.pdst2, second, mask);
}
void exec_pset(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_truth(c, op, join_three(c, op, false), mask);
}
void decode_predicate_set(Decoder& d) {
  // Both operations are printed, also if they are the same.
  constexpr std::array<std::string_view, 3> kJoins = {"AND", "OR", "XOR"};
  std::array<std::uint8_t, 2> operations{};
  std::size_t found = 0;
  for (const std::string& name : d.instruction().modifiers)
    for (std::size_t k = 0; k < kJoins.size(); ++k)
      if (name == kJoins[k] && found < operations.size()) operations[found++] = static_cast<std::uint8_t>(k);
  d.ignore({"AND", "OR", "XOR"});
  d.op.mode = operations[0];
  d.op.mode2 = operations[1];
  d.op.flags = d.take("BF") ? kBooleanFloat : 0u;
  const bool to_predicates = d.instruction().opcode == "PSETP";
  if (to_predicates) {
    d.op.pdst = d.predicate_destination();
    d.op.pdst2 = d.predicate_destination();
  } else {
    d.op.dst = destination_cc(d);
  }
  for (int k = 0; k < 3; ++k) d.op.psrc[k] = d.predicate();
  d.op.execute = to_predicates ? exec_psetp : exec_pset;
}

// Tests of CC.

void exec_csetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_comparison(c, op, mask, cc_truth(c.warp.cc, op.mode));
}
void exec_cset(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_truth(c, op, join(op.mode2, cc_truth(c.warp.cc, op.mode), c.predicate(op.psrc[0])), mask);
}
void decode_cc_set(Decoder& d) {
  if (d.instruction().modifiers.empty()) throw Unsupported{"no test of CC"};
  const std::string& test = d.instruction().modifiers.front();
  d.op.mode = take_cc_test(test);
  d.take(test);
  d.op.mode2 = take_join(d);
  d.op.flags = d.take("BF") ? kBooleanFloat : 0u;
  const bool to_predicates = d.instruction().opcode == "CSETP";
  if (to_predicates) {
    d.op.pdst = d.predicate_destination();
    d.op.pdst2 = d.predicate_destination();
  } else {
    d.op.dst = destination_cc(d);
  }
  if (d.next().text != "CC") throw Unsupported{"an operand that is not CC"};
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = to_predicates ? exec_csetp : exec_cset;
}

constexpr Semantics kRows[] = {
    sass64("LOP", decode_lop),        sass64("LOP32I", decode_lop),          sass64("LOP3", decode_lop3),
    sass64("ISETP", decode_isetp),    sass64("ISET", decode_iset),           sass64("ICMP", decode_icmp),
    sass64("FSET", decode_float_set), sass64("DSET", decode_float_set),      sass64("FCMP", decode_fcmp),
    sass64("DMNMX", decode_dmnmx),    sass64("PSETP", decode_predicate_set), sass64("PSET", decode_predicate_set),
    sass64("CSETP", decode_cc_set),   sass64("CSET", decode_cc_set),
};

}  // namespace

std::span<const Semantics> sass64_logic_semantics() { return kRows; }

}  // namespace sassim::emu
