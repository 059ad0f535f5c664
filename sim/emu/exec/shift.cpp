// SPDX-License-Identifier: Apache-2.0
// Executes shifts, permutations of bytes, and operations on bits.
#include <algorithm>

#include "sim/emu/core/semantics.h"
#include "sim/emu/exec/lane_loops.h"

namespace sassim::emu {

std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t selector, std::uint32_t b, std::uint8_t mode);
std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t amount, std::uint32_t high, std::uint32_t flags);

namespace {

enum ShiftFlag : std::uint32_t { kLeft = 1, kWrap = 2, kSigned = 4, kWide64 = 8, kHigh = 16 };

/// A shift of a pair of registers, of which one half is the result.
template <class Shift>
[[gnu::always_inline]] inline void shift_pair(Context& c, const MicroOp& op, std::uint32_t mask, Shift shift) {
  const std::uint32_t limit = (op.flags & kWide64) != 0 ? 64 : 32, down = (op.flags & kHigh) != 0 ? 32 : 0;
  const bool wrap = (op.flags & kWrap) != 0;
  map3(c, op, mask, [=](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::uint32_t amount = wrap ? y & (limit - 1) : std::min(y, limit);
    return static_cast<std::uint32_t>(shift(x | std::uint64_t{z} << 32, amount) >> down);
  });
}

std::uint64_t shift_left(std::uint64_t pair, std::uint32_t by) { return by >= 64 ? 0 : pair << by; }
std::uint64_t shift_right(std::uint64_t pair, std::uint32_t by) { return by >= 64 ? 0 : pair >> by; }
std::uint64_t shift_signed(std::uint64_t pair, std::uint32_t by) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> std::min(by, 63u));
}

SASSIM_LANE_LOOP void exec_shf(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool left = (op.flags & kLeft) != 0, high = (op.flags & kHigh) != 0, is_signed = (op.flags & kSigned) != 0;
  if (op.src[1].kind == SourceKind::imm && op.src[1].value < 32 &&
      left != high) {  // the other register has no part in it
    const auto amount = static_cast<std::uint32_t>(op.src[1].value);
    if (left) return map3(c, op, mask, [=](std::uint32_t x, std::uint32_t, std::uint32_t) { return x << amount; });
    if (!is_signed)
      return map3(c, op, mask, [=](std::uint32_t, std::uint32_t, std::uint32_t z) { return z >> amount; });
    return map3(c, op, mask, [=](std::uint32_t, std::uint32_t, std::uint32_t z) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(z) >> amount);
    });
  }
  if (left) return shift_pair(c, op, mask, [](auto pair, auto by) { return shift_left(pair, by); });
  if (is_signed) return shift_pair(c, op, mask, [](auto pair, auto by) { return shift_signed(pair, by); });
  shift_pair(c, op, mask, [](auto pair, auto by) { return shift_right(pair, by); });
}

/// Each byte of the result has four bits of the selector: its byte of the eight, and whether that byte's sign fills it.
[[gnu::always_inline]] inline std::uint32_t chosen_bytes(std::uint32_t a, std::uint32_t selector, std::uint32_t b) {
  const std::uint64_t bytes = a | std::uint64_t{b} << 32;
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 32; k += 8) {
    const std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (selector >> (k / 2) & 7) * 8) & 255;
    result |= ((selector >> (k / 2) & 8) != 0 ? (byte >> 7) * 255 : byte) << k;
  }
  return result;
}

SASSIM_LANE_LOOP void exec_prmt(Context& c, const MicroOp& op, std::uint32_t mask) {
  const std::uint8_t mode = op.mode;
  if (mode == 0 && op.src[1].kind == SourceKind::imm) {
    const auto selector = static_cast<std::uint32_t>(op.src[1].value);
    return map3(c, op, mask,
                [selector](std::uint32_t x, std::uint32_t, std::uint32_t z) { return chosen_bytes(x, selector, z); });
  }
  map3(c, op, mask, [mode](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return permute_bytes(x, y, z, mode); });
}

SASSIM_LANE_LOOP void exec_popc(Context& c, const MicroOp& op, std::uint32_t mask) {
  map1(c, op, mask, [](std::uint32_t x) { return static_cast<std::uint32_t>(std::popcount(x)); });
}
void decode_popc(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_popc;
}

enum FloFlag : std::uint32_t { kFloSigned = 1, kFloShift = 2 };

/// The highest set bit (for a signed number, the highest bit that differs from the sign). With SH, the result is the
/// shift that moves it to bit 31.
SASSIM_LANE_LOOP void exec_flo(Context& c, const MicroOp& op, std::uint32_t mask) {
  Lanes s, out;
  const std::uint32_t* a = fetch_int(c, op.src[0], s);
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t x = (op.flags & kFloSigned) != 0 && (a[i] >> 31) != 0 ? ~a[i] : a[i];
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(x));
    out.v[i] = x == 0 ? 0xffffffffu : (op.flags & kFloShift) != 0 ? zeros : 31 - zeros;
  }
  c.write(op.dst, out, mask);
  if (op.pdst != isa::kPT) c.write_predicate(op.pdst, gather_bits([&](int i) { return out.v[i] != ~0u; }), mask);
}
void decode_flo(Decoder& d) {
  d.op.flags = (d.take("U32") ? 0u : kFloSigned) | (d.take("SH") ? kFloShift : 0u);
  d.ignore({"S32"});
  d.op.dst = d.destination();
  d.op.pdst = d.optional_predicate_destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_flo;
}

std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
SASSIM_LANE_LOOP void exec_brev(Context& c, const MicroOp& op, std::uint32_t mask) { map1(c, op, mask, reverse_bits); }
void decode_brev(Decoder& d) {
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.execute = exec_brev;
}

/// A mask of `width` ones from bit `position` upwards.
SASSIM_LANE_LOOP void exec_bmsk(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool wrap = op.mode != 0;
  map2(c, op, mask, [wrap](std::uint32_t position, std::uint32_t width) {
    if (wrap) position &= 31, width &= 31;
    if (position >= 32) return 0u;
    const std::uint32_t ones = width >= 32 ? 0xffffffffu : (1u << width) - 1;
    return ones << position;
  });
}
void decode_bmsk(Decoder& d) {
  d.op.mode = d.take("W") ? 1 : 0;
  d.ignore({"C"});
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_bmsk;
}

/// Extends the lowest `width` bits to 32, with the sign or with zeros.
SASSIM_LANE_LOOP void exec_sgxt(Context& c, const MicroOp& op, std::uint32_t mask) {
  const bool wrap = op.mode != 0, is_unsigned = op.flags != 0;
  map2(c, op, mask, [=](std::uint32_t x, std::uint32_t width) {
    if (wrap) width &= 31;
    if (width >= 32) return x;
    if (width == 0) return 0u;
    const std::uint32_t up = x << (32 - width);
    return is_unsigned ? up >> (32 - width) : static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32 - width));
  });
}
void decode_sgxt(Decoder& d) {
  d.op.mode = d.take("W") ? 1 : 0;
  d.op.flags = d.take("U32") ? 1 : 0;
  d.ignore({"C"});
  d.op.dst = d.destination();
  d.op.src[0] = d.source();
  d.op.src[1] = d.source();
  d.op.execute = exec_sgxt;
}

}  // namespace

std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t amount, std::uint32_t high, std::uint32_t flags) {
  const std::uint32_t limit = (flags & kWide64) != 0 ? 64 : 32;
  const std::uint32_t shift = (flags & kWrap) != 0 ? amount & (limit - 1) : std::min(amount, limit);
  const std::uint64_t pair = low | std::uint64_t{high} << 32;
  const std::uint64_t result = (flags & kLeft) != 0     ? shift_left(pair, shift)
                               : (flags & kSigned) != 0 ? shift_signed(pair, shift)
                                                        : shift_right(pair, shift);
  return static_cast<std::uint32_t>((flags & kHigh) != 0 ? result >> 32 : result);
}

void decode_shift_modifiers(Decoder& d) {
  d.op.flags = (d.take("L") ? kLeft : 0u) | (d.take("W") ? kWrap : 0u) | (d.take("HI") ? kHigh : 0u);
  d.ignore({"R", "C"});
  if (d.take("S32")) d.op.flags |= kSigned;
  if (d.take("U64")) d.op.flags |= kWide64;
  if (d.take("S64")) d.op.flags |= kWide64 | kSigned;
  d.ignore({"U32"});
}

std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t selector, std::uint32_t b, std::uint8_t mode) {
  if (mode == 0) return chosen_bytes(a, selector, b);
  const std::uint64_t bytes = a | std::uint64_t{b} << 32;
  const auto byte = [bytes](std::uint32_t index) {
    return static_cast<std::uint32_t>(bytes >> (8 * (index & 7)) & 255);
  };
  const std::uint32_t s = selector & 3;
  std::uint32_t result = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::uint32_t value = 0;
    switch (mode) {
      case 1:
        value = byte(s + k);
        break;  // F4E: four bytes, rising
      case 2:
        value = byte(s - k);
        break;  // B4E: four bytes, falling
      case 3:
        value = byte(s);
        break;  // RC8: one byte, repeated
      case 4:
        value = byte(std::max(s, k));
        break;  // ECL: edge clamp left
      case 5:
        value = byte(std::min(s, k));
        break;  // ECR: edge clamp right
      default:
        value = byte((s & 1) * 2 + (k & 1));
        break;  // RC16: one half, repeated
    }
    result |= value << (8 * k);
  }
  return result;
}

namespace {

void decode_shf(Decoder& d) {
  decode_shift_modifiers(d);
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_shf;
}

void decode_prmt(Decoder& d) {
  d.op.mode = static_cast<std::uint8_t>(d.take_one_of({"IDX", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"}, 0));
  d.op.dst = d.destination();
  for (int k = 0; k < 3; ++k) d.op.src[k] = d.source();
  d.op.execute = exec_prmt;
}

constexpr Semantics kRows[] = {
    {"SHF", decode_shf},   {"PRMT", decode_prmt}, {"POPC", decode_popc}, {"FLO", decode_flo},
    {"BREV", decode_brev}, {"BMSK", decode_bmsk}, {"SGXT", decode_sgxt},
};

}  // namespace

std::span<const Semantics> shift_semantics() { return kRows; }

}  // namespace sassim::emu
