// SPDX-License-Identifier: Apache-2.0
// Executes arithmetic on pairs of 16-bit floating-point numbers. `part` of a source says which half each half of the
// result reads.
#include <fmt/format.h>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_compare.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/isa/exact_immediates.h"

namespace sassim::emu {
namespace {

enum Flag : std::uint32_t {
  kBfloat = 1,
  kSaturate = 2,
  kRelu = 4,
  kToFloat = 8,
  kBooleanFloat = 16,
  kBothHalves = 32,
  kPropagateNan = 64,
  kXorSign = 128,
  kFlush = 256,
};
enum Part : std::uint8_t { part_both, part_low, part_high, part_float };

std::uint16_t encode(const MicroOp& op, double value) {
  const auto narrow = static_cast<float>(value);
  return (op.flags & kBfloat) != 0 ? float_to_bfloat(narrow) : float_to_half(narrow);
}

/// An immediate is printed as two numbers, upper half first.
Source source16(Decoder& d) {
  if (d.next_is(isa::OperandKind::fimm)) {
    Source source;
    source.kind = SourceKind::imm;
    const auto value = [&] { return std::bit_cast<double>(d.next().value); };
    const std::uint32_t high = encode(d.op, value());
    source.value = high;
    if (d.next_is(isa::OperandKind::fimm)) source.value = high << 16 | encode(d.op, value());
    // The printed text lacks a NaN's payload, and short immediates have no room for one.
    const bool whole = d.set() == isa::InstructionSet::sass128 || d.instruction().opcode.ends_with("32I");
    if (d.instruction().low != 0 && whole) source.value = isa::encoded_immediate(d.instruction(), d.architecture());
    return source;
  }
  const isa::Operand* operand =
      d.left() > 0 ? &d.instruction().operands[d.instruction().operands.size() - d.left()] : nullptr;
  Source source = d.source();
  for (const std::string& suffix : operand->suffixes) {
    if (suffix == "H0_H0")
      source.part = part_low;
    else if (suffix == "H1_H1")
      source.part = part_high;
    else if (suffix == "F32")
      source.part = part_float;
    else if (suffix != "H1_H0" && suffix != "H0_H1")
      throw Unsupported{fmt::format("part '.{}'", suffix)};
  }
  return source;
}

std::uint32_t arrange(const MicroOp& op, const Source& source, std::uint32_t value) {
  if (source.part == part_low) value = (value & 0xffff) * 0x10001u;
  if (source.part == part_high) value = (value >> 16) * 0x10001u;
  if (source.part == part_float) {  // rounded towards zero; sm_70 and sm_75 have no other instruction for this
    const float wide = std::bit_cast<float>(value);
    value = ((op.flags & kBfloat) != 0 ? float_to_bfloat_rz(wide) : float_to_half_rz(wide)) * 0x10001u;
  }
  if (source.absolute) value &= 0x7fff7fffu;
  if (source.negate) value ^= 0x80008000u;
  return value;
}

void fetch16(Context& c, const MicroOp& op, int k, Lanes& to) {
  Lanes scratch;
  const Source& source = op.src[k];
  const std::uint32_t* raw = fetch_raw(c, source, scratch);
  if (source.part == part_both && !source.negate && !source.absolute) {
    std::memcpy(to.v, raw, sizeof to.v);
    return;
  }
  for (int i = 0; i < 32; ++i) to.v[i] = arrange(op, source, raw[i]);
}

std::uint16_t finish(const MicroOp& op, std::uint16_t value) {
  const std::uint16_t infinity = (op.flags & kBfloat) != 0 ? 0x7f80 : 0x7c00,
                      one = (op.flags & kBfloat) != 0 ? 0x3f80 : 0x3c00;
  const bool nan = (value & 0x7fff) > infinity, negative = (value & 0x8000) != 0;
  if ((op.flags & kSaturate) != 0) return nan || negative ? 0 : value > one ? one : value;
  if ((op.flags & kRelu) != 0 && negative && !nan) return 0;
  return value;
}

using Word = std::uint16_t;

void write_halves(Context& c, const MicroOp& op, std::uint32_t mask, Lanes& out) {
  if ((op.flags & (kSaturate | kRelu)) != 0)
    for (std::uint32_t& v : out.v)
      v = std::uint32_t{finish(op, static_cast<Word>(v >> 16))} << 16 | finish(op, static_cast<Word>(v));
  c.write(op.dst, out, mask);
}

template <class F>
void each_half(Context& c, const MicroOp& op, std::uint32_t mask, int operands, F f) {
  Lanes in[3], out;
  for (int k = 0; k < operands; ++k) fetch16(c, op, k, in[k]);
  for (int k = operands; k < 3; ++k) in[k] = Lanes{};
  for (int i = 0; i < 32; ++i) {
    const auto part = [&](int shift) {
      const std::uint16_t value =
          f(static_cast<std::uint16_t>(in[0].v[i] >> shift), static_cast<std::uint16_t>(in[1].v[i] >> shift),
            static_cast<std::uint16_t>(in[2].v[i] >> shift));
      return std::uint32_t{value} << shift;
    };
    out.v[i] = part(16) | part(0);
  }
  write_halves(c, op, mask, out);
}

void exec_hadd2(Context& c, const MicroOp& op, std::uint32_t mask) {
  if ((op.flags & kBfloat) != 0)
    return each_half(c, op, mask, 2, [](Word a, Word b, Word) { return fma_bfloat(a, 0x3f80, b); });
  Lanes a, b;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  add_f16x2(a.v, b.v, a.v);
  write_halves(c, op, mask, a);
}
void exec_hmul2(Context& c, const MicroOp& op, std::uint32_t mask) {
  if ((op.flags & kBfloat) != 0)
    return each_half(c, op, mask, 2, [](Word a, Word b, Word) { return fma_bfloat(a, b, 0x8000); });
  Lanes a, b;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  mul_f16x2(a.v, b.v, a.v);
  write_halves(c, op, mask, a);
}
void exec_hfma2(Context& c, const MicroOp& op, std::uint32_t mask) {
  if ((op.flags & kBfloat) != 0) return each_half(c, op, mask, 3, fma_bfloat);
  Lanes a, b, d;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  fetch16(c, op, 2, d);
  fma_f16x2(a.v, b.v, d.v, a.v);
  write_halves(c, op, mask, a);
}

/// HADD2.F32: the sum of the lower halves in single precision. Compiled code widens halves with it.
void exec_hadd2_f32(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes a, b, out;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  const auto widen = [&](std::uint32_t value) {
    const auto half = static_cast<Word>(value);
    return (op.flags & kBfloat) != 0 ? bfloat_to_float(half) : half_to_float(half);
  };
  for (int i = 0; i < 32; ++i) {
    const float sum = widen(a.v[i]) + widen(b.v[i]);
    out.v[i] = sum != sum ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
  }
  c.write(op.dst, out, mask);
}

/// HFMA2.F32 of the lower halves; their product is exact in single precision.
void exec_hfma2_f32(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes in[3], out;
  for (int k = 0; k < 3; ++k) fetch16(c, op, k, in[k]);
  for (int i = 0; i < 32; ++i) {
    const auto part = [&](int k) { return half_to_float(static_cast<Word>(in[k].v[i])); };
    const float sum = part(0) * part(1) + part(2);
    out.v[i] = sum != sum ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
  }
  c.write(op.dst, out, mask);
}

void format_modifiers(Decoder& d) {
  d.op.flags |= (d.take("BF16_V2") || d.take("BF16") ? kBfloat : 0u) | (d.take("SAT") ? kSaturate : 0u) |
                (d.take("RELU") ? kRelu : 0u);
  d.ignore({"F16_V2", "MMA"});
}

template <Execute kExecute, int kOperands>
void decode_arithmetic(Decoder& d) {
  format_modifiers(d);
  const bool to_float = d.take("F32");
  if (d.take("FTZ")) throw Unsupported{"FTZ"};
  d.op.dst = d.destination();
  for (int k = 0; k < kOperands; ++k) d.op.src[k] = source16(d);
  d.op.execute = kExecute;
  if (!to_float) return;
  if (kExecute == exec_hmul2) throw Unsupported{"a single-precision result"};
  d.op.execute = kExecute == exec_hadd2 ? exec_hadd2_f32 : exec_hfma2_f32;
}

float widen(const MicroOp& op, Word value) {
  return (op.flags & kBfloat) != 0 ? bfloat_to_float(value) : half_to_float(value);
}

void exec_hmnmx2(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool minimum = !op.psrc[0].negate;
  const auto choose = [&](Word a, Word b) -> Word {
    const float x = widen(op, a), y = widen(op, b);
    const bool nan_x = x != x, nan_y = y != y;
    if ((nan_x && nan_y) || ((op.flags & kPropagateNan) != 0 && (nan_x || nan_y))) return kHalfNan;
    const bool less = x < y || (x == y && (a & 0x8000) > (b & 0x8000));
    return nan_x ? b : nan_y || less == minimum ? a : b;
  };
  Lanes a, b, scratch0, scratch1, out;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  const std::uint32_t* raw_a = fetch_raw(c, op.src[0], scratch0);
  const std::uint32_t* raw_b = fetch_raw(c, op.src[1], scratch1);
  for (int i = 0; i < 32; ++i) {
    const Word low = choose(static_cast<Word>(a.v[i]), static_cast<Word>(b.v[i]));
    const Word high = choose(static_cast<Word>(a.v[i] >> 16), static_cast<Word>(b.v[i] >> 16));
    out.v[i] = std::uint32_t{high} << 16 | low;
    if ((op.flags & kXorSign) == 0) continue;
    // XORSIGN uses the signs before the operands' modifiers, and leaves a NaN as it is.
    const std::uint32_t signs = ((raw_a[i] ^ raw_b[i]) & 0x80008000u) &
                                ((low == kHalfNan ? 0 : 0x8000u) | (high == kHalfNan ? 0 : 0x80000000u));
    out.v[i] = (out.v[i] & ~signs) | signs;
  }
  c.write(op.dst, out, mask);
}
void decode_hmnmx2(Decoder& d) {
  format_modifiers(d);
  d.op.flags |= (d.take("NAN") ? kPropagateNan : 0u) | (d.take("XORSIGN") ? kXorSign : 0u);
  d.op.dst = d.destination();
  d.op.src[0] = source16(d);
  d.op.src[1] = source16(d);
  d.op.psrc[0] = d.predicate();
  if (d.op.psrc[0].index != isa::kPT) throw Unsupported{"a choice that differs between lanes"};
  d.op.execute = exec_hmnmx2;
}

void compare_halves(Context& c, const MicroOp& op, std::uint32_t& low, std::uint32_t& high) {
  Lanes a, b;
  fetch16(c, op, 0, a);
  fetch16(c, op, 1, b);
  const auto compare = [&](int shift) {
    return gather_bits([&](int i) {
      return compare_floats(op.mode, widen(op, static_cast<Word>(a.v[i] >> shift)),
                            widen(op, static_cast<Word>(b.v[i] >> shift)));
    });
  };
  low = compare(0);
  high = compare(16);
}

void exec_hsetp2(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t low = 0, high = 0;
  compare_halves(c, op, low, high);
  const std::uint32_t with = c.predicate(op.psrc[0]);
  if ((op.flags & kBothHalves) != 0) {
    c.write_predicate(op.pdst, join(op.mode2, low & high, with), mask);
    c.write_predicate(op.pdst2, join(op.mode2, ~(low & high), with), mask);
  } else {
    c.write_predicate(op.pdst, join(op.mode2, low, with), mask);
    c.write_predicate(op.pdst2, join(op.mode2, high, with), mask);
  }
}
void exec_hset2(Context& c, const MicroOp& op, std::uint32_t mask) {
  std::uint32_t low = 0, high = 0;
  compare_halves(c, op, low, high);
  const std::uint32_t with = c.predicate(op.psrc[0]);
  const std::uint32_t one = (op.flags & kBfloat) != 0 ? 0x3f80u : 0x3c00u;
  const std::uint32_t yes = (op.flags & kBooleanFloat) != 0 ? one : 0xffffu;
  low = join(op.mode2, low, with);
  high = join(op.mode2, high, with);
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = (low >> i & 1) * yes | ((high >> i & 1) * yes) << 16;
  c.write(op.dst, out, mask);
}
template <bool kToPredicates>
void decode_comparison(Decoder& d) {
  format_modifiers(d);
  d.op.flags |= (d.take("BF") ? kBooleanFloat : 0u) | (d.take("H_AND") ? kBothHalves : 0u);
  d.op.mode = take_float_comparison(d);
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0));
  if (kToPredicates) {
    d.op.pdst = d.predicate_destination();
    d.op.pdst2 = d.predicate_destination();
  } else {
    d.op.dst = d.destination();
  }
  d.op.src[0] = source16(d);
  d.op.src[1] = source16(d);
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = kToPredicates ? exec_hsetp2 : exec_hset2;
}

constexpr Semantics kRows[] = {
    {"HADD2", decode_arithmetic<exec_hadd2, 2>}, {"HMUL2", decode_arithmetic<exec_hmul2, 2>},
    {"HFMA2", decode_arithmetic<exec_hfma2, 3>}, {"HMNMX2", decode_hmnmx2, Exactness::exact, "", 80},
    {"HSETP2", decode_comparison<true>},         {"HSET2", decode_comparison<false>},
};

}  // namespace

std::span<const Semantics> fp16_semantics() { return kRows; }

}  // namespace sassim::emu
