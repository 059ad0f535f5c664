// SPDX-License-Identifier: Apache-2.0
// Executes products, minima and video instructions of 64-bit instruction sets (Kepler to Pascal).
#include <algorithm>
#include <array>
#include <cstdint>

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

// IMAD, IMUL: one word of a 64-bit product, plus c. .HI is the upper word, .X adds the carry of the sum with the lower
// one. A sign belongs to the whole product.

enum ImadFlag : std::uint32_t { kHighWord = 4 };

void exec_imad(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s0, s1, s2;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  const std::uint32_t* b = fetch_unsigned(c, op.src[1], s1);
  const std::uint32_t* z = fetch_unsigned(c, op.src[2], s2);
  const bool extended = (op.flags & kReadsCc) != 0, negate = op.src[0].negate != op.src[1].negate;
  const auto wide = [](std::uint32_t x, bool is_signed) {
    return is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)}) : std::uint64_t{x};
  };
  std::uint64_t sums[32];
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t product = wide(a[i], (op.flags & kSignedA) != 0) * wide(b[i], (op.flags & kSignedB) != 0);
    const bool high = (op.flags & kHighWord) != 0;
    // Subtracting adds the inverse and one, here or out of CC: where the lower word is 0 that one is carried on.
    const auto word = static_cast<std::uint32_t>((negate ? ~product : product) >> (high ? 32 : 0));
    const bool one = negate && !extended && (!high || static_cast<std::uint32_t>(product) == 0);
    sums[i] = std::uint64_t{word} + (one ? 1 : 0) + addend(z[i], op.src[2].negate, extended) +
              (extended ? carries_into(c.warp.cc, i) : 0);
  }
  write_sum(c, op, sums, 0, mask);
}

/// Two types, or none for signed numbers.
void decode_word_product(Decoder& d) {
  std::vector<char> types;
  for (const std::string& name : d.instruction().modifiers)
    if (name == "S32" || name == "U32") types.push_back(name[0]);
  d.ignore({"S32", "U32"});
  if (types.empty()) types = {'S', 'S'};
  if (types.size() != 2) throw Unsupported{"operand types"};
  d.op.flags = (types[0] == 'S' ? kSignedA : 0u) | (types[1] == 'S' ? kSignedB : 0u) | (d.take("HI") ? kHighWord : 0u) |
               (d.take("X") ? kReadsCc : 0u);
  d.op.dst = destination_cc(d);
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_imad;
}
void decode_imad(Decoder& d) {
  decode_word_product(d);
  d.op.src[2] = d.source();
}

enum Flag : std::uint32_t { kUnsigned = 1 };

/// ISAD: |a - b| + c
void exec_isad(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool is_unsigned = (op.flags & kUnsigned) != 0;
  map3(c, op, mask, [is_unsigned](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const bool less = is_unsigned ? x < y : static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
    return (less ? y - x : x - y) + z;
  });
}
void decode_isad(Decoder& d) {
  d.op.flags = d.take("U32") ? kUnsigned : 0u;
  d.ignore({"S32"});
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_isad;
}

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

// Video instructions (PTX ISA, "Scalar Video Instructions"): an operation on bytes, halves or words of two registers,
// saturation of its result, and a second operation with a third register.

enum VideoFlag : std::uint32_t { kSignedResult = 4, kSaturates = 8, kPlusOne = 16, kWraps = 32 };
enum class Then : std::uint8_t { nothing, add, minimum, maximum, merge_first };  // merge_first + n: into part n
constexpr std::array<std::string_view, 6> kParts = {"MRG_16L", "MRG_16H", "MRG_8B0", "MRG_8B1", "MRG_8B2", "MRG_8B3"};
/// MicroOp::mode of VMAD: how far the sum is shifted.
constexpr std::array<std::uint8_t, 3> kShifts = {0, 7, 15};

/// Bits of a part of a register: width and place.
struct FieldPlace {
  unsigned bits = 32, place = 0;
};
constexpr std::array<FieldPlace, 7> kPlaces = {{{32, 0}, {16, 0}, {16, 16}, {8, 0}, {8, 8}, {8, 16}, {8, 24}}};

std::int64_t part_of(std::uint32_t word, std::uint8_t part, bool is_signed) {
  const FieldPlace p = kPlaces[part];
  const std::uint64_t bits = std::uint64_t{word} >> p.place << (64 - p.bits);
  return is_signed ? static_cast<std::int64_t>(bits) >> (64 - p.bits)
                   : static_cast<std::int64_t>(bits >> (64 - p.bits));
}

std::int64_t saturated(const MicroOp& op, std::int64_t value) {
  if ((op.flags & kSaturates) == 0) return value;
  return (op.flags & kSignedResult) != 0 ? std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX)
                                         : std::clamp<std::int64_t>(value, 0, UINT32_MAX);
}

std::uint32_t then(const MicroOp& op, std::int64_t value, std::uint32_t c) {
  const auto result = static_cast<std::uint32_t>(value);
  const bool is_signed = (op.flags & kSignedResult) != 0;
  const bool less = is_signed ? static_cast<std::int32_t>(result) < static_cast<std::int32_t>(c) : result < c;
  switch (static_cast<Then>(std::min(op.mode2, static_cast<std::uint8_t>(Then::merge_first)))) {
    case Then::nothing:
      return result;
    case Then::add:
      return result + c;
    case Then::minimum:
      return less ? result : c;
    case Then::maximum:
      return less ? c : result;
    case Then::merge_first:
      break;
  }
  const FieldPlace p = kPlaces[1u + op.mode2 - static_cast<std::uint8_t>(Then::merge_first)];
  const std::uint32_t ones = ((1u << p.bits) - 1) << p.place;
  return (c & ~ones) | (result << p.place & ones);
}

/// Applies `work` to both parts, then what follows.
template <class F>
void each(Context& c, const MicroOp& op, std::uint32_t mask, F work) {
  Lanes s0, s1, s2, out;
  const std::uint32_t* a = fetch_unsigned(c, op.src[0], s0);
  const std::uint32_t* b = fetch_unsigned(c, op.src[1], s1);
  const std::uint32_t* z = fetch_unsigned(c, op.src[2], s2);
  for (int i = 0; i < 32; ++i) {
    const std::int64_t x = part_of(a[i], op.src[0].part, (op.flags & kSignedA) != 0);
    const std::int64_t y = part_of(b[i], op.src[1].part, (op.flags & kSignedB) != 0);
    out.v[i] = then(op, saturated(op, work(x, y, z[i])), z[i]);
  }
  c.write(op.dst, out, mask);
}

void exec_vadd(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::int64_t sign_a = op.src[0].negate ? -1 : 1, sign_b = op.src[1].negate ? -1 : 1;
  each(c, op, mask, [&](std::int64_t x, std::int64_t y, std::uint32_t) {
    return sign_a * x + sign_b * y + ((op.flags & kPlusOne) != 0 ? 1 : 0);
  });
}
void exec_vmnmx(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool maximum = op.mode != 0;
  each(c, op, mask,
       [maximum](std::int64_t x, std::int64_t y, std::uint32_t) { return maximum ? std::max(x, y) : std::min(x, y); });
}
void exec_vset(Context& c, const MicroOp& op, std::uint32_t mask) {
  enum Relation : std::uint8_t { less = 1, equal = 2, greater = 4 };
  each(c, op, mask, [&](std::int64_t x, std::int64_t y, std::uint32_t) -> std::int64_t {
    return (op.mode & (x < y ? less : x == y ? equal : greater)) != 0 ? 1 : 0;
  });
}
/// Distances from 32 on shift everything out, unless .W takes them modulo 32.
template <bool kLeft>
void exec_vshift(Context& c, const MicroOp& op, std::uint32_t mask) {
  each(c, op, mask, [&](std::int64_t x, std::int64_t y, std::uint32_t) {
    const auto distance = static_cast<std::uint32_t>(y);
    const std::uint32_t n = (op.flags & kWraps) != 0 ? distance & 31 : std::min(distance, 32u);
    return kLeft ? static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << n) : x >> n;
  });
}
/// A product plus c, shifted to the right. It has a sign if one of its operands can have one.
void exec_vmad(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool negate = op.src[0].negate != op.src[1].negate, minus = op.src[2].negate;
  const bool is_signed = (op.flags & kSignedResult) != 0;
  each(c, op, mask, [&](std::int64_t x, std::int64_t y, std::uint32_t z) {
    const std::int64_t addend = is_signed ? std::int64_t{static_cast<std::int32_t>(z)} : std::int64_t{z};
    const std::int64_t sum =
        (negate ? -x * y : x * y) + (minus ? -addend : addend) + ((op.flags & kPlusOne) != 0 ? 1 : 0);
    return sum >> kShifts[op.mode];
  });
}

/// Which part an operand names; without a name the lowest of its type's width.
std::uint8_t named_part(const isa::Operand& operand, std::string_view type) {
  constexpr std::array<std::string_view, 7> kNames = {"", "H0", "H1", "B0", "B1", "B2", "B3"};
  for (std::size_t i = 1; i < kNames.size(); ++i)
    if (operand.has(kNames[i])) return static_cast<std::uint8_t>(i);
  return type.ends_with("16") ? 1 : type.ends_with("8") ? 3 : 0;
}

/// The types of a and b are printed both, or not at all: then they are signed words.
void decode_video(Decoder& d, bool has_second) {
  std::vector<std::string> types;
  for (const std::string& name : d.instruction().modifiers)
    for (const std::string_view type : {"U8", "S8", "U16", "S16", "U32", "S32"})
      if (name == type) types.push_back(name);
  d.ignore({"U8", "S8", "U16", "S16", "U32", "S32", "SD"});
  if (types.empty()) types = {"S32", "S32"};
  if (types.size() != 2) throw Unsupported{"operand types"};
  d.op.flags |= (types[0][0] == 'S' ? kSignedA : 0u) | (types[1][0] == 'S' ? kSignedB : 0u) |
                (d.take("UD") ? 0u : kSignedResult) | (d.take("SAT") ? kSaturates : 0u) |
                (d.take("PO") ? kPlusOne : 0u);
  if (has_second) {
    d.op.mode2 = static_cast<std::uint8_t>(d.take_one_of({"", "ACC", "MIN", "MAX"}, 0));
    for (std::size_t part = 0; part < kParts.size(); ++part)
      if (d.take(kParts[part]))
        d.op.mode2 = static_cast<std::uint8_t>(static_cast<std::size_t>(Then::merge_first) + part);
  }
  d.op.dst = d.destination();
  for (std::size_t k = 0; k < 3; ++k) {
    const isa::Operand& operand = d.instruction().operands[d.instruction().operands.size() - d.left()];
    d.op.src[k] = d.source();
    if (k < 2) d.op.src[k].part = named_part(operand, types[k]);
  }
}

void decode_vadd(Decoder& d) {
  decode_video(d, true);
  d.op.execute = exec_vadd;
}
void decode_vmnmx(Decoder& d) {
  d.op.mode = d.take("MX") ? 1 : 0;
  decode_video(d, true);
  d.op.execute = exec_vmnmx;
}
void decode_vset(Decoder& d) {
  d.op.mode = take_integer_comparison(d);
  decode_video(d, true);
  d.op.flags &= ~std::uint32_t{kSignedResult};
  d.op.execute = exec_vset;
}
void decode_vshift(Decoder& d) {
  d.op.flags = d.take("W") ? kWraps : 0u;
  decode_video(d, true);
  d.op.execute = d.instruction().opcode == "VSHL" ? exec_vshift<true> : exec_vshift<false>;
}
void decode_vmad(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"", "SHR_7", "SHR_15"}, 0));
  decode_video(d, false);
  const bool can_be_negative =
      (d.op.flags & (kSignedA | kSignedB)) != 0 || d.op.src[0].negate || d.op.src[1].negate || d.op.src[2].negate;
  if (!can_be_negative) d.op.flags &= ~std::uint32_t{kSignedResult};
  d.op.execute = exec_vmad;
}

// IMADSP of Kepler: the product of parts of two registers and a part of a third, whose types are in the opcode, or in
// the upper bits of the second factor (.SD).

constexpr std::string_view kTypes[] = {"U32", "U24", "U16H0", "U16H1", "S32", "S24", "S16H0", "S16H1"};
constexpr unsigned kTypeBits = 3;

constexpr std::uint32_t bits(std::uint32_t value, unsigned first, unsigned count) {
  return value >> first & ((1u << count) - 1);
}

std::uint32_t part_of(std::uint32_t value, std::uint32_t part) {
  const bool is_signed = part >= 4;
  const unsigned width = part % 4 == 0 ? 32 : part % 4 == 1 ? 24 : 16;
  const std::uint32_t up = (part % 4 == 3 ? value >> 16 : value) << (32 - width);
  return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32 - width)) : up >> (32 - width);
}

void exec_imadsp(Context& c, const MicroOp& op, std::uint32_t mask) {
  constexpr std::uint32_t kFirst[] = {0, 1, 2, 3}, kSecond[] = {2, 1, 2, 1}, kThird[] = {0, 1, 2, 0};
  map3(c, op, mask, [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    if (op.mode != 0)
      return part_of(x, kFirst[bits(y, 30, 2)]) * part_of(y, kSecond[bits(y, 28, 2)]) +
             part_of(z, kThird[bits(y, 26, 2)]);
    return part_of(x, bits(op.flags, 0, kTypeBits)) * part_of(y, bits(op.flags, kTypeBits, kTypeBits)) +
           part_of(z, bits(op.flags, 2 * kTypeBits, kTypeBits));
  });
}
void decode_imadsp(Decoder& d) {
  d.op.mode = d.take("SD") ? 1 : 0;
  unsigned found = 0;
  for (const std::string& name : d.instruction().modifiers) {
    const auto* part = std::ranges::find(kTypes, name);
    if (part == std::end(kTypes) || !d.take(name)) continue;
    d.op.flags |= static_cast<std::uint32_t>(part - kTypes) << (kTypeBits * found++);
  }
  if (found != (d.op.mode != 0 ? 0u : 3u)) throw Unsupported{"operand types"};
  d.op.dst = d.destination();
  for (std::size_t i = 0; i < 3; ++i) d.op.src[i] = d.source();
  d.op.execute = exec_imadsp;
}

constexpr Semantics kRows[] = {
    sass64("VADD", decode_vadd),
    sass64("VMNMX", decode_vmnmx),
    sass64("VSET", decode_vset),
    sass64("VSHL", decode_vshift),
    sass64("VSHR", decode_vshift),
    sass64("VMAD", decode_vmad),
    sass64("XMAD", decode_xmad),
    sass64("IMAD", decode_imad),
    sass64("IMUL", decode_word_product),
    sass64("IMUL32I", decode_word_product),
    sass64("ISAD", decode_isad),
    sass64("IMNMX", decode_imnmx),
    sass64("VABSDIFF", decode_vabsdiff),
    {"IMADSP", decode_imadsp, Exactness::exact, {}, 35, isa::InstructionSet::sass64},
};

}  // namespace

std::span<const Semantics> sass64_multiply_semantics() { return kRows; }

}  // namespace sassim::emu
