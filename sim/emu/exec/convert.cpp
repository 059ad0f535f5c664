// SPDX-License-Identifier: Apache-2.0
// Executes conversions between number formats.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/float_lanes.h"
#include "sim/emu/exec/half.h"
#include "sim/emu/exec/lane_loops.h"
#include "sim/emu/exec/round_to_16.h"

namespace sassim::emu {
namespace {

enum Format : std::uint8_t { f_u8, f_s8, f_u16, f_s16, f_u32, f_s32, f_u64, f_s64, f_f16, f_bf16, f_f32, f_f64 };
enum Flag : std::uint32_t { kFlush = 1, kNanToZero = 2, kSaturate = 4, kRelu = 8, kMerge = 16 };
constexpr std::string_view kNames[] = {"U8",  "S8",  "U16", "S16",  "U32", "S32",
                                       "U64", "S64", "F16", "BF16", "F32", "F64"};

bool wide(std::uint8_t format) { return format == f_u64 || format == f_s64 || format == f_f64; }

std::uint8_t take_integer_format(Decoder& d, std::uint8_t otherwise) {
  for (std::uint8_t format = 0; format < f_f16; ++format)
    if (d.take(kNames[format])) return format;
  return otherwise;
}

/// Reads the two formats of F2F.dst.src.
std::pair<std::uint8_t, std::uint8_t> take_two_formats(Decoder& d) {
  std::uint8_t found[2] = {f_f32, f_f32};
  int count = 0;
  for (const std::string& modifier : d.instruction().modifiers)
    for (std::uint8_t format = 0; format < std::size(kNames); ++format)
      if (modifier == kNames[format] && count < 2) found[count++] = format, d.take(modifier);
  if (count != 2) throw Unsupported{"formats that are not named"};
  return {found[0], found[1]};
}

int take_rounding(Decoder& d) {
  const int ieee = d.take_one_of({"RN", "RM", "RP", "RZ"}, -1);
  if (ieee >= 0) return ieee;
  return d.take_one_of({"ROUND", "FLOOR", "CEIL", "TRUNC"}, 0);
}

/// Which bytes of the register are converted: .B1, .H1.
std::uint8_t part_of(const Decoder& d) {
  const isa::Operand& operand = d.instruction().operands.back();
  if (operand.has("B1")) return 1;
  if (operand.has("B2") || operand.has("H1") || operand.has("H1_H1")) return 2;
  if (operand.has("B3")) return 3;
  return 0;
}

void fetch_any(Context& c, const MicroOp& op, std::uint8_t format, bool floating, Lanes64& to) {
  if (wide(format)) {
    const std::uint64_t* x = fetch64(c, op.src[0], to, floating);
    if (x != to.v) std::memcpy(to.v, x, sizeof to.v);
    return;
  }
  Lanes scratch;
  Source source = op.src[0];
  const bool narrow = format == f_f16 || format == f_bf16;
  if (narrow) source.negate = source.absolute = false;
  const std::uint32_t* x = floating ? fetch_f32(c, source, scratch) : fetch_int(c, source, scratch);
  for (int i = 0; i < 32; ++i) to.v[i] = x[i] >> (8 * op.src[0].part);
  if (narrow)
    for (std::uint64_t& v : to.v) {
      if (op.src[0].absolute) v &= 0x7fff;
      if (op.src[0].negate) v ^= 0x8000;
    }
}

void write_any(Context& c, const MicroOp& op, std::uint8_t format, const Lanes64& value, std::uint32_t mask) {
  if (wide(format)) return c.write64(op.dst, value, mask);
  Lanes out;
  for (int i = 0; i < 32; ++i) out.v[i] = static_cast<std::uint32_t>(value.v[i]);
  c.write(op.dst, out, mask);
}

NarrowFormat narrow_format(std::uint8_t format) { return format == f_bf16 ? kBfloatFormat : kHalfFormat; }

/// Any floating-point number as a double, exactly.
double to_double(std::uint64_t bits, std::uint8_t format, bool flush) {
  switch (format) {
    case f_f16:
      return half_to_float(static_cast<std::uint16_t>(bits));
    case f_bf16:
      return bfloat_to_float(static_cast<std::uint16_t>(bits));
    case f_f64:
      return std::bit_cast<double>(bits);
    default: {
      const auto narrow = static_cast<std::uint32_t>(bits);
      return std::bit_cast<float>(flush ? flushed_f32(narrow) : narrow);
    }
  }
}

double round_to_integer(double x, std::uint8_t mode) {
  switch (static_cast<Rounding>(mode)) {
    case Rounding::down:
      return std::floor(x);
    case Rounding::up:
      return std::ceil(x);
    case Rounding::zero:
      return std::trunc(x);
    default:
      return std::nearbyint(x);
  }
}

struct IntegerRange {
  double low, high;  ///< results saturate below `low` and from `high` + 1 upwards
  std::uint64_t least, greatest, nan;
};

IntegerRange range_of(std::uint8_t format) {
  switch (format) {
    case f_u8:
      return {0, 255, 0, 255, 0x80};
    case f_s8:
      return {-128, 127, 0xffffff80u, 127, 0xffffff80u};
    case f_u16:
      return {0, 65535, 0, 65535, 0x8000};
    case f_s16:
      return {-32768, 32767, 0xffff8000u, 32767, 0xffff8000u};
    case f_u32:
      return {0, 4294967295.0, 0, 0xffffffffu, 0x80000000u};
    case f_u64:
      return {0, 0x1p64, 0, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    case f_s64:
      return {-0x1p63, 0x1p63, std::uint64_t{1} << 63, ~(std::uint64_t{1} << 63), std::uint64_t{1} << 63};
    default:
      return {-2147483648.0, 2147483647.0, 0x80000000u, 0x7fffffffu, 0x80000000u};
  }
}

std::uint64_t to_integer(double x, std::uint8_t format, bool nan_to_zero) {
  const IntegerRange range = range_of(format);
  if (x != x) return nan_to_zero ? 0 : range.nan;
  if (x < range.low) return range.least;
  if (format == f_u64) return x >= range.high ? range.greatest : static_cast<std::uint64_t>(x);
  if (format == f_s64)
    return x >= range.high ? range.greatest : static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  if (x > range.high) return range.greatest;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}

void exec_f2i(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 in, out;
  const std::uint8_t from = op.space, to = op.size;
  fetch_any(c, op, from, true, in);
  for_lanes(mask, [&](int i) {
    const double x = to_double(in.v[i], from, (op.flags & kFlush) != 0);
    out.v[i] = to_integer(round_to_integer(x, op.mode), to, (op.flags & kNanToZero) != 0);
  });
  write_any(c, op, to, out, mask);
}
void decode_f2i(Decoder& d) {
  d.op.flags = (d.take("FTZ") ? kFlush : 0u) | (d.take("NTZ") ? kNanToZero : 0u);
  d.op.space = d.take("F64") ? f_f64 : d.take("F16") ? f_f16 : d.take("BF16") ? f_bf16 : f_f32;
  d.op.size = take_integer_format(d, f_s32);
  d.op.mode = static_cast<std::uint8_t>(take_rounding(d));
  d.ignore({"F32"});
  d.op.src[0].part = 0;
  d.op.dst = d.destination();
  const std::uint8_t part = part_of(d);
  d.op.src[0] = d.source_f32();
  if (d.op.space == f_f64 && d.op.src[0].kind == SourceKind::imm) throw Unsupported{"a double immediate"};
  d.op.src[0].part = part;
  d.op.execute = exec_f2i;
}

void exec_frnd(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 in, out;
  fetch_any(c, op, op.space, true, in);
  for_lanes(mask, [&](int i) {
    const double x = round_to_integer(to_double(in.v[i], op.space, (op.flags & kFlush) != 0), op.mode);
    if (op.space == f_f64)
      out.v[i] = x != x ? in.v[i] | std::uint64_t{1} << 51 : std::bit_cast<std::uint64_t>(x);
    else if (op.space == f_f16 || op.space == f_bf16)
      out.v[i] = x != x ? kHalfNan : round_to_16(x, narrow_format(op.space), Rounding::nearest);
    else
      out.v[i] = x != x ? 0x7fffffffu : std::bit_cast<std::uint32_t>(static_cast<float>(x));
  });
  write_any(c, op, op.space, out, mask);
}
void decode_frnd(Decoder& d) {
  d.op.flags = d.take("FTZ") ? kFlush : 0u;
  d.op.space = d.take("F64") ? f_f64 : d.take("F16") ? f_f16 : d.take("BF16") ? f_bf16 : f_f32;
  d.op.mode = static_cast<std::uint8_t>(take_rounding(d));
  d.op.dst = d.destination();
  const std::uint8_t part = part_of(d);
  d.op.src[0] = d.source_f32();
  d.op.src[0].part = part;
  d.op.execute = exec_frnd;
}

// Integer to floating point.

std::int64_t signed_value(std::uint64_t bits, std::uint8_t format) {
  switch (format) {
    case f_u8:
      return static_cast<std::uint8_t>(bits);
    case f_s8:
      return static_cast<std::int8_t>(bits);
    case f_u16:
      return static_cast<std::uint16_t>(bits);
    case f_s16:
      return static_cast<std::int16_t>(bits);
    case f_u32:
      return static_cast<std::uint32_t>(bits);
    case f_s32:
      return static_cast<std::int32_t>(bits);
    default:
      return static_cast<std::int64_t>(bits);
  }
}

/// Not inlined, so that the conversion uses the rounding mode that is set.
template <class T>
[[gnu::noinline]] T convert_signed(const std::int64_t& value) {
  return static_cast<T>(value);
}
template <class T>
[[gnu::noinline]] T convert_unsigned(const std::uint64_t& value) {
  // The host converts signed numbers only: a large value is halved, and its lowest bit is kept as a sticky bit.
  if (static_cast<std::int64_t>(value) >= 0) return static_cast<T>(static_cast<std::int64_t>(value));
  const auto half = static_cast<std::int64_t>(value >> 1 | (value & 1));
  return static_cast<T>(half) * 2;
}

std::uint64_t from_integer(std::uint64_t bits, std::uint8_t from, std::uint8_t to) {
  const std::int64_t value = signed_value(bits, from);
  if (to == f_f64)
    return std::bit_cast<std::uint64_t>(from == f_u64 ? convert_unsigned<double>(bits) : convert_signed<double>(value));
  const float single = from == f_u64 ? convert_unsigned<float>(bits) : convert_signed<float>(value);
  return std::bit_cast<std::uint32_t>(single);
}

std::uint64_t narrow_from_integer(std::uint64_t bits, const MicroOp& op) {
  const std::int64_t value = signed_value(bits, op.space);
  const bool negative = value < 0 && op.space != f_u64;
  const auto magnitude = static_cast<std::uint64_t>(value);
  return round_to_16(negative, negative ? 0 - magnitude : magnitude, 0, narrow_format(op.size),
                     static_cast<Rounding>(op.mode));
}

void exec_i2f(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 in, out;
  const std::uint8_t from = op.space, to = op.size;
  fetch_any(c, op, from, false, in);
  if (to < f_f32) {
    for_lanes(mask, [&](int i) { out.v[i] = narrow_from_integer(in.v[i], op); });
  } else {
    const RoundingScope scope(static_cast<Rounding>(op.mode));
    for_lanes(mask, [&](int i) { out.v[i] = from_integer(in.v[i], from, to); });
  }
  write_any(c, op, to, out, mask);
}
void decode_i2f(Decoder& d) {
  d.op.size = d.take("F64") ? f_f64 : d.take("F16") ? f_f16 : d.take("BF16") ? f_bf16 : f_f32;
  d.ignore({"F32"});
  d.op.space = take_integer_format(d, f_s32);
  d.op.mode = static_cast<std::uint8_t>(take_rounding(d));
  d.op.dst = d.destination();
  const std::uint8_t part = part_of(d);
  d.op.src[0] = d.source();
  d.op.src[0].part = part;
  d.op.execute = exec_i2f;
}

// Floating point to floating point.

[[gnu::noinline]] float narrow(const double& value) { return static_cast<float>(value); }

struct FloatLayout {
  unsigned fraction_bits;
  std::uint64_t quiet_nan;  ///< the bits of a NaN without sign
  unsigned sign;            ///< number of the sign bit
};
FloatLayout layout_of(std::uint8_t format) {
  switch (format) {
    case f_f16:
      return {10, 0x7e00, 15};
    case f_bf16:
      return {7, 0x7fc0, 15};
    case f_f64:
      return {52, 0x7ff8000000000000u, 63};
    default:
      return {23, 0x7fc00000, 31};
  }
}

/// A conversion from or to double keeps a NaN's sign and the upper bits of its payload; others give the canonical NaN.
std::uint64_t convert_nan(std::uint64_t bits, std::uint8_t from, std::uint8_t to) {
  if (from != f_f64 && to != f_f64) return to == f_f32 ? 0x7fffffffu : std::uint64_t{kHalfNan};
  const FloatLayout a = layout_of(from), b = layout_of(to);
  const std::uint64_t payload = (bits & ((std::uint64_t{1} << a.fraction_bits) - 1)) << (52 - a.fraction_bits);
  return (bits >> a.sign & 1) << b.sign | b.quiet_nan | payload >> (52 - b.fraction_bits);
}

std::uint64_t float_to_float(std::uint64_t bits, const MicroOp& op) {
  const std::uint8_t from = op.space, to = op.size;
  const bool flush = (op.flags & kFlush) != 0;
  const double x = to_double(bits, from, flush);
  if (x != x) return convert_nan(bits, from, to);
  switch (to) {
    case f_f64:
      return std::bit_cast<std::uint64_t>(x);
    case f_f16:
    case f_bf16:
      return round_to_16(x, narrow_format(to), static_cast<Rounding>(op.mode));
    default: {
      const auto result = std::bit_cast<std::uint32_t>(narrow(x));
      return flush ? flushed_f32(result) : result;
    }
  }
}

/// Clamps to [0, 1]; a NaN becomes 0.
std::uint64_t saturated(std::uint64_t bits, std::uint8_t format) {
  const double x = to_double(bits, format, false);
  if (!(x > 0)) return 0;
  constexpr std::uint64_t kSingle = 0x3f800000, kDouble = 0x3ff0000000000000;
  const std::uint64_t one = format == f_f16 ? 0x3c00 : format == f_bf16 ? 0x3f80 : format == f_f64 ? kDouble : kSingle;
  return x <= 1 ? bits : one;
}

void exec_f2f(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 in, out;
  fetch_any(c, op, op.space, true, in);
  {
    const RoundingScope scope(static_cast<Rounding>(op.size == f_f32 ? op.mode : 0));
    for_lanes(mask, [&](int i) { out.v[i] = float_to_float(in.v[i], op); });
  }
  if ((op.flags & kSaturate) != 0) for_lanes(mask, [&](int i) { out.v[i] = saturated(out.v[i], op.size); });
  write_any(c, op, op.size, out, mask);
}
void decode_f2f(Decoder& d) {
  d.op.flags = (d.take("FTZ") ? kFlush : 0u) | (d.take("SAT") ? kSaturate : 0u);
  d.op.mode = static_cast<std::uint8_t>(take_rounding(d));
  const auto [to, from] = take_two_formats(d);
  if (to < f_f16 || from < f_f16) throw Unsupported{"integer formats"};
  d.op.size = to;
  d.op.space = from;
  d.op.dst = d.destination();
  const std::uint8_t part = part_of(d);
  d.op.src[0] = from == f_f64 ? d.source_f64() : d.source_f32();
  d.op.src[0].part = part;
  d.op.execute = exec_f2f;
}

/// Packs two singles as 16-bit numbers, the first operand in the upper half.
void exec_f2fp(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = fetch_f32(c, op.src[1], s1);
  const auto convert = [&](std::uint32_t bits) -> std::uint32_t {
    const auto x = std::bit_cast<float>(bits);
    const std::uint16_t half = op.size == f_bf16 ? (op.mode == 3 ? float_to_bfloat_rz(x) : float_to_bfloat(x))
                                                 : (op.mode == 3 ? float_to_half_rz(x) : float_to_half(x));
    return (op.flags & kRelu) != 0 && (half & 0x8000) != 0 && x == x ? 0 : half;
  };
  for (int i = 0; i < 32; ++i) out.v[i] = convert(a[i]) << 16 | convert(b[i]);
  c.write(op.dst, out, mask);
}
void decode_f2fp(Decoder& d) {
  if (d.instruction().has("E4M3") || d.instruction().has("E5M2")) return decode_f2fp_bytes(d);
  d.op.size = d.take("BF16") || d.take("BF16_V2") ? f_bf16 : f_f16;
  d.op.flags = d.take("RELU") ? kRelu : 0u;
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"RN", "RM", "RP", "RZ"}, 0));
  if (d.op.mode == 1 || d.op.mode == 2) throw Unsupported{"this rounding"};
  if (!d.take("PACK_AB")) throw Unsupported{"only PACK_AB is supported"};
  d.ignore({"F16", "F32"});
  d.op.dst = d.destination();
  d.op.src[0] = d.source_f32();
  d.op.src[1] = d.source_f32();
  d.op.execute = exec_f2fp;
}

/// Narrows integers, and saturates them.
void exec_i2i(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes64 in, out;
  MicroOp plain = op;  // signs belong to the wide value: -(-2^31) saturates
  plain.src[0].negate = plain.src[0].absolute = false;
  fetch_any(c, plain, op.space, false, in);
  const IntegerRange range = range_of(op.size);
  for_lanes(mask, [&](int i) {
    const std::int64_t number = signed_value(in.v[i], op.space), size = op.src[0].absolute ? std::abs(number) : number;
    const std::int64_t whole = op.src[0].negate ? -size : size;
    out.v[i] = static_cast<std::uint32_t>(signed_value(static_cast<std::uint64_t>(whole), op.size));
    if ((op.flags & kSaturate) == 0) return;
    if (static_cast<double>(whole) < range.low) out.v[i] = range.least;
    if (static_cast<double>(whole) > range.high) out.v[i] = range.greatest;
  });
  write_any(c, op, op.size, out, mask);
}
void decode_i2i(Decoder& d) {
  d.op.flags = d.take("SAT") ? kSaturate : 0u;
  const auto [to, from] = take_two_formats(d);
  if (wide(to) || wide(from) || to >= f_f16 || from >= f_f16) throw Unsupported{"these formats"};
  d.op.size = to;
  d.op.space = from;
  d.op.dst = d.destination();
  const std::uint8_t part = part_of(d);
  d.op.src[0] = d.source();
  d.op.src[0].part = part;
  d.op.execute = exec_i2i;
}

/// Packs two saturated integers below the low part of the third operand: I2IP.S8.S32.SAT R0, Rhigh, Rlow, Rmore.
void exec_i2ip(Context& c, const MicroOp& op, std::uint32_t mask) {
  const IntegerRange range = range_of(op.size);
  const unsigned bits = op.size <= f_s8 ? 8 : 16;
  const auto narrow_one = [&](std::uint32_t x) {
    const auto value = static_cast<double>(static_cast<std::int32_t>(x));
    const std::uint64_t clamped = value < range.low ? range.least : value > range.high ? range.greatest : x;
    return static_cast<std::uint32_t>(clamped) & ((1u << bits) - 1);
  };
  map3(c, op, mask, [&](std::uint32_t a, std::uint32_t b, std::uint32_t more) {
    const std::uint32_t pair = narrow_one(a) << bits | narrow_one(b);
    return bits == 8 ? more << 16 | pair : pair;
  });
}
void decode_i2ip(Decoder& d) {
  if (!d.take("SAT")) throw Unsupported{"only saturated packing is supported"};
  d.op.size = d.take("S8") ? f_s8 : d.take("U8") ? f_u8 : d.take("S16") ? f_s16 : f_u16;
  d.ignore({"U16", "S32"});
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_i2ip;
}

/// Converts two singles to saturated bytes or 16-bit integers and packs them as I2IP does.
void exec_f2ip(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_f32(c, op.src[0], s0);
  const std::uint32_t* b = fetch_f32(c, op.src[1], s1);
  const std::uint32_t* more = fetch_int(c, op.src[2], s2);
  const unsigned bits = op.size <= f_s8 ? 8 : 16;
  const auto convert = [&](std::uint32_t x) {
    const double value = round_to_integer(std::bit_cast<float>(x), op.mode);
    return static_cast<std::uint32_t>(to_integer(value, op.size, (op.flags & kNanToZero) != 0)) & ((1u << bits) - 1);
  };
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t pair = convert(a[i]) << bits | convert(b[i]);
    out.v[i] = bits == 8 ? more[i] << 16 | pair : pair;
  }
  c.write(op.dst, out, mask);
}
void decode_f2ip(Decoder& d) {
  d.op.flags = d.take("NTZ") ? kNanToZero : 0u;
  d.op.mode = static_cast<std::uint8_t>(take_rounding(d));
  d.op.size = take_integer_format(d, f_u8);
  d.ignore({"F32"});
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_f2ip;
}

constexpr Semantics kRows[] = {
    {"F2IP", decode_f2ip, Exactness::exact, "", 75},
    {"F2I", decode_f2i},
    {"I2F", decode_i2f},
    {"F2F", decode_f2f},
    {"FRND", decode_frnd},
    {"I2I", decode_i2i},
    {"F2FP", decode_f2fp, Exactness::exact, "", 75},
    {"I2FP", decode_i2f, Exactness::exact, "", 80},
    {"I2IP", decode_i2ip, Exactness::exact, "the saturating forms", 75},
};

}  // namespace

std::span<const Semantics> convert_semantics() { return kRows; }

}  // namespace sassim::emu
