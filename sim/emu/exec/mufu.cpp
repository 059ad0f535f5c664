// SPDX-License-Identifier: Apache-2.0
// Executes the special functions. Hardware interpolates in tables; the emulator computes the function and rounds to
// nearest, so that results differ in the last bits, within the bounds in docs/opcodes.md (measured on an H200).
#include <cmath>
#include <numbers>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

enum Function : std::uint8_t { rcp, rsq, sqrt_, ex2, lg2, sin_, cos_, tanh_, rcp64h, rsq64h };

/// sin(2 pi (x + quarters / 4)) for positive x, and exactly 0 at the zeros of the function: whole quarter turns are
/// removed before the multiplication rounds.
double sine_of_turns(double x, int quarters) {
  const double turn = x - std::floor(x), nearest = std::floor(4 * turn + 0.5);
  const double angle = 2 * std::numbers::pi * (turn - nearest / 4);
  const int quadrant = (static_cast<int>(nearest) + quarters) & 3;
  const double value = (quadrant & 1) != 0 ? std::cos(angle) : std::sin(angle);
  return (quadrant & 2) != 0 ? 0.0 - value : value;
}

float evaluate(std::uint8_t function, double x) {
  switch (function) {
    case ex2:
      return static_cast<float>(std::exp2(x));
    case lg2:
      return static_cast<float>(std::log2(x));
    case sin_:
      return static_cast<float>(std::copysign(1.0, x) * sine_of_turns(std::abs(x), 0) + 0.0);
    case cos_:
      return static_cast<float>(sine_of_turns(std::abs(x), 1));
    default:
      return static_cast<float>(std::tanh(x));
  }
}

/// Subnormal inputs and results become zeros.
std::uint32_t single(std::uint8_t function, std::uint32_t bits) {
  constexpr std::uint32_t kOwnTanh =
      0x3b800000;  // 2^-8: up to this size the result of an H200 is the input, also for subnormals
  if (function == tanh_ && (bits & 0x7fffffffu) <= kOwnTanh) return bits;
  bits = flushed_f32(bits);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fffffffu;
  if (function == sin_ || function == cos_) {
    if (magnitude == 0x7f800000u) return 0x7fffffffu;
    if (function == sin_ && magnitude == 0) return bits;
  }
  const float value = evaluate(function, std::bit_cast<float>(bits));
  if (value != value) return 0x7fffffffu;
  return flushed_f32(std::bit_cast<std::uint32_t>(value));
}

/// The upper word of 1 / x or 1 / sqrt(x) from the upper word of x.
std::uint32_t upper_word(std::uint8_t function, std::uint32_t high) {
  const double x = std::bit_cast<double>(std::uint64_t{high} << 32);
  const std::uint32_t exponent = high >> 20 & 0x7ff, sign = high & 0x80000000u;
  if (exponent == 0x7ff && (high & 0xfffff) != 0) return 0x7fffffffu;
  if (exponent == 0) return sign | 0x7ff00000u;  // zero or subnormal
  if (exponent == 0x7ff) return function == rcp64h ? sign : sign != 0 ? 0x7fffffffu : 0u;
  if (function == rsq64h && sign != 0) return 0x7fffffffu;
  const std::uint64_t result = std::bit_cast<std::uint64_t>(function == rcp64h ? 1.0 / x : 1.0 / std::sqrt(x));
  if ((result >> 52 & 0x7ff) == 0) return sign;
  return static_cast<std::uint32_t>(result >> 32);
}

/// The same as single(), for functions that the host has.
template <class F>
[[gnu::always_inline]] inline void arithmetic(Context& c, const MicroOp& op, std::uint32_t mask, const std::uint32_t* x,
                                              F f) {
  write_lanes(c, op.dst, mask, [&](int i) {
    const double value = f32(flushed_f32(x[i]));
    return flushed_f32(canonical_f32(static_cast<float>(f(value))));
  });
}

SASSIM_LANE_LOOP void exec_mufu(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s, out;
  const std::uint32_t* x = fetch_f32(c, op.src[0], s);
  const std::uint8_t function = op.mode;
  if (function == rcp) return arithmetic(c, op, mask, x, [](double v) { return 1.0 / v; });
  if (function == rsq) return arithmetic(c, op, mask, x, [](double v) { return 1.0 / std::sqrt(v); });
  if (function == sqrt_) return arithmetic(c, op, mask, x, [](double v) { return std::sqrt(v); });
  if (function >= rcp64h)
    for_lanes(mask, [&](int i) { out.v[i] = upper_word(function, x[i]); });
  else
    for_lanes(mask, [&](int i) { out.v[i] = single(function, x[i]); });
  c.write(op.dst, out, mask);
}

enum Narrow : std::uint8_t { in_single, in_half, in_bfloat };

/// EX2 and TANH of 16-bit numbers: the single-precision result with its last bits cut off, as on an H200.
void exec_narrow(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s, out;
  const std::uint32_t* x = fetch_raw(c, op.src[0], s);
  const bool half = op.mode2 == in_half;
  for_lanes(mask, [&](int i) {
    const auto bits = static_cast<std::uint16_t>(x[i] >> (op.src[0].part != 0 ? 16 : 0));
    const float value = half ? half_to_float(bits) : bfloat_to_float(bits);
    const float result = std::bit_cast<float>(single(op.mode, std::bit_cast<std::uint32_t>(value)));
    const bool overflow = half && std::fabs(result) >= 0x1p16f;
    out.v[i] = overflow ? 0x7c00u : half ? float_to_half_rz(result) : float_to_bfloat_rz(result);
  });
  c.write(op.dst, out, mask);
}

void decode_narrow(Decoder& d) {
  if (d.op.mode != tanh_ && d.op.mode != ex2) throw Unsupported{"this function of 16-bit numbers"};
  const isa::Operand& operand = d.instruction().operands.back();
  d.op.src[0] = operand.kind == isa::OperandKind::fimm ? d.source_f32() : d.source();
  if (operand.kind == isa::OperandKind::fimm)
    d.op.src[0].value = d.op.mode2 == in_half
                            ? float_to_half(static_cast<float>(std::bit_cast<double>(operand.value)))
                            : float_to_bfloat(static_cast<float>(std::bit_cast<double>(operand.value)));
  if (operand.negate || operand.absolute) throw Unsupported{"a modified operand"};
  d.op.src[0].part = operand.has("H1") || operand.has("H1_H1") ? 1 : 0;
  d.op.execute = exec_narrow;
}

void decode_mufu(Decoder& d) {
  const int function =
      d.take_one_of({"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"}, -1);
  if (function < 0) throw Unsupported{"this function"};
  d.op.mode = static_cast<std::uint8_t>(function);
  d.op.mode2 = static_cast<std::uint8_t>(d.take("F16") ? in_half : d.take("BF16") ? in_bfloat : in_single);
  d.op.dst = d.destination();
  if (d.op.mode2 != in_single) return decode_narrow(d);
  d.op.src[0] = d.source_f32();
  d.op.execute = exec_mufu;
}

constexpr Semantics kRows[] = {{"MUFU", decode_mufu, Exactness::approximate, "the bounds of each function are below"}};

}  // namespace

std::span<const Semantics> mufu_semantics() { return kRows; }

}  // namespace sassim::emu
