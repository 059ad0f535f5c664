// SPDX-License-Identifier: Apache-2.0
// Executes integer arithmetic, logic, comparisons, moves and selections.
#include <algorithm>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

enum Flag : std::uint32_t { kExtended = 1, kUnsigned = 2, kHigh = 4, kWide = 8, kSignExtendC = 16 };

// IADD3: up to two carries; a negated operand is added as its complement plus one.

[[gnu::always_inline]] inline std::uint64_t addend(std::uint32_t value, bool negate) {
  return negate ? std::uint64_t{~value} + 1 : std::uint64_t{value};
}

SASSIM_LANE_LOOP void exec_iadd3_carry(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s[3], out;
  const std::uint32_t* x[3];
  for (int k = 0; k < 3; ++k) {
    Source bits = op.src[k];
    bits.negate = false;
    x[k] = fetch_int(c, bits, s[k]);
  }
  const std::uint32_t in0 = (op.flags & kExtended) != 0 ? c.predicate(op.psrc[0]) : 0;
  const std::uint32_t in1 = (op.flags & kExtended) != 0 ? c.predicate(op.psrc[1]) : 0;
  const bool negate0 = op.src[0].negate, negate1 = op.src[1].negate, negate2 = op.src[2].negate;
  Lanes carries;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t sum = addend(x[0][i], negate0) + addend(x[1][i], negate1) + addend(x[2][i], negate2) +
                              (in0 >> i & 1) + (in1 >> i & 1);
    out.v[i] = static_cast<std::uint32_t>(sum);
    carries.v[i] = static_cast<std::uint32_t>(sum >> 32);
  }
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, gather_bits([&](int i) { return carries.v[i] != 0; }), mask);
  if (op.pdst2 != isa::kPT) c.write_predicate(op.pdst2, gather_bits([&](int i) { return carries.v[i] > 1; }), mask);
}

SASSIM_LANE_LOOP void exec_iadd3(Context& c, const MicroOp& op, std::uint32_t mask) {
  map3(c, op, mask, [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x + y + z; });
}

void decode_iadd3(Decoder& d) {
  MicroOp& op = d.op;
  op.flags = d.take("X") ? kExtended : 0u;
  op.dst = d.destination();
  op.pdst = d.optional_predicate_destination();
  op.pdst2 = d.optional_predicate_destination();
  for (int k = 0; k < 3; ++k) op.src[k] = d.source();
  op.psrc[0] = d.optional_predicate(false);
  op.psrc[1] = d.optional_predicate(false);
  const bool carries = op.flags != 0 || op.pdst != isa::kPT || op.pdst2 != isa::kPT;
  op.execute = carries ? exec_iadd3_carry : exec_iadd3;
}

// IMAD.

SASSIM_LANE_LOOP void exec_imad(Context& c, const MicroOp& op, std::uint32_t mask) {
  map3(c, op, mask, [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x * y + z; });
}

SASSIM_LANE_LOOP void exec_mov_c(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes a;
  const std::uint32_t* x = fetch_int(c, op.src[2], a);
  write_lanes(c, op.dst, mask, [&](int i) { return x[i]; });
}

SASSIM_LANE_LOOP void exec_imad_x(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2;
  const std::uint32_t* x = fetch_int(c, op.src[0], s0);
  const std::uint32_t* y = fetch_int(c, op.src[1], s1);
  const std::uint32_t* z = fetch_int(c, op.src[2], s2);
  const std::uint32_t carry = c.predicate(op.psrc[0]);
  write_lanes(c, op.dst, mask, [&](int i) { return x[i] * y[i] + z[i] + (carry >> i & 1); });
}

/// The 64-bit forms: all of a * b + c or its upper half, with a carry in and a carry out.
SASSIM_LANE_LOOP void exec_imad_wide(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  Lanes64 s2, out;
  const std::uint32_t* x = fetch_int(c, op.src[0], s0);
  const std::uint32_t* y = fetch_int(c, op.src[1], s1);
  const std::uint64_t* z = fetch64(c, op.src[2], s2, false);
  if ((op.flags & kUnsigned) != 0)
    for (int i = 0; i < 32; ++i) out.v[i] = std::uint64_t{x[i]} * y[i] + z[i];
  else
    for (int i = 0; i < 32; ++i)
      out.v[i] =
          static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x[i])} * static_cast<std::int32_t>(y[i])) +
          z[i];
  if ((op.flags & kExtended) != 0) {
    const std::uint32_t carry = c.predicate(op.psrc[0]);
    for (int i = 0; i < 32; ++i) out.v[i] += carry >> i & 1;
  }
  if (op.pdst != isa::kPT) {
    const std::uint32_t carry = (op.flags & kExtended) != 0 ? c.predicate(op.psrc[0]) : 0;
    c.write_predicate(op.pdst, gather_bits([&](int i) {
                        const std::uint64_t addend = z[i], sum = out.v[i];
                        return sum < addend || ((carry >> i & 1) != 0 && sum == addend);
                      }),
                      mask);
  }
  if ((op.flags & kWide) != 0) return c.write64(op.dst, out, mask);
  write_lanes(c, op.dst, mask, [&](int i) { return static_cast<std::uint32_t>(out.v[i] >> 32); });
}

void decode_imad(Decoder& d) {
  MicroOp& op = d.op;
  const bool wide = d.take("WIDE"), high = d.take("HI"), extended = d.take("X"), move = d.take("MOV");
  if (d.take("U32")) op.flags |= kUnsigned;
  d.ignore({"IADD", "SHL"});
  op.flags |= (wide ? kWide : 0u) | (high ? kHigh : 0u) | (extended ? kExtended : 0u);
  op.dst = d.destination();
  op.pdst = d.optional_predicate_destination();
  for (int k = 0; k < 3; ++k) op.src[k] = d.source();
  op.psrc[0] = d.optional_predicate(false);
  if (op.pdst != isa::kPT && !wide && !high) throw Unsupported{"a carry out of a 32-bit multiply"};
  const bool only_c = move && op.src[0].kind == SourceKind::zero && op.src[1].kind == SourceKind::zero;
  op.execute = wide || high ? exec_imad_wide : extended ? exec_imad_x : only_c ? exec_mov_c : exec_imad;
}

void decode_imul(Decoder& d) {
  MicroOp& op = d.op;
  const bool wide = d.take("WIDE"), high = d.take("HI");
  if (d.take("U32")) op.flags |= kUnsigned;
  op.flags |= (wide ? kWide : 0u) | (high ? kHigh : 0u);
  op.dst = d.destination();
  op.src[0] = d.source();
  op.src[1] = d.source();
  op.execute = wide || high ? exec_imad_wide : exec_imad;
}

// LEA: (a << s) + b, or the upper half of ({c, a} << s) plus b. A sign before a belongs to the whole shifted pair: with
// '-' it is subtracted, with '~', or '-' and a carry in, its complement is added.

SASSIM_LANE_LOOP void exec_lea(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  Source b = op.src[1], a = op.src[0];
  const bool negate = b.negate, complement = a.invert || (a.negate && (op.flags & kExtended) != 0);
  const bool subtract = a.negate && !complement;
  b.negate = a.negate = a.invert = false;
  const std::uint32_t* x = fetch_int(c, a, s0);
  const std::uint32_t* y = fetch_int(c, b, s1);
  const std::uint32_t* z = fetch_int(c, op.src[2], s2);
  const std::uint32_t flags = op.flags, shift = op.mode;
  if ((flags & (kHigh | kExtended)) == 0 && op.pdst == isa::kPT && !complement && !subtract && !negate)
    return write_lanes(c, op.dst, mask, [&](int i) { return (x[i] << shift) + y[i]; });
  const std::uint32_t carry_in = (flags & kExtended) != 0 ? c.predicate(op.psrc[0]) : 0;
  Lanes carries;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t upper =
        (flags & kSignExtendC) != 0 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(x[i]) >> 31) : z[i];
    const std::uint64_t pair = ((flags & kHigh) != 0 ? std::uint64_t{upper} << 32 : 0) | x[i];
    std::uint64_t shifted = pair << shift;
    if (complement) shifted = ~shifted;
    if (subtract) shifted = 0 - shifted;
    const std::uint32_t part = static_cast<std::uint32_t>((flags & kHigh) != 0 ? shifted >> 32 : shifted);
    const std::uint64_t sum = std::uint64_t{part} + addend(y[i], negate) + (carry_in >> i & 1);
    out.v[i] = static_cast<std::uint32_t>(sum);
    carries.v[i] = static_cast<std::uint32_t>(sum >> 32);
  }
  c.write(op.dst, out, mask);
  if (op.pdst != isa::kPT) c.write_predicate(op.pdst, gather_bits([&](int i) { return carries.v[i] != 0; }), mask);
}

void decode_lea(Decoder& d) {
  MicroOp& op = d.op;
  if (d.take("HI")) op.flags |= kHigh;
  if (d.take("X")) op.flags |= kExtended;
  if (d.take("SX32")) op.flags |= kSignExtendC;
  op.dst = d.destination();
  op.pdst = d.optional_predicate_destination();
  op.src[0] = d.source();
  op.src[1] = d.source();
  if ((op.flags & kHigh) != 0 && (op.flags & kSignExtendC) == 0) op.src[2] = d.source();
  op.mode = static_cast<std::uint8_t>(d.immediate() & 31);
  op.psrc[0] = d.optional_predicate(false);
  op.execute = exec_lea;
}

// LOP3, LOP.

[[gnu::always_inline]] inline void lop3(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* d,
                                        Lanes& out, std::uint8_t table) {
  const auto loop = [&](auto f) {
    for (int i = 0; i < 32; ++i) out.v[i] = f(a[i], b[i], d[i]);
  };
  switch (table) {
    case 0xc0:
      return loop([](auto x, auto y, auto) { return x & y; });
    case 0xfc:
      return loop([](auto x, auto y, auto) { return x | y; });
    case 0x3c:
      return loop([](auto x, auto y, auto) { return x ^ y; });
    case 0x96:
      return loop([](auto x, auto y, auto z) { return x ^ y ^ z; });
    case 0xf8:
      return loop([](auto x, auto y, auto z) { return x | (y & z); });
    default:
      break;
  }
  std::uint32_t terms[8];
  for (unsigned k = 0; k < 8; ++k) terms[k] = (table >> k & 1) != 0 ? 0xffffffffu : 0u;
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t x = a[i], y = b[i], z = d[i];
    const std::uint32_t high = (y & ((z & terms[7]) | (~z & terms[6]))) | (~y & ((z & terms[5]) | (~z & terms[4])));
    const std::uint32_t low = (y & ((z & terms[3]) | (~z & terms[2]))) | (~y & ((z & terms[1]) | (~z & terms[0])));
    out.v[i] = (x & high) | (~x & low);
  }
}

SASSIM_LANE_LOOP void exec_lop3(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  lop3(fetch_int(c, op.src[0], s0), fetch_int(c, op.src[1], s1), fetch_int(c, op.src[2], s2), out, op.mode);
  c.write(op.dst, out, mask);
  if (op.pdst == isa::kPT) return;
  const std::uint32_t nonzero = gather_bits([&](int i) { return out.v[i] != 0; });
  const std::uint32_t with = c.predicate(op.psrc[0]);
  c.write_predicate(op.pdst, op.mode2 != 0 ? nonzero & with : nonzero | with, mask);
}

void decode_lop3(Decoder& d) {
  MicroOp& op = d.op;
  d.ignore({"LUT"});
  op.mode2 = d.take("PAND") ? 1 : 0;
  op.pdst = d.optional_predicate_destination();
  op.dst = d.destination();
  for (int k = 0; k < 3; ++k) op.src[k] = d.source();
  op.mode = static_cast<std::uint8_t>(d.immediate());
  op.psrc[0] = d.optional_predicate(false);
  op.execute = exec_lop3;
}

// Comparisons.

enum Compare : std::uint8_t { cmp_f, cmp_lt, cmp_eq, cmp_le, cmp_gt, cmp_ne, cmp_ge, cmp_t };

template <class T>
[[gnu::always_inline]] inline std::uint32_t compare(std::uint8_t how, const std::uint32_t* a, const std::uint32_t* b) {
  const auto loop = [&](auto f) {
    return gather_bits([&](int i) { return f(static_cast<T>(a[i]), static_cast<T>(b[i])); });
  };
  switch (how) {
    case cmp_lt:
      return loop([](T x, T y) { return x < y; });
    case cmp_eq:
      return loop([](T x, T y) { return x == y; });
    case cmp_le:
      return loop([](T x, T y) { return x <= y; });
    case cmp_gt:
      return loop([](T x, T y) { return x > y; });
    case cmp_ne:
      return loop([](T x, T y) { return x != y; });
    case cmp_ge:
      return loop([](T x, T y) { return x >= y; });
    default:
      return how == cmp_t ? kAllLanes : 0u;
  }
}

SASSIM_LANE_LOOP void exec_isetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const auto evaluate = [&](std::uint8_t how) {
    return (op.flags & kUnsigned) != 0 ? compare<std::uint32_t>(how, a, b) : compare<std::int32_t>(how, a, b);
  };
  std::uint32_t bits = 0;
  if ((op.flags & kExtended) == 0) {
    bits = evaluate(op.mode);
  } else {  // this instruction compares the upper halves; psrc[1] is the result for the lower halves
    const std::uint32_t lower = c.predicate(op.psrc[1]), equal = evaluate(cmp_eq);
    switch (op.mode) {
      case cmp_lt:
      case cmp_le:
        bits = evaluate(cmp_lt) | (equal & lower);
        break;
      case cmp_gt:
      case cmp_ge:
        bits = evaluate(cmp_gt) | (equal & lower);
        break;
      case cmp_eq:
        bits = equal & lower;
        break;
      case cmp_ne:
        bits = ~equal | lower;
        break;
      default:
        bits = evaluate(op.mode);
        break;
    }
  }
  write_comparison(c, op, mask, bits);
}

void decode_isetp(Decoder& d) {
  MicroOp& op = d.op;
  op.mode = static_cast<std::uint8_t>(d.take_one_of({"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"}, cmp_f));
  op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0));
  op.flags = (d.take("U32") ? kUnsigned : 0u) | (d.take("EX") ? kExtended : 0u);
  op.pdst = d.predicate_destination();
  op.pdst2 = d.predicate_destination();
  op.src[0] = d.source();
  op.src[1] = d.source();
  op.psrc[0] = d.optional_predicate(true);
  op.psrc[1] = d.optional_predicate(true);
  op.execute = exec_isetp;
}

// Moves and selections.

SASSIM_LANE_LOOP void exec_mov(Context& c, const MicroOp& op, std::uint32_t mask) {
  map1(c, op, mask, [](std::uint32_t x) { return x; });
}
void decode_mov(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  if (d.left() > 0 && d.immediate() != 0xf) throw Unsupported{"MOV of some bytes"};
  d.op.execute = exec_mov;
}

SASSIM_LANE_LOOP void exec_sel(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t first = c.predicate(op.psrc[0]);
  select_lanes(first, a, b, out);
  c.write(op.dst, out, mask);
}
void decode_sel(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_sel;
}

SASSIM_LANE_LOOP void exec_iabs(Context& c, const MicroOp& op, std::uint32_t mask) {
  map1(c, op, mask, [](std::uint32_t x) { return (x >> 31) != 0 ? 0u - x : x; });
}
void decode_iabs(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_iabs;
}

// VABSDIFF, IDP.

SASSIM_LANE_LOOP void exec_vabsdiff(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool is_unsigned = (op.flags & kUnsigned) != 0;
  map3(c, op, mask, [is_unsigned](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const bool less = is_unsigned ? x < y : static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
    return (less ? y - x : x - y) + z;
  });
}
SASSIM_LANE_LOOP void exec_vabsdiff4(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool is_unsigned = (op.flags & kUnsigned) != 0, accumulate = op.mode != 0;
  map3(c, op, mask, [=](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    std::uint32_t packed = 0, sum = z;
    for (unsigned k = 0; k < 32; k += 8) {
      const int a = is_unsigned ? static_cast<int>(x >> k & 255) : static_cast<std::int8_t>(x >> k);
      const int b = is_unsigned ? static_cast<int>(y >> k & 255) : static_cast<std::int8_t>(y >> k);
      const auto difference = static_cast<std::uint32_t>(a < b ? b - a : a - b);
      packed |= (difference & 255) << k;
      sum += difference;
    }
    return accumulate ? sum : packed;
  });
}
void decode_vabsdiff(Decoder& d) {
  d.op.flags = d.take("U32") || d.take("U8") ? kUnsigned : 0u;
  d.op.mode = d.take("ACC") ? 1 : 0;
  d.ignore({"S32", "S8"});
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = d.instruction().opcode == "VABSDIFF4" ? exec_vabsdiff4 : exec_vabsdiff;
}

enum DotFlag : std::uint32_t { kSignedA = 1, kSignedB = 2, kTwoWay = 4, kUpper = 8 };

std::int32_t extend(std::uint32_t value, unsigned shift, unsigned bits, bool is_signed) {
  const std::uint32_t field = value >> shift & ((1u << bits) - 1);
  const std::uint32_t sign = 1u << (bits - 1);
  return static_cast<std::int32_t>(is_signed ? (field ^ sign) - sign : field);
}

/// Dot products of four pairs of bytes, or of two 16-bit values of a with the lower or upper two bytes of b.
SASSIM_LANE_LOOP void exec_idp(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t flags = op.flags;
  map3(c, op, mask, [flags](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    std::uint32_t sum = z;
    const bool sa = (flags & kSignedA) != 0, sb = (flags & kSignedB) != 0;
    if ((flags & kTwoWay) != 0) {
      const unsigned first = (flags & kUpper) != 0 ? 16 : 0;
      for (unsigned k = 0; k < 2; ++k)
        sum += static_cast<std::uint32_t>(extend(x, 16 * k, 16, sa) * extend(y, first + 8 * k, 8, sb));
    } else {
      for (unsigned k = 0; k < 32; k += 8) sum += static_cast<std::uint32_t>(extend(x, k, 8, sa) * extend(y, k, 8, sb));
    }
    return sum;
  });
}
void decode_idp(Decoder& d) {
  MicroOp& op = d.op;
  const auto& names = d.instruction().modifiers;
  std::vector<std::string_view> types;
  for (const std::string& name : names)
    if (name.size() >= 2 && (name[0] == 'S' || name[0] == 'U') && (name[1] == '8' || name[1] == '1'))
      types.push_back(name);
  if (types.size() != 2) throw Unsupported{"operand types"};
  op.flags = (types[0][0] == 'S' ? kSignedA : 0u) | (types[1][0] == 'S' ? kSignedB : 0u);
  if (d.take("2A")) op.flags |= kTwoWay;
  if (d.take("HI")) op.flags |= kUpper;
  d.ignore({"4A", "LO", "S8", "U8", "S16", "U16"});
  op.dst = d.destination();
  for (int k = 0; k < 3; ++k) op.src[k] = d.source();
  op.execute = exec_idp;
}

constexpr Semantics kRows[] = {
    {"IADD3", decode_iadd3},
    {"IMAD", decode_imad},
    {"IMUL", decode_imul},
    {"LEA", decode_lea},
    {"LOP3", decode_lop3},
    {"ISETP", decode_isetp},
    {"MOV", decode_mov},
    {"SEL", decode_sel},
    {"IABS", decode_iabs},
    {"VABSDIFF", decode_vabsdiff},
    {"VABSDIFF4", decode_vabsdiff},
    {"IDP", decode_idp},
};

}  // namespace

std::span<const Semantics> integer_semantics() { return kRows; }

}  // namespace sassim::emu
