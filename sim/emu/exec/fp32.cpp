// SPDX-License-Identifier: Apache-2.0
// Executes single precision: arithmetic, minimum and maximum, comparisons, selection.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_compare.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

enum Flag : std::uint32_t { kFlush = 1, kSaturate = 2, kPropagateNan = 4, kXorSign = 8, kBooleanFloat = 16 };
/// The signs that FSWZADD applies in each lane of a quad.
enum Signs : std::uint32_t { kPlusPlus, kPlusMinus, kMinusPlus, kZeroPlus };

[[gnu::always_inline]] inline const std::uint32_t* operand(Context& c, const MicroOp& op, int k, Lanes& scratch) {
  const std::uint32_t* value = fetch_f32(c, op.src[k], scratch);
  if ((op.flags & kFlush) == 0) return value;
  flush_f32(value, scratch.v);
  return scratch.v;
}

/// Rounded to nearest and kept as it is: such arithmetic needs no loops apart.
bool is_plain(const MicroOp& op) {
  return static_cast<Rounding>(op.mode) == Rounding::nearest && (op.flags & (kFlush | kSaturate)) == 0;
}

/// NaNs in `out` are canonical.
void finish(Context& c, const MicroOp& op, std::uint32_t mask, Lanes& out) {
  if ((op.flags & kFlush) != 0) flush_f32(out.v, out.v);
  if ((op.flags & kSaturate) != 0) saturate_f32(out.v);
  c.write(op.dst, out, mask);
}

SASSIM_LANE_LOOP void exec_fadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  if (is_plain(op)) return write_lanes(c, op.dst, mask, [&](int i) { return canonical_f32(f32(a[i]) + f32(b[i])); });
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    add_f32(a, b, out.v);
  }
  finish(c, op, mask, out);
}

/// a * b * 2^mode2 with one rounding: a double holds the scaled product exactly, even for a subnormal result.
[[gnu::noinline]] void mul_scaled(const std::uint32_t* a, const std::uint32_t* b, int power, std::uint32_t* out) {
  const double factor = power < 0 ? 1.0 / (1 << -power) : 1 << power;
  for (int i = 0; i < 32; ++i) {
    const double product = double{std::bit_cast<float>(a[i])} * double{std::bit_cast<float>(b[i])} * factor;
    out[i] = std::bit_cast<std::uint32_t>(static_cast<float>(product));
  }
}

void exec_fmul_scaled(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    mul_scaled(a, b, static_cast<std::int8_t>(op.mode2), out.v);
  }
  canonical_nan_f32(out.v);
  finish(c, op, mask, out);
}

SASSIM_LANE_LOOP void exec_fmul(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  if (is_plain(op)) return write_lanes(c, op.dst, mask, [&](int i) { return canonical_f32(f32(a[i]) * f32(b[i])); });
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    mul_f32(a, b, out.v);
  }
  finish(c, op, mask, out);
}

SASSIM_LANE_LOOP void exec_ffma(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  const std::uint32_t* d = operand(c, op, 2, s2);
  if (is_plain(op))
    return write_lanes(c, op.dst, mask,
                       [&](int i) { return canonical_f32(__builtin_fmaf(f32(a[i]), f32(b[i]), f32(d[i]))); });
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    fma_f32(a, b, d, out.v);
  }
  finish(c, op, mask, out);
}

template <Execute kExecute, int kOperands>
void decode_arithmetic(Decoder& d) {
  d.op.flags = (d.take("FTZ") ? kFlush : 0u) | (d.take("SAT") ? kSaturate : 0u);
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"RN", "RM", "RP", "RZ"}, 0));
  d.op.dst = d.destination();
  for (int k = 0; k < kOperands; ++k) d.op.src[k] = d.source_f32();
  d.op.execute = kExecute;
}

void decode_fmul(Decoder& d) {
  constexpr int kPowers[] = {-3, -2, -1, 0, 1, 2, 3};
  const int power = kPowers[d.take_one_of({"D8", "D4", "D2", "", "M2", "M4", "M8"}, 3)];
  d.op.mode2 = static_cast<std::uint8_t>(power);
  decode_arithmetic<exec_fmul, 2>(d);
  if (power != 0) d.op.execute = exec_fmul_scaled;
}

/// An integer that orders floats; -0 is below +0.
std::int32_t order(std::uint32_t x) { return static_cast<std::int32_t>((x >> 31) != 0 ? ~(x & 0x7fffffffu) : x); }

SASSIM_LANE_LOOP void exec_fmnmx(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  // XORSIGN uses the signs before the operands' modifiers.
  Lanes raw0, raw1;
  const std::uint32_t* sign_a = fetch_raw(c, op.src[0], raw0);
  const std::uint32_t* sign_b = fetch_raw(c, op.src[1], raw1);
  const std::uint32_t minimum = c.predicate(op.psrc[0]);
  for (int i = 0; i < 32; ++i) {
    const bool nan_a = is_nan_f32(a[i]), nan_b = is_nan_f32(b[i]);
    const bool first = (order(a[i]) < order(b[i])) == ((minimum >> i & 1) != 0);
    std::uint32_t value = nan_a ? b[i] : nan_b || first ? a[i] : b[i];
    if ((nan_a && nan_b) || ((op.flags & kPropagateNan) != 0 && (nan_a || nan_b)))
      value = 0x7fffffffu;
    else if ((op.flags & kXorSign) != 0)
      value = (value & 0x7fffffffu) | ((sign_a[i] ^ sign_b[i]) & 0x80000000u);
    out.v[i] = value;
  }
  c.write(op.dst, out, mask);
}
void decode_fmnmx(Decoder& d) {
  d.op.flags =
      (d.take("FTZ") ? kFlush : 0u) | (d.take("NAN") ? kPropagateNan : 0u) | (d.take("XORSIGN") ? kXorSign : 0u);
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_fmnmx;
}

SASSIM_LANE_LOOP std::uint32_t compare_operands(Context& c, const MicroOp& op) {
  Lanes s0, s1;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  // The bits of a comparison's number (float_compare.h) are the relations for which it is true.
  const FloatRelations r = relations_f32(a, b);
  const std::uint32_t unordered = ~(r.less | r.equal | r.greater);
  return ((op.mode & fcmp_lt) != 0 ? r.less : 0) | ((op.mode & fcmp_eq) != 0 ? r.equal : 0) |
         ((op.mode & fcmp_gt) != 0 ? r.greater : 0) | ((op.mode & fcmp_nan) != 0 ? unordered : 0);
}

void exec_fsetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  write_comparison(c, op, mask, compare_operands(c, op));
}
void decode_fsetp(Decoder& d) {
  d.op.mode = take_float_comparison(d);
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0));
  d.op.flags = d.take("FTZ") ? kFlush : 0u;
  d.op.pdst = d.predicate_destination();
  d.op.pdst2 = d.predicate_destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_fsetp;
}

SASSIM_LANE_LOOP void exec_fset(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t bits = join(op.mode2, compare_operands(c, op), c.predicate(op.psrc[0]));
  const std::uint32_t yes = (op.flags & kBooleanFloat) != 0 ? 0x3f800000u : 0xffffffffu;
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = (bits >> i & 1) != 0 ? yes : 0;
  c.write(op.dst, out, mask);
}
void decode_fset(Decoder& d) {
  d.op.mode = take_float_comparison(d);
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0));
  d.op.flags = (d.take("FTZ") ? kFlush : 0u) | (d.take("BF") ? kBooleanFloat : 0u);
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_fset;
}

SASSIM_LANE_LOOP void exec_fsel(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  const std::uint32_t first = c.predicate(op.psrc[0]);
  select_lanes(first, a, b, out);
  c.write(op.dst, out, mask);
}
void decode_fsel(Decoder& d) {
  d.op.flags = d.take("FTZ") ? kFlush : 0u;
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_fsel;
}

/// True if a / b needs the slow path of compiled code: the fast path would leave the range in which its steps are
/// exact. The limits are an H200's, which was tested with all exponents.
bool division_needs_care(std::uint32_t a, std::uint32_t b) {
  const int ea = static_cast<int>(a >> 23 & 255), eb = static_cast<int>(b >> 23 & 255), difference = ea - eb;
  return ea < 25 || ea == 255 || eb < 2 || eb > 251 || difference <= -125 || difference >= 127;
}

SASSIM_LANE_LOOP void exec_fchk(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1;
  const std::uint32_t* a = fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = fetch_f32(c, op.src[1], s1);
  c.write_predicate(op.pdst, gather_bits([&](int i) { return division_needs_care(a[i], b[i]); }), mask);
}
void decode_fchk(Decoder& d) {
  d.ignore({"DIVIDE"});
  d.op.pdst = d.predicate_destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.execute = exec_fchk;
}

/// A sum whose signs depend on the lane in its quad: PP a + b, PN a - b, NP b - a, ZP b.
void exec_fswzadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, first, second, out;
  const std::uint32_t* a = operand(c, op, 0, s0);
  const std::uint32_t* b = operand(c, op, 1, s1);
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t signs = op.target >> (2 * (i & 3)) & 3;
    first.v[i] = signs == kZeroPlus ? 0 : a[i] ^ (signs == kMinusPlus ? 0x80000000u : 0u);
    second.v[i] = b[i] ^ (signs == kPlusMinus ? 0x80000000u : 0u);
  }
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    add_f32(first.v, second.v, out.v);
  }
  finish(c, op, mask, out);
}
void decode_fswzadd(Decoder& d) {
  d.ignore({"NDV"});
  decode_arithmetic<exec_fswzadd, 2>(d);
  const std::string& text = d.next().text;  // two letters for each lane of a quad
  if (text.size() != 8) throw Unsupported{"these signs"};
  for (unsigned lane = 0; lane < 4; ++lane) {
    const std::string_view pair = std::string_view(text).substr(2 * lane, 2);
    const std::uint32_t signs = pair == "PN"   ? kPlusMinus
                                : pair == "NP" ? kMinusPlus
                                : pair == "ZP" ? kZeroPlus
                                               : kPlusPlus;
    d.op.target |= signs << (2 * lane);
  }
}

constexpr Semantics kRows[] = {
    {"FADD", decode_arithmetic<exec_fadd, 2>},
    {"FMUL", decode_fmul},
    {"FFMA", decode_arithmetic<exec_ffma, 3>},
    {"FMNMX", decode_fmnmx},
    {"FSETP", decode_fsetp},
    {"FSET", decode_fset},
    {"FSEL", decode_fsel},
    {"FCHK", decode_fchk},
    {"FSWZADD", decode_fswzadd},
};

}  // namespace

std::span<const Semantics> fp32_semantics() { return kRows; }

}  // namespace sassim::emu
