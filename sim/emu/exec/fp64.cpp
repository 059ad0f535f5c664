// SPDX-License-Identifier: Apache-2.0
// Executes double precision. Subnormals are kept. A NaN result is the canonical NaN unless an operand is NaN.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_compare.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

constexpr std::uint64_t kNan = 0xfff8000000000000u;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kQuiet = 0x0008000000000000u;

/// Chooses the NaN operand that becomes the result, as the hardware does: the second operand, else the third, else the
/// first. It is made quiet and keeps the sign that it had before the operand's minus.
template <int kOperands>
void propagate_nan(const MicroOp& op, const std::uint64_t* const (&in)[3], Lanes64& out) {
  for (int i = 0; i < 32; ++i) {
    if (!is_nan_f64(out.v[i])) continue;
    std::uint64_t nan = kNan;
    for (const int k : {0, 2, 1})
      if (k < kOperands && is_nan_f64(in[k][i])) nan = (in[k][i] ^ (op.src[k].negate ? kSign : 0)) | kQuiet;
    out.v[i] = nan;
  }
}

/// The words of an operand in all lanes; `keep` and `flip` are its modifiers, which act on the sign.
struct Words {
  const std::uint32_t *low, *high;
  std::uint64_t keep, flip;
  [[gnu::always_inline]] double value(int i) const {
    return f64(((low[i] | std::uint64_t{high[i]} << 32) & keep) ^ flip);
  }
};

[[gnu::always_inline]] inline Words words(Context& c, const Source& source, Lanes& low, Lanes& high) {
  const std::uint64_t keep = source.absolute ? ~kSign : ~std::uint64_t{0}, flip = source.negate ? kSign : 0;
  if (source.kind == SourceKind::reg)
    return {c.read_row(source.index), c.read_row(static_cast<std::uint8_t>(source.index + 1)), keep, flip};
  split_scalar64(c, source, low, high);
  return {low.v, high.v, keep, flip};
}

/// Arithmetic of doubles, rounded to nearest, which works on the words of registers as they lie there. False if a
/// result is NaN: the operands decide which.
template <int kOperands, class F>
[[gnu::always_inline]] inline bool arithmetic(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes s[6], low, high;
  const Words a = words(c, op.src[0], s[0], s[1]), b = words(c, op.src[1], s[2], s[3]);
  const Words d = kOperands == 3 ? words(c, op.src[2], s[4], s[5]) : Words{kZeroLanes.v, kZeroLanes.v, 0, 0};
  std::uint64_t ordered = ~std::uint64_t{0};
  for (int i = 0; i < 32; ++i) {
    const double result = f(a.value(i), b.value(i), d.value(i));
    ordered &= result == result ? ~std::uint64_t{0} : 0;
    low.v[i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(result));
    high.v[i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(result) >> 32);
  }
  if (ordered == 0) return false;
  if (op.dst == isa::kRZ) return true;
  c.write(op.dst, low, mask);
  c.write(static_cast<std::uint8_t>(op.dst + 1), high, mask);
  return true;
}

using Loop2 = void (*)(const std::uint64_t*, const std::uint64_t*, std::uint64_t*);

/// The same with any rounding and any results.
void arithmetic_of_any(Context& c, const MicroOp& op, std::uint32_t mask, Loop2 loop) {
  Lanes64 s0, s1, out;
  const std::uint64_t* const in[3] = {fetch64(c, op.src[0], s0, true), fetch64(c, op.src[1], s1, true), nullptr};
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    loop(in[0], in[1], out.v);
  }
  propagate_nan<2>(op, in, out);
  c.write64(op.dst, out, mask);
}

bool to_nearest(const MicroOp& op) { return static_cast<Rounding>(op.mode) == Rounding::nearest; }

SASSIM_LANE_LOOP void exec_dadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (!to_nearest(op) || !arithmetic<2>(c, op, mask, [](double a, double b, double) { return a + b; }))
    arithmetic_of_any(c, op, mask, add_f64);
}

SASSIM_LANE_LOOP void exec_dmul(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (!to_nearest(op) || !arithmetic<2>(c, op, mask, [](double a, double b, double) { return a * b; }))
    arithmetic_of_any(c, op, mask, mul_f64);
}

SASSIM_LANE_LOOP void exec_dfma(Context& c, const MicroOp& op, std::uint32_t mask) {
  if (to_nearest(op) && arithmetic<3>(c, op, mask, [](double a, double b, double d) { return __builtin_fma(a, b, d); }))
    return;
  Lanes64 s0, s1, s2, out;
  const std::uint64_t* const in[3] = {fetch64(c, op.src[0], s0, true), fetch64(c, op.src[1], s1, true),
                                      fetch64(c, op.src[2], s2, true)};
  {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    fma_f64(in[0], in[1], in[2], out.v);
  }
  propagate_nan<3>(op, in, out);
  c.write64(op.dst, out, mask);
}

template <Execute kExecute, int kOperands>
void decode_arithmetic(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"RN", "RM", "RP", "RZ"}, 0));
  d.op.dst = d.destination();
  for (int k = 0; k < kOperands; ++k) d.op.src[k] = d.source_f64();
  d.op.execute = kExecute;
}

SASSIM_LANE_LOOP void exec_dsetp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 s0, s1;
  const std::uint64_t* a = fetch64(c, op.src[0], s0, true);
  const std::uint64_t* b = fetch64(c, op.src[1], s1, true);
  write_comparison(c, op, mask, gather_bits([&](int i) {
                     return compare_floats(op.mode, std::bit_cast<double>(a[i]), std::bit_cast<double>(b[i]));
                   }));
}
/// DSETP.MIN and .MAX: whether the first operand is the result, and whether both operands are NaN.
void exec_dsetp_choose(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 s0, s1;
  const std::uint64_t* a = fetch64(c, op.src[0], s0, true);
  const std::uint64_t* b = fetch64(c, op.src[1], s1, true);
  const auto order = [](std::uint64_t x) {
    return static_cast<std::int64_t>((x >> 63) != 0 ? ~(x & ~(1ull << 63)) : x);
  };
  const bool minimum = op.mode != 0;
  c.write_predicate(op.pdst, gather_bits([&](int i) {
                      if (is_nan_f64(a[i]) || is_nan_f64(b[i])) return !is_nan_f64(a[i]);
                      return (order(a[i]) < order(b[i])) == minimum;
                    }),
                    mask);
  c.write_predicate(op.pdst2, gather_bits([&](int i) { return is_nan_f64(a[i]) && is_nan_f64(b[i]); }), mask);
}
void decode_dsetp(Decoder& d) {
  const int choice = d.take_one_of({"MAX", "MIN"}, -1);
  d.op.mode = take_float_comparison(d);
  d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"AND", "OR", "XOR"}, 0));
  d.op.pdst = d.predicate_destination();
  d.op.pdst2 = d.predicate_destination();
  d.op.src[0] = d.source_f64();
  d.op.src[1] = d.source_f64();
  d.op.psrc[0] = d.optional_predicate(true);
  d.op.execute = exec_dsetp;
  if (choice < 0) return;
  d.op.mode = static_cast<std::uint8_t>(choice);
  if (d.op.psrc[0].index != isa::kPT || d.op.mode2 != 0) throw Unsupported{"a minimum joined with a predicate"};
  d.op.execute = exec_dsetp_choose;
}

constexpr Semantics kRows[] = {
    {"DADD", decode_arithmetic<exec_dadd, 2>},
    {"DMUL", decode_arithmetic<exec_dmul, 2>},
    {"DFMA", decode_arithmetic<exec_dfma, 3>},
    {"DSETP", decode_dsetp},
};

}  // namespace

std::span<const Semantics> fp64_semantics() { return kRows; }

}  // namespace sassim::emu
