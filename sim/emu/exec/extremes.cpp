// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum of integers, alone or after an addition (DPX): the predicate chooses between the two.
#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {
namespace {

enum Flag : std::uint32_t { kUnsigned = 1, kHalves = 2, kNotNegative = 4, kAdds = 8 };

/// The smaller or the larger of two numbers as the flags say, of 32 bits or of each half.
std::uint32_t choose32(std::uint32_t a, std::uint32_t b, std::uint32_t flags, bool minimum) {
  const bool less = (flags & kUnsigned) != 0 ? a < b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  return less == minimum ? a : b;
}
std::uint32_t choose16(std::uint32_t a, std::uint32_t b, std::uint32_t flags, bool minimum) {
  const bool less = (flags & kUnsigned) != 0 ? a < b : static_cast<std::int16_t>(a) < static_cast<std::int16_t>(b);
  return less == minimum ? a : b;
}
std::uint32_t choose(std::uint32_t a, std::uint32_t b, std::uint32_t flags, bool minimum) {
  if ((flags & kHalves) == 0) return choose32(a, b, flags, minimum);
  return choose16(a & 0xffff, b & 0xffff, flags, minimum) | choose16(a >> 16, b >> 16, flags, minimum) << 16;
}

/// .RELU: a negative result becomes zero.
std::uint32_t not_negative(std::uint32_t value, std::uint32_t flags) {
  return (flags & kNotNegative) != 0 ? choose(value, 0, flags, false) : value;
}

std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
}

void exec_extreme(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t minimum = c.predicate(op.psrc[0]);
  for (int i = 0; i < 32; ++i) out.v[i] = choose32(a[i], b[i], op.flags, (minimum >> i & 1) != 0);
  c.write(op.dst, out, mask);
}

/// The forms of sm_90: halves, .RELU, and predicates that say of each half whether it is the first operand's.
void exec_vector_extreme(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t minimum = c.predicate(op.psrc[0]);
  for (int i = 0; i < 32; ++i) out.v[i] = not_negative(choose(a[i], b[i], op.flags, (minimum >> i & 1) != 0), op.flags);
  const std::uint32_t low = gather_bits([&](int i) { return ((out.v[i] ^ a[i]) & 0xffff) == 0; });
  const std::uint32_t high = gather_bits([&](int i) { return ((out.v[i] ^ a[i]) >> 16) == 0; });
  c.write(op.dst, out, mask);
  c.write_predicate(op.pdst, low, mask);
  c.write_predicate(op.pdst2, high, mask);
}

/// The extreme of three operands, or of the sum of the first two and the third.
void exec_extreme3(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s0);
  const std::uint32_t* b = fetch_int(c, op.src[1], s1);
  const std::uint32_t* d = fetch_int(c, op.src[2], s2);
  const std::uint32_t minima = c.predicate(op.psrc[0]);
  for (int i = 0; i < 32; ++i) {
    const bool minimum = (minima >> i & 1) != 0;
    const std::uint32_t first = (op.flags & kAdds) == 0     ? choose(a[i], b[i], op.flags, minimum)
                                : (op.flags & kHalves) != 0 ? add_halves(a[i], b[i])
                                                            : a[i] + b[i];
    out.v[i] = not_negative(choose(first, d[i], op.flags, minimum), op.flags);
  }
  c.write(op.dst, out, mask);
}

std::uint32_t type_flags(Decoder& d) {
  d.ignore({"S32"});
  std::uint32_t flags = d.take("U32") ? kUnsigned : 0u;
  if (d.take("U16x2")) flags |= kUnsigned | kHalves;
  if (d.take("S16x2")) flags |= kHalves;
  if (d.take("RELU")) flags |= kNotNegative;
  return flags;
}

void decode_extreme(Decoder& d) {
  d.op.flags = type_flags(d);
  d.op.dst = d.destination();
  d.op.pdst = d.optional_predicate_destination();
  d.op.pdst2 = d.optional_predicate_destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.psrc[0] = d.predicate();
  const bool predicates = d.op.pdst != isa::kPT || d.op.pdst2 != isa::kPT;
  if (predicates && (d.op.flags & kHalves) == 0) throw Unsupported{"predicates of a 32-bit minimum or maximum"};
  d.op.execute = predicates || (d.op.flags & ~kUnsigned) != 0 ? exec_vector_extreme : exec_extreme;
}
void decode_three(Decoder& d, std::uint32_t more) {
  d.op.flags = type_flags(d) | more;
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.psrc[0] = d.predicate();
  d.op.execute = exec_extreme3;
}
void decode_extreme3(Decoder& d) { decode_three(d, 0); }
void decode_viaddmnmx(Decoder& d) { decode_three(d, kAdds); }

void exec_viadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  map2(c, op, mask, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
void exec_viadd_halves(Context& c, const MicroOp& op, std::uint32_t mask) { map2(c, op, mask, add_halves); }
/// Each half of the second number is subtracted (`from_first`), or each of the first from those of the second.
void exec_vsub_halves(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool from_first = op.flags != 0;
  map2(c, op, mask, [=](std::uint32_t a, std::uint32_t b) {
    const auto negated = [](std::uint32_t halves) { return add_halves(~halves, 0x00010001u); };
    return from_first ? add_halves(a, negated(b)) : add_halves(negated(a), b);
  });
}
void decode_viadd(Decoder& d) {
  const bool halves = d.take("16x2");
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = halves ? exec_viadd_halves : exec_viadd;
  bool &first = d.op.src[0].negate, &second = d.op.src[1].negate;
  if (!halves || (!first && !second)) return;
  if (first && second) throw Unsupported{"two negative sources"};
  d.op.execute = exec_vsub_halves;
  d.op.flags = second ? 1 : 0;
  first = second = false;
}

constexpr Semantics kRows[] = {
    {"IMNMX", decode_extreme},
    {"VIMNMX", decode_extreme, Exactness::exact, "predicates of halves only", 90},
    {"VIMNMX3", decode_extreme3, Exactness::exact, "", 90},
    {"VIADDMNMX", decode_viaddmnmx, Exactness::exact, "", 90},
    {"VIADD", decode_viadd, Exactness::exact, "", 90},
};

}  // namespace

std::span<const Semantics> extreme_semantics() { return kRows; }

}  // namespace sassim::emu
