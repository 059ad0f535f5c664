// SPDX-License-Identifier: Apache-2.0
// Eight-bit floating-point numbers (E4M3, E5M2): the forms of F2FP that write and read them.
#include <algorithm>
#include <cmath>

#include "sim/emu/core/machine.h"
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

struct Format {
  int mantissa_bits;
  int least_exponent;     ///< of the smallest normal number
  double greatest;        ///< largest finite value
  std::uint8_t largest;   ///< bits of `greatest`
  std::uint8_t infinite;  ///< bits of infinity; 0: the format has none
};
constexpr Format kE4M3{3, -6, 448, 0x7e, 0}, kE5M2{2, -14, 57344, 0x7b, 0x7c};
constexpr std::uint8_t kNan = 0x7f;

enum Flag : std::uint32_t { kRelu = 1, kFromHalf = 2, kWide = 4 };

const Format& format_of(const MicroOp& op) { return (op.flags & kWide) != 0 ? kE5M2 : kE4M3; }

/// Rounds to nearest even; a value that is too large becomes the largest finite number.
std::uint8_t narrow(const Format& format, float value, bool relu) {
  if (value != value) return kNan;
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (sign != 0 && relu) return 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= format.greatest) return sign | format.largest;
  const int exponent = magnitude == 0 ? format.least_exponent : std::max(std::ilogb(magnitude), format.least_exponent);
  // Bits grow by one per representable number, also from subnormal to normal numbers and from one exponent to the next.
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const int bits = static_cast<int>(steps) + ((exponent - format.least_exponent) << format.mantissa_bits);
  return static_cast<std::uint8_t>(sign | std::min<int>(bits, format.largest));
}

std::uint16_t widen(const Format& format, std::uint8_t bits) {
  const int magnitude = bits & 0x7f;
  const auto sign = static_cast<std::uint16_t>((bits & 0x80) << 8);
  if (magnitude > format.largest) return format.infinite == magnitude ? sign | 0x7c00 : kHalfNan;
  const int exponent = magnitude >> format.mantissa_bits, mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
  const int whole = exponent == 0 ? mantissa : mantissa | 1 << format.mantissa_bits;
  const double value = std::ldexp(whole, std::max(exponent, 1) - 1 + format.least_exponent - format.mantissa_bits);
  return sign | float_to_half(static_cast<float>(value));
}

/// Packs two numbers as bytes, the first operand (or the upper half) in the upper byte. The upper half of the result
/// comes from operand C.
void exec_narrow(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const Format& format = format_of(op);
  const bool relu = (op.flags & kRelu) != 0, halves = (op.flags & kFromHalf) != 0;
  const std::uint32_t* a = halves ? fetch_raw(c, op.src[0], s0) : fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = halves ? a : fetch_f32(c, op.src[1], s1);
  const std::uint32_t* kept = fetch_raw(c, op.src[2], s2);
  for_lanes(mask, [&](int i) {
    const float high = halves ? half_to_float(static_cast<std::uint16_t>(a[i] >> 16)) : std::bit_cast<float>(a[i]);
    const float low = halves ? half_to_float(static_cast<std::uint16_t>(a[i])) : std::bit_cast<float>(b[i]);
    const std::uint32_t upper = op.src[2].part != 0 ? kept[i] & 0xffff0000u : kept[i] << 16;
    out.v[i] = upper | std::uint32_t{narrow(format, high, relu)} << 8 | narrow(format, low, relu);
  });
  c.write(op.dst, out, mask);
}

void exec_widen(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s, out;
  const std::uint32_t* in = fetch_raw(c, op.src[0], s);
  for_lanes(mask, [&](int i) {
    const std::uint32_t pair = op.src[0].part != 0 ? in[i] >> 16 : in[i];
    out.v[i] = std::uint32_t{widen(format_of(op), static_cast<std::uint8_t>(pair >> 8))} << 16 |
               widen(format_of(op), static_cast<std::uint8_t>(pair));
  });
  c.write(op.dst, out, mask);
}

std::uint8_t half_of(const isa::Operand& operand) { return operand.has("H1") || operand.has("H1_H1") ? 1 : 0; }

}  // namespace

void decode_f2fp_bytes(Decoder& d) {
  d.op.flags = (d.take("RELU") ? kRelu : 0u) | (d.take_one_of({"E4M3", "E5M2"}, 0) == 1 ? kWide : 0u);
  const bool to_half = d.take("F16"), packs = d.take("PACK_AB_MERGE_C"), unpacks = d.take("UNPACK_B_MERGE_C");
  const auto& operands = d.instruction().operands;
  d.ignore({"F32", "RN"});
  d.op.dst = d.destination();
  if (!packs && !unpacks) {
    if (!to_half || !d.take("UNPACK_B")) throw Unsupported{"this form"};
    d.op.src[0] = d.source();
    d.op.src[0].part = half_of(operands[1]);
    d.op.execute = exec_widen;
    return;
  }
  if (!d.take("SATFINITE") || packs == to_half) throw Unsupported{"this form"};
  d.op.src[0] = packs ? d.source_f32() : d.source();
  if (packs) d.op.src[1] = d.source_f32();
  d.op.src[2] = d.source();
  d.op.src[2].part = half_of(operands.back());
  d.op.flags |= packs ? 0u : kFromHalf;
  d.op.execute = exec_narrow;
}

}  // namespace sassim::emu
