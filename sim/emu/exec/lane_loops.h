// SPDX-License-Identifier: Apache-2.0
// Loops over lanes that instruction families share: fetch the operands, apply a scalar function, write the active
// lanes.
#pragma once

#include "sim/emu/core/machine.h"

namespace sassim::emu {

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
