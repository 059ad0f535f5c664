// SPDX-License-Identifier: Apache-2.0
// Loops over lanes that instruction families share: fetch the operands, apply a scalar function, write the active
// lanes.
#pragma once

#include "sim/emu/core/machine.h"

namespace sassim::emu {

/// A bit per lane from 32 bytes that are 0 or 1.
inline std::uint32_t pack_truth(const std::uint8_t* truth) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t bits = 0;
  for (unsigned group = 0; group < 4; ++group) {
    std::uint64_t eight;
    std::memcpy(&eight, truth + 8 * group, sizeof eight);
    bits |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << (8 * group);
  }
  return bits;
}

/// For each lane, a where its bit is set, else b.
inline void select_lanes(std::uint32_t bits, const std::uint32_t* a, const std::uint32_t* b, Lanes& out) {
  for (int group = 0; group < 4; ++group) {
    const std::uint32_t* select = kByteMasks[bits >> (8 * group) & 0xff].v;
    for (int i = 0; i < 8; ++i) {
      const int lane = 8 * group + i;
      out.v[lane] = (a[lane] & select[i]) | (b[lane] & ~select[i]);
    }
  }
}

template <class F>
inline void map1(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a, out;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  for (int i = 0; i < 32; ++i) out.v[i] = f(x[i]);
  c.write(op.dst, out, mask);
}

template <class F>
inline void map2(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a, b, out;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  const std::uint32_t* y = fetch_int(c, op.src[1], b);
  for (int i = 0; i < 32; ++i) out.v[i] = f(x[i], y[i]);
  c.write(op.dst, out, mask);
}

template <class F>
inline void map3(Context& c, const MicroOp& op, std::uint32_t mask, F f) {
  Lanes a, b, d, out;
  const std::uint32_t* x = fetch_int(c, op.src[0], a);
  const std::uint32_t* y = fetch_int(c, op.src[1], b);
  const std::uint32_t* z = fetch_int(c, op.src[2], d);
  for (int i = 0; i < 32; ++i) out.v[i] = f(x[i], y[i], z[i]);
  c.write(op.dst, out, mask);
}

/// How a comparison's result is combined with the predicate operand.
enum class Join : std::uint8_t { logical_and, logical_or, logical_xor };

inline std::uint32_t join(std::uint8_t how, std::uint32_t bits, std::uint32_t with) {
  switch (static_cast<Join>(how)) {
    case Join::logical_and:
      return bits & with;
    case Join::logical_or:
      return bits | with;
    default:
      return bits ^ with;
  }
}

/// Writes a comparison's two predicates: its result, and its complement, each combined with the predicate operand.
inline void write_comparison(Context& c, const MicroOp& op, std::uint32_t mask, std::uint32_t bits) {
  const std::uint32_t with = c.predicate(op.psrc[0]);
  c.write_predicate(op.pdst, join(op.mode2, bits, with), mask);
  c.write_predicate(op.pdst2, join(op.mode2, ~bits, with), mask);
}

}  // namespace sassim::emu
